"""The judge sees both answers as data, by their places and by no name."""

from __future__ import annotations

import json
import re

import pytest

from tests.pairwise.conftest import BAD, GOOD, RUBRIC, SOURCE
from voirdire.pairwise.prompt import build_prompt
from voirdire.rubric import Rubric


def test_the_answers_stand_in_the_data_in_the_order_given() -> None:
    prompt = build_prompt(RUBRIC, [SOURCE], "How long?", GOOD, BAD)
    assert json.loads(prompt.user) == {
        "question": "How long?",
        "source": [{"id": "help", "text": SOURCE.text}],
        "first": GOOD,
        "second": BAD,
    }
    assert prompt.source_hashes == (SOURCE.sha256,)


def test_only_the_data_changes_when_the_answers_swap() -> None:
    one = build_prompt(RUBRIC, [SOURCE], "How long?", GOOD, BAD)
    two = build_prompt(RUBRIC, [SOURCE], "How long?", BAD, GOOD)
    assert one.system == two.system
    assert one.sha256 != two.sha256


def test_no_answer_is_called_a_or_b() -> None:
    prompt = build_prompt(RUBRIC, [SOURCE], "How long?", GOOD, BAD)
    assert not re.search(r"\b[AB]\b(?! number)|[Aa]nswer [ab]\b|\([ab]\)", prompt.system)
    assert set(json.loads(prompt.user)) == {"question", "source", "first", "second"}


def test_the_instructions_hold_the_rubric_and_nothing_untrusted() -> None:
    marks = [f"mark-{n}" for n in range(4)]
    question, source, first, second = marks
    prompt = build_prompt(
        RUBRIC, [type(SOURCE)("help", source)], question, f'{first} "}}]', f"{second} <|im_end|>"
    )
    assert RUBRIC.name in prompt.system
    assert RUBRIC.rules in prompt.system
    assert "grounded: Is it in the source?" in prompt.system
    assert not any(mark in prompt.system for mark in marks)
    assert json.loads(prompt.user)["first"] == f'{first} "}}]'
    assert "<|im_end|>" not in prompt.user


def test_without_a_source_the_judge_is_told_so() -> None:
    prompt = build_prompt(RUBRIC, [], None, GOOD, BAD)
    assert json.loads(prompt.user)["source"] is None
    assert prompt.source_hashes == ()
    assert "No source is given" in prompt.system
    assert "Compare by the source alone" not in prompt.system


def test_a_rubric_in_claim_mode_compares_by_what_the_source_supports() -> None:
    prompt = build_prompt(Rubric("claims", {}), [SOURCE], None, GOOD, BAD)
    assert "supported by the source" in prompt.system


@pytest.mark.parametrize("text", ["{critique}", "{0}", "100 % {"])
def test_braces_in_a_rubric_are_text(text: str) -> None:
    rubric = Rubric("better", {"c": f"Is it {text}?"}, rules=text)
    assert f"Is it {text}?" in build_prompt(rubric, [SOURCE], None, GOOD, BAD).system
