"""``voirdire drift CERTIFICATE``: the same answers again, so what flips is the judge's doing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import VERDICT, Done, Run, folder, run, write_lines
from tests.judges.judge_server import JudgeServer, Step, reply

__all__ = ["folder", "run"]

PASS = reply(json.dumps(VERDICT))
FAIL = reply(json.dumps({**VERDICT, "criteria": {"grounded": False}, "verdict": "fail"}))
COUNT = 12


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer([PASS]) as running:
        yield running


class Judged:
    """A certified judge, and how to ask whether it drifted."""

    def __init__(self, run: Run, server: JudgeServer, folder: Path) -> None:
        self.run = run
        self.server = server
        self.folder = folder
        self.cases: list[dict[str, Any]] = [
            {"id": f"c{index}", "answer": "It lasts 30 minutes.", "label": "pass"}
            for index in range(COUNT)
        ]
        write_lines(folder / "labelled.jsonl", self.cases)
        spec = f"openai:pinned-1@{server.url}/v1"
        certificate = ("--certificate", "c.json", "--no-cache")
        done = run("calibrate", "labelled.jsonl", "--judge", spec, *certificate)
        assert done.code == 0, done.err

    def drift(self, replies: list[Step], *options: str) -> Done:
        """Ask one after the other; the server answers with these, the last for ever."""
        # What was played so far is played in vain: the server counts on.
        self.server.steps = [PASS] * len(self.server.requests) + replies
        return self.run("drift", "c.json", "--set", "in_flight=1", "--json", *options)


@pytest.fixture
def judged(run: Run, server: JudgeServer, folder: Path) -> Judged:
    return Judged(run, server, folder)


def test_the_same_verdicts_show_no_change(judged: Judged) -> None:
    done = judged.drift([PASS])
    assert done.code == 0, done.err
    (value,) = done.json
    assert value["changed"] == []
    assert (value["flips"]["kept"], value["flips"]["flipped"]["k"]) == (COUNT, 0)
    # Clopper-Pearson: 1 - 0.025^(1/12).
    assert value["flips"]["flipped"]["high"] == pytest.approx(0.2646, abs=1e-4)
    assert value["conclusion"].startswith("no change of the judge is shown")
    assert len(judged.server.requests) == 2 * COUNT  # nothing came out of a cache
    text = judged.run("drift", "c.json").out
    assert f"{'as people labelled':<24}{'12 of 12':<16}12 of 12" in text


def test_another_model_behind_the_same_name_is_the_judge(judged: Judged) -> None:
    done = judged.drift([FAIL])
    assert done.code == 1
    (value,) = done.json
    assert value["changed"] == ["judge"]
    assert value["fingerprint"]["then"] == value["fingerprint"]["now"]
    assert (value["flips"]["to_fail"], value["flips"]["to_pass"]) == (COUNT, 0)
    assert value["flips"]["p_one_way"] == pytest.approx(2 * 0.5**COUNT)
    assert value["right"] == {"then": {"k": COUNT, "n": COUNT}, "now": {"k": 0, "n": COUNT}}
    assert "the model behind the name is another" in value["reasons"][-1]


def test_a_flip_or_two_do_not_show_a_change(judged: Judged) -> None:
    done = judged.drift([FAIL, FAIL, PASS])
    assert done.code == 0
    (value,) = done.json
    assert value["flips"]["ids"] == ["c0", "c1"]
    assert any("--twice" in reason for reason in value["reasons"])


def test_asked_twice_the_judges_own_unsteadiness_is_known(judged: Judged) -> None:
    steady = judged.drift([FAIL] * 6 + [PASS] * 6 + [FAIL] * 6 + [PASS], "--twice")
    (value,) = steady.json
    assert value["flips_by_themselves"]["flipped"]["k"] == 0
    assert value["changed"] == ["judge"]
    wavering = judged.drift([FAIL] * 5 + [PASS] * 12 + [FAIL] * 5 + [PASS], "--twice")
    (value,) = wavering.json
    assert value["flips"]["flipped"]["k"] == 5
    assert value["flips_by_themselves"]["flipped"]["k"] == 10
    assert value["changed"] == []


def test_a_judge_that_no_longer_answers_is_no_steady_judge(judged: Judged) -> None:
    done = judged.drift([reply("well")])
    assert done.code == 1
    (value,) = done.json
    assert value["flips"]["lost"] == COUNT
    assert value["missing"] == {"then": 0, "now": COUNT}


@pytest.mark.parametrize(
    ("options", "changed"),
    [
        (("--set", "temperature=0.5"), ["judge"]),
        (("--rubric", "other.yaml"), ["rubric"]),
        (("--cases", "other.jsonl"), ["cases"]),
    ],
)
def test_what_is_set_up_otherwise_is_named(
    judged: Judged, options: tuple[str, ...], changed: list[str]
) -> None:
    (judged.folder / "other.yaml").write_text("name: r\ncriteria: {grounded: Is it there?}\n")
    write_lines(judged.folder / "other.jsonl", [{**case, "note": "n"} for case in judged.cases])
    done = judged.drift([PASS], *options)
    assert done.code == 1, done.err
    assert done.json[0]["changed"] == changed


def test_a_certificate_without_verdicts_is_refused(judged: Judged, run: Run) -> None:
    certificate = judged.folder / "c.json"
    certificate.write_text(certificate.read_text().replace('"c1"', '"c999"'))
    assert "was changed after it was written" in run("drift", "c.json").err
    assert run("drift", "none.json").code == 2
    both = run("drift", "c.json", "--journal", "a.jsonl", "--journal", "b.jsonl")
    assert (both.code, both.err.count("\n")) == (2, 1)
