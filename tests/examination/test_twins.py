"""Minimal pairs made from answers that are right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.evidence import Texts
from voirdire.examination.twins import twins_of
from voirdire.grade import Case
from voirdire.source import Source

SOURCE = (Source("s", "The link lasts 30 minutes. It can be sent again. There are 91 seats."),)


def wrong_of(answer: str, kind: str) -> list[str]:
    case = Case(SOURCE, "How long?", answer, "c")
    return [twin.wrong for twin in twins_of([case], 9) if twin.kind == kind]


def test_a_number_of_the_source_becomes_one_that_stands_nowhere() -> None:
    assert wrong_of("It lasts 30 minutes.", "number") == ["It lasts 92 minutes."]


@pytest.mark.parametrize(
    "answer",
    [
        "It lasts 45 minutes.",  # not the source's number
        "See kb-30 for more.",
        "Call +30 20 30-30.",
        "It lasts 30,000 or 1.30 or 30:00.",
        "It lasts thirty minutes.",
    ],
)
def test_what_is_no_number_of_the_source_stays(answer: str) -> None:
    assert wrong_of(answer, "number") == []


@pytest.mark.parametrize(
    ("answer", "wrong"),
    [
        ("It can be sent again.", "It cannot be sent again."),
        ("It cannot be sent again.", "It can be sent again."),
        ("Hello! You must wait.", "Hello! You must not wait."),
        ("The link is not valid.", "The link is valid."),
    ],
)
def test_a_verb_is_denied_or_its_denial_taken_back(answer: str, wrong: str) -> None:
    assert wrong_of(answer, "negation") == [wrong]


@pytest.mark.parametrize(
    "answer",
    [
        "If you can wait, wait.",
        "Only owners can send it.",
        "No, it is not, as nobody can.",
        "Canada, an island.",
        "Can it be sent?",
    ],
)
def test_a_statement_that_might_stay_true_is_left_alone(answer: str) -> None:
    assert wrong_of(answer, "negation") == []


def test_both_kinds_come_in_turn_and_no_more_than_wanted() -> None:
    cases = [Case(SOURCE, None, "It can last 30 minutes.", str(number)) for number in range(5)]
    twins = list(twins_of(cases, 5))
    assert [twin.kind for twin in twins] == ["number", "negation", "number", "negation", "number"]
    assert len({case.id for twin in twins for case in twin.cases}) == 10


@given(st.text(st.sampled_from("0123 .,can notis\n?")), st.text(max_size=20))
def test_a_twin_differs_in_one_place_and_its_number_is_new(answer: str, source: str) -> None:
    sources = (Source("s", f"30 {source} 1"),)
    for twin in twins_of([Case(sources, None, answer, "c")], 2):
        assert twin.right == answer != twin.wrong
        if twin.kind == "number":
            rest = Texts([answer, sources[0].text])
            start = next(
                i
                for i, (a, b) in enumerate(zip(answer + " ", twin.wrong + " ", strict=False))
                if a != b
            )
            before = answer[:start].rstrip("0123456789")
            number = twin.wrong[len(before) :].split()[0].rstrip(".,?")
            assert not rest.hold(number)
