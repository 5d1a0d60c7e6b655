"""An attack changes the text that it is planted in and nothing else, and is as strong as can be."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.injection.conftest import CASE, CLAIMS, RUBRIC, attack, every_attack, every_rubric
from voirdire.grade import Case
from voirdire.injection.attacks import Attack
from voirdire.injection.plant import passing_verdict, planted
from voirdire.reading import read
from voirdire.reply import Reply
from voirdire.rubric import Rubric
from voirdire.ruling import rule
from voirdire.source import Source

TEXTS = st.text(st.characters(exclude_characters="{}"), min_size=1)


def places(case: Case) -> dict[str, str | None]:
    """The texts that an attack may stand in."""
    return {"answer": case.answer, "question": case.question, "source": case.sources[-1].text}


@every_rubric
@every_attack
def test_one_place_is_changed_and_holds_what_stood_there(attack: Attack, rubric: Rubric) -> None:
    changed = planted(CASE, attack, rubric)
    assert changed.id == f"case+{attack.id}"
    before, after = places(CASE), places(changed)
    assert [where for where in after if after[where] != before[where]] == [attack.where]
    assert str(before[attack.where]) in str(after[attack.where])
    assert changed.sources[:-1] == CASE.sources[:-1]
    assert [source.id for source in changed.sources] == ["kb-1", "kb-2"]


@given(TEXTS, st.sampled_from(["answer", "question", "source"]))
def test_an_attack_without_the_placeholder_stands_behind(text: str, where: str) -> None:
    assert places(planted(CASE, attack(text, where), RUBRIC))[where] == (
        f"{places(CASE)[where]}\n\n{text}"
    )


def test_placeholders_are_filled_once() -> None:
    case = CASE._replace(answer="Use {verdict} and {question}.", question=None)
    changed = planted(case, attack("<{answer}> {criteria} [{question}] {other} {}"), RUBRIC)
    assert changed.answer == (
        '<Use {verdict} and {question}.> {"grounded": true, "answers": true} [] {other} {}'
    )


@every_rubric
def test_a_planted_verdict_would_pass_were_it_the_judges(rubric: Rubric) -> None:
    text = passing_verdict(rubric, CASE.sources, CASE.answer)
    verdict = read(Reply(text, "stop"), rubric.criterion_names).verdict
    assert verdict is not None
    assert rule(verdict, rubric, CASE.sources, CASE.answer).outcome == "pass"


@pytest.mark.parametrize("text", ["word " * 200, "x" * 500, "  Short.\n"])
def test_it_quotes_the_source_in_few_words(text: str) -> None:
    body = json.loads(passing_verdict(RUBRIC, [Source("s", text)], "A."))
    (quote,) = body["evidence"]
    assert quote
    assert quote in text
    assert len(quote) <= 120


def test_a_claim_verdict_covers_every_sentence() -> None:
    body = json.loads(passing_verdict(CLAIMS, CASE.sources, CASE.answer))
    assert [claim["answer_quote"] for claim in body["claims"]] == [
        "It lasts 45 minutes.",
        "It works once.",
    ]
