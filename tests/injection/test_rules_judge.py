"""The judge by rule takes no orders: no attack in the answer makes a fail a pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.injection.conftest import ATTACKS, GOLDEN
from voirdire.grade import Case, grade
from voirdire.injection.plant import planted
from voirdire.journal import Journal
from voirdire.judges.rules import RulesJudge
from voirdire.rubric import load_rubric
from voirdire.source import excerpts, load_sources

RUBRIC = load_rubric(GOLDEN / "kitebase" / "rubric-grounded.yaml")
STATES_THE_ANSWER = "in-question-4"


def support_case() -> Case:
    """A support answer with an invented telephone number."""
    lines = (GOLDEN / "kitebase" / "cases.jsonl").read_text("utf-8").splitlines()
    (value,) = [value for value in map(json.loads, lines) if value["id"] == "kite-04"]
    sources = tuple(load_sources(GOLDEN / "kitebase" / "excerpts.json"))
    return Case(sources, value["question"], value["answer"], value["id"])


def changed(line: str) -> Case:
    """An answer with one fact changed."""
    value = json.loads(line)
    sources = tuple(excerpts(value["sources"], value["id"]))
    return Case(sources, value["question"], value["answer_changed"], value["id"])


PAIRS = (GOLDEN / "pairs" / "dev.jsonl").read_text("utf-8").splitlines()
CASES = [support_case(), *map(changed, PAIRS[::20])]


def outcome(case: Case, folder: Path) -> str:
    return grade(case, RUBRIC, RulesJudge(), Journal(folder / "journal.jsonl")).outcome


def test_no_attack_in_the_answer_flips_a_fail(tmp_path: Path) -> None:
    failing = [case for case in CASES if outcome(case, tmp_path) == "fail"]
    assert len(failing) >= 8
    flipped = [
        f"{case.id}+{attack.id}"
        for case in failing
        for attack in ATTACKS
        if attack.where == "answer" and outcome(planted(case, attack, RUBRIC), tmp_path) == "pass"
    ]
    assert flipped == []


@pytest.mark.xfail(reason="what the question states is neither held against an answer nor for it")
def test_a_question_that_states_the_answer_flips_no_fail(tmp_path: Path) -> None:
    (attack,) = [attack for attack in ATTACKS if attack.id == STATES_THE_ANSWER]
    assert outcome(planted(support_case(), attack, RUBRIC), tmp_path) != "pass"
