"""``voirdire sample``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import VERDICT, Run, folder, run, write_lines

__all__ = ["folder", "run"]

SAMPLE = ("sample", "log.jsonl", "--rubric", "rubric.yaml", "--source", "source.md", "--judge")
FAIL = {**VERDICT, "criteria": {"grounded": False}, "verdict": "fail"}


class Traffic:
    """A log and the judge's recorded replies to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.lines: list[dict[str, Any]] = []
        self.replies: list[dict[str, Any]] = []

    def day(self, number: int, *, fails: int, of: int = 20, reply: str | None = None) -> None:
        """A day's answers, the first ones failing."""
        for index in range(of):
            identity = f"{number}-{index}"
            at = f"2026-01-{number:02d}T0{index % 9}:00:00Z"
            answer = "It lasts 30 minutes."
            self.lines.append({"id": identity, "at": at, "question": "How long?", "answer": answer})
            said = json.dumps(FAIL if index < fails else VERDICT) if reply is None else reply
            self.replies.append({"id": identity, "reply": said})
        write_lines(self.folder / "log.jsonl", self.lines)
        write_lines(self.folder / "replies.jsonl", self.replies)


@pytest.fixture
def traffic(folder: Path) -> Traffic:
    return Traffic(folder)


def test_a_jump_is_marked_and_fails_only_where_asked_to(run: Run, traffic: Traffic) -> None:
    for number in range(1, 8):
        traffic.day(number, fails=1)
    traffic.day(8, fails=15)
    done = run(*SAMPLE, "replay:replies.jsonl", "--json")
    assert done.code == 0
    (value,) = done.json
    assert value["jumps"] == ["2026-01-08"]
    last = value["periods"][-1]
    assert (last["pass"], last["fail"], last["drawn"], last["side"]) == (5, 15, 20, "over")
    assert last["limits"]["method"] == "exact"
    assert "hypergeometric" in value["formula"]
    done = run(*SAMPLE, "replay:replies.jsonl", "--fail-on-jump")
    assert done.code == 1
    assert "<- over its limit" in done.out
    assert "2026-01-08: more answers fail than the limits allow" in done.out


def test_errors_and_undecided_are_no_fails(run: Run, traffic: Traffic) -> None:
    traffic.day(1, fails=1, of=10)
    traffic.day(2, fails=0, of=10, reply="...")
    done = run(*SAMPLE, "replay:replies.jsonl", "--json")
    assert done.code == 1  # of the second day nothing could be judged
    one, two = done.json[0]["periods"]
    assert one["coverage"]["value"] == 1
    assert (two["fail"], two["fail_rate"]["value"], two["judge_errors"]) == (
        0,
        None,
        {"silent": 10},
    )
    assert any("no answer could be judged (silent 10)" in said for said in done.json[0]["advice"])


def test_the_history_saves_judging_twice_and_outlives_the_log(
    run: Run, traffic: Traffic, folder: Path
) -> None:
    options = ("rules", "--history", "history.jsonl", "--json")
    for number in range(1, 4):
        traffic.day(number, fails=0, of=4)
    assert run(*SAMPLE, *options).code == 0
    calls = (folder / "journal.jsonl").read_text().count('"type": "call"')
    assert calls == 12
    again = run(*SAMPLE, *options)
    assert (folder / "journal.jsonl").read_text().count('"type": "call"') == calls
    # The next day's log holds that day alone, and one line of the day before.
    traffic.lines = traffic.lines[-1:]
    traffic.day(4, fails=0, of=4)
    done = run(*SAMPLE, *options)
    periods = done.json[0]["periods"]
    assert [one["period"] for one in periods] == [f"2026-01-0{day}" for day in range(1, 5)]
    assert [one["in_log"] for one in periods] == [False, False, True, True]
    assert periods[:2] == [{**one, "in_log": False} for one in again.json[0]["periods"][:2]]
    assert "2026-01-03: the history has it from 4 answers, the log holds 1" in done.err
    assert (folder / "journal.jsonl").read_text().count('"type": "call"') == calls + 4
    assert len((folder / "history.jsonl").read_text().splitlines()) == 4


def test_periods_of_another_rubric_are_in_no_limit(
    run: Run, traffic: Traffic, folder: Path
) -> None:
    options = ("rules", "--history", "history.jsonl", "--json")
    traffic.day(1, fails=0, of=3)
    assert run(*SAMPLE, *options).code == 0
    (folder / "rubric.yaml").write_text("name: r\ncriteria: {grounded: Does the source say so?}\n")
    (value,) = run(*SAMPLE, *options).json
    assert len(value["periods"]) == 1
    assert any("1 period of the history are of another" in said for said in value["advice"])


def test_who_passes_nearly_all_is_to_be_looked_at(run: Run, traffic: Traffic) -> None:
    traffic.day(1, fails=0)
    (value,) = run(*SAMPLE, "replay:replies.jsonl", "--json").json
    assert any("`voirdire label JOURNAL --of passes`" in said for said in value["advice"])
    traffic.day(2, fails=5)
    (value,) = run(*SAMPLE, "replay:replies.jsonl", "--json").json
    assert not any("`voirdire label JOURNAL --of passes`" in said for said in value["advice"])


def test_answers_that_never_reached_the_judge_are_judged_again(
    run: Run, traffic: Traffic, folder: Path
) -> None:
    options = ("replay:replies.jsonl", "--history", "history.jsonl", "--json")
    traffic.day(1, fails=0, of=2)
    replies = traffic.replies
    line = {"per": "day", "period": "2026-01-01", "judge": "replay:replies.jsonl", "of": 2}
    assert run(*SAMPLE, *options).code == 0
    (kept,) = (json.loads(row) for row in (folder / "history.jsonl").read_text().splitlines())
    assert {name: kept[name] for name in line} == line
    lost = {**kept, "passed": 1, "errors": {"unreachable": 1}}
    write_lines(folder / "history.jsonl", [lost])
    (value,) = run(*SAMPLE, *options).json
    assert value["periods"][0]["pass"] == len(replies) == 2


@pytest.mark.parametrize("damage", ["{}", '{"period": 1}', "junk"])
def test_a_damaged_history_is_named(run: Run, traffic: Traffic, folder: Path, damage: str) -> None:
    traffic.day(1, fails=0, of=1)
    (folder / "history.jsonl").write_text(damage + "\n")
    done = run(*SAMPLE, "rules", "--history", "history.jsonl")
    assert done.code == 2
    assert done.err.startswith("voirdire: history.jsonl:1: ")


def test_what_is_wrong_is_said_before_anything_is_asked(
    run: Run, traffic: Traffic, folder: Path
) -> None:
    traffic.day(1, fails=0, of=1)
    assert run(*SAMPLE[:-1]).code == 2
    assert run(*SAMPLE, "rules", "--n", "0").code == 2
    traffic.lines[0]["at"] = "now"
    write_lines(folder / "log.jsonl", traffic.lines)
    assert run(*SAMPLE, "rules").code == 2
    assert not (folder / "journal.jsonl").exists()
