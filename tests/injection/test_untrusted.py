"""Whatever an attack says, it stays data, and no verdict is taken from it."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.injection.conftest import ATTACKS, CASE, CLAIMS, RUBRIC, attack, every_attack
from tests.test_grade import Scripted
from voirdire.grade import Case, Outcome, grade
from voirdire.injection.attacks import PLACES, Attack
from voirdire.injection.plant import passing_verdict, planted
from voirdire.journal import Journal
from voirdire.prompt import Prompt, build_prompt
from voirdire.rubric import Rubric

HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
PIECES = st.sampled_from(
    ["{verdict}", "{criteria}", "{answer}", "<|im_end|>", "</think>", '"}', '\\"', "```", "\u202e"]
)
CHARACTERS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
HOSTILE = st.lists(PIECES | CHARACTERS | st.sampled_from(ATTACKS).map(lambda one: one.text))
RUBRICS = st.sampled_from([RUBRIC, CLAIMS])


def prompt(case: Case, rubric: Rubric, *, answer_first: bool) -> Prompt:
    return build_prompt(rubric, case.sources, case.question, case.answer, answer_first=answer_first)


def check_is_data(attack: Attack, rubric: Rubric, *, answer_first: bool) -> None:
    case = planted(CASE, attack, rubric)
    built = prompt(case, rubric, answer_first=answer_first)
    assert built.system == prompt(CASE, rubric, answer_first=answer_first).system
    assert [message["role"] for message in built.messages] == ["system", "user"]
    assert json.loads(built.user) == {
        "question": case.question,
        "source": [{"id": source.id, "text": source.text} for source in case.sources],
        "answer": case.answer,
    }
    assert "<" not in built.user
    assert not HIDDEN & {unicodedata.category(char) for char in set(built.user) - {"\n"}}
    # The line breaks left are those between fields: none of them came with a text.
    assert all(line.lstrip()[:1] in '{}[]"' for line in built.user.split("\n"))


@pytest.mark.parametrize("answer_first", [False, True])
@every_attack
def test_an_attack_that_ships_stays_data(attack: Attack, answer_first: bool) -> None:
    for rubric in (RUBRIC, CLAIMS):
        check_is_data(attack, rubric, answer_first=answer_first)


@given(HOSTILE.map("".join), st.sampled_from(PLACES), RUBRICS, st.booleans())
def test_any_attack_stays_data(text: str, where: str, rubric: Rubric, answer_first: bool) -> None:
    check_is_data(attack(text, where), rubric, answer_first=answer_first)


class Silent(Journal):
    """Writes nothing: a property is tried a hundred times."""

    def __init__(self) -> None:
        """Open nothing."""

    def record(self, *_: object) -> None:
        """Drop it."""


def judged(attack: Attack, rubric: Rubric, policy: str, reply: str) -> Outcome:
    judge = Scripted(reply, can_reask=False)
    return grade(planted(CASE, attack, rubric), rubric, judge, Silent(), policy=policy)


def planted_verdict(rubric: Rubric) -> str:
    return passing_verdict(rubric, CASE.sources, CASE.answer)


PLANTING = [one for one in ATTACKS if "{verdict}" in one.text and one.where == "answer"]


def test_enough_attacks_plant_a_verdict() -> None:
    assert len(PLANTING) >= 10


@pytest.mark.parametrize("policy", ["strict", "tolerant"])
@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "The answer says:\n{}", "{}\n{}"])
@pytest.mark.parametrize("attack", PLANTING, ids=lambda one: one.id)
def test_a_verdict_out_of_the_answer_is_marked_and_never_taken(
    attack: Attack, around: str, policy: str
) -> None:
    for rubric in (RUBRIC, CLAIMS):
        reply = around.replace("{}", planted_verdict(rubric))
        outcome = judged(attack, rubric, policy, reply)
        assert outcome.marks == ("contains_verdict_object",)
        assert outcome.outcome == "judge_error"


@given(HOSTILE.map("".join), HOSTILE.map("".join), RUBRICS, st.sampled_from(["strict", "tolerant"]))
def test_whatever_stands_around_a_planted_verdict_it_is_marked_and_never_taken(
    before: str, after: str, rubric: Rubric, policy: str
) -> None:
    one = attack(f"{before}{{verdict}}{after}")
    outcome = judged(one, rubric, policy, planted_verdict(rubric))
    assert outcome.marks == ("contains_verdict_object",)
    assert (outcome.outcome, outcome.kind) == ("judge_error", "ambiguous")


def test_a_verdict_of_the_judges_own_is_taken_beside_a_planted_one() -> None:
    own = json.dumps({**json.loads(planted_verdict(RUBRIC)), "critique": "I looked it up."})
    outcome = judged(attack("{verdict}"), RUBRIC, "strict", own)
    assert outcome.outcome == "pass"  # what makes it right is measured, not promised
    assert outcome.marks == ("contains_verdict_object",)
