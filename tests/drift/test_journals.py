"""``voirdire drift --journal``: two periods, and which part of the whole changed between them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Run, folder, run
from voirdire.drift.calls import Heard, Side, side, split_journal
from voirdire.drift.compare import compared
from voirdire.journal import Entry
from voirdire.sampling.period import read_time

__all__ = ["folder", "run"]

ONE = Heard(
    outcome="pass",
    criteria={"grounded": True},
    judge="openai:m",
    identity='{"model": "m"}',
    fingerprint="f1",
    rubric="r",
    version="v1",
    model="m-2026-01",
    system="s1",
    case_id="",
    sample=0,
    prompt="",
    sources=("help-1",),
    latency_ms=100.0,
    completion=50,
    is_model=True,
)
FAIL: dict[str, Any] = {"outcome": "fail", "criteria": {"grounded": False}}


def period(
    count: int, *, fails: int = 0, cases: str = "c", answers: str = "a", **more: Any
) -> Side:
    """So many calls, the first ones failing."""
    calls = []
    for index in range(count):
        prompt = f"{cases}{index}/{answers}/{more.get('version')}/{more.get('sources')}"
        call = ONE._replace(case_id=f"{cases}{index}", prompt=prompt, **more)
        calls.append(call._replace(**FAIL) if index < fails else call)
    return Side("period", calls, 0)


def test_nothing_changed() -> None:
    value = compared(period(40, fails=4), period(40, fails=4))
    assert value["changed"] == []
    assert value["conclusion"] == "no change is shown"
    assert value["same_prompts"]["kept"] == 40


def test_the_product_changed() -> None:
    value = compared(period(60, fails=3), period(60, fails=25, answers="b"))
    assert value["changed"] == ["product"]
    assert value["answers"] == {"shared_cases": 60, "changed": 60}
    assert value["criteria"]["grounded"]["moved"] is True
    assert (value["fails"]["before"]["k"], value["fails"]["after"]["k"]) == (3, 25)


def test_other_answers_alone_are_no_change_of_the_share() -> None:
    value = compared(period(60, fails=3), period(60, fails=4, answers="b"))
    assert value["changed"] == []
    assert "60 of 60 cases have other answers" in value["reasons"]


def test_the_same_prompts_with_other_verdicts_are_the_judge() -> None:
    value = compared(period(60, fails=3), period(60, fails=20))
    assert value["changed"] == ["judge"]
    assert value["same_prompts"]["to_fail"] == 17
    assert "whether the product changed as well cannot be told" in value["conclusion"]


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        ({"identity": '{"model": "m", "temperature": 1}', "fingerprint": "f2"}, "judge"),
        ({"judge": "openai:n", "identity": "{}", "fingerprint": "f2"}, "judge"),
        ({"model": "m-2026-02"}, "judge"),
        ({"system": "s2"}, "judge"),
        ({"fingerprint": "f2"}, "judge"),
        ({"version": "v2", "fingerprint": "f2"}, "rubric"),
        ({"rubric": "other", "version": "v9", "fingerprint": "f2"}, "rubric"),
        ({"sources": ("help-2",)}, "sources"),
        ({"sources": ("help-2",), "cases": "d"}, "sources"),
    ],
)
def test_what_is_other_in_the_second_period_is_named(after: dict[str, Any], changed: str) -> None:
    value = compared(period(30, fails=3), period(30, fails=15, answers="b", **after))
    assert value["changed"] == [changed]
    assert value["reasons"]


def test_a_judge_that_is_missing_in_the_second_period_is_no_change() -> None:
    two = period(20, judge="openai:n", identity="{}", fingerprint="f2", cases="d")
    both = Side("both", [*period(20).calls, *two.calls], 0)
    assert compared(both, period(20))["changed"] == []


def test_replies_that_became_unreadable_are_the_judge() -> None:
    cut: dict[str, Any] = {"outcome": "cut_off", "criteria": {}}
    value = compared(period(40), period(40, cases="d", **cut))
    assert value["changed"] == ["judge"]
    assert value["unreadable"]["after"] == pytest.approx(
        {"k": 40, "n": 40, "value": 1.0, "low": 0.912, "high": 1.0}, abs=1e-3
    )
    # A service that is away says nothing of the judge.
    away = compared(period(40), period(40, cases="d", outcome="unreachable", criteria={}))
    assert away["changed"] == []


def call(key: str, /, **more: Any) -> Entry:
    """A call as the journal has it."""
    line = {
        "type": "call",
        "id": key,
        "at": "2026-01-01T00:00:00Z",
        "judge": "openai:m",
        "identity": {"model": "m"},
        "fingerprint": "f",
        "rubric": {"name": "r", "version": "v"},
        "case_id": "c",
        "sample": 0,
        "prompt_sha256": "p",
        "source_sha256": ["s"],
        "request": {"messages": [{}, {}]},
        "raw": '{"system_fingerprint": "fp_1"}',
        **more,
    }
    verdict = {"verdict": "pass", "criteria": {"grounded": True}}
    return Entry(line, {"reading": "verdict", "verdict": verdict})


def test_a_second_try_stands_for_the_first() -> None:
    first = Entry(call("1").call, {"reading": "prose", "verdict": None})
    again = call("2", request={"messages": [{}, {}, {}, {}]})
    found = side("s", [first, again, call("3")])
    assert [heard.outcome for heard in found.calls] == ["pass", "pass"]
    assert found.calls[0].system == "fp_1"


def test_comparisons_and_calls_never_read_are_left_out() -> None:
    preference = Entry(call("1").call, {"reading": "verdict", "verdict": {"winner": "tie"}})
    unread = Entry(call("2").call, None)
    found = side("s", [preference, unread, call("3")])
    assert (len(found.calls), found.left_out) == (1, 2)


JUNK = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.text(max_size=2))
)
FIELDS = ["judge", "identity", "rubric", "case_id", "sample", "source_sha256", "request", "raw"]
FIELDS += ["usage", "latency_ms", "model", "fingerprint", "prompt_sha256"]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.dictionaries(st.sampled_from(FIELDS), JUNK), max_size=4), JUNK)
def test_whatever_stands_in_a_journal_is_read_or_left_out(
    changes: list[dict[str, Any]], verdict: Any
) -> None:
    entries = [call(str(index), **change) for index, change in enumerate(changes)]
    entries += [Entry(call("x").call, {"reading": "verdict", "verdict": verdict})]
    found = side("s", entries)
    assert found.left_out + len(found.calls) <= len(entries)
    json.dumps(compared(found, found))


def test_a_journal_is_split_by_time(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    lines = []
    for identity, at in (("1", "2026-01-31T23:59:59Z"), ("2", "2026-02-01T00:00:00Z"), ("3", "?")):
        entry = call(identity, at=at, prompt_sha256=identity)
        lines += [entry.call, {"type": "reading", "id": identity, **(entry.reading or {})}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    moment = read_time("2026-02-01T00:00:00Z")
    one, other, damages = split_journal(path, moment, moment)
    assert [[heard.prompt for heard in half.calls] for half in (one, other)] == [["1"], ["2"]]
    assert len(damages) == 1


def test_the_command_compares_two_journals(run: Run, folder: Path) -> None:
    judge = ("judge", "--rubric", "rubric.yaml", "--source", "source.md", "--judge", "rules")
    for name, answer in (("a", "It lasts 30 minutes."), ("b", "It lasts 45 minutes.")):
        lines = [{"id": f"c{index}", "answer": answer} for index in range(8)]
        (folder / "many.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        run(*judge, "--jsonl", "many.jsonl", "--journal", f"{name}.jsonl")
    done = run("drift", "--journal", "a.jsonl", "--journal", "b.jsonl")
    assert done.code == 1
    assert "8 of 8 100%" in done.out
    assert done.out.splitlines()[-1].startswith("the product changed")
    same = run("drift", "--journal", "a.jsonl", "--journal", "a.jsonl", "--json")
    assert (same.code, same.json[0]["changed"]) == (0, [])
    split = ("drift", "--journal", "a.jsonl", "--before", "2020-01-01", "--after", "2020-01-01")
    nothing = run(*split, "--json")
    assert nothing.code == 1
    assert (nothing.json[0]["before"]["calls"], nothing.json[0]["after"]["calls"]) == (0, 8)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--journal", "a.jsonl"),
        ("--before", "2026-01-01"),
        ("--before", "soon", "--after", "2026-01-01"),
        ("--before", "2026-02-01", "--after", "2026-01-01"),
        ("--twice",),
        ("--journal", "none.jsonl", "--journal", "none.jsonl"),
    ],
)
def test_what_cannot_be_compared_is_bad_input(run: Run, arguments: tuple[str, ...]) -> None:
    done = run("drift", *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
