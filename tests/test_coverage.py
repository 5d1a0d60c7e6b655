"""Claims must cover the whole answer: one claim of twenty is no examination."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.coverage import skipped

ITEMS = [f"Built service number {n} in Go." for n in range(1, 21)]
LIST = "\n".join(f"- {item}" for item in ITEMS)


def test_one_claim_of_twenty_leaves_nineteen() -> None:
    assert skipped(LIST, ITEMS[:1]) == ITEMS[1:]


def test_twenty_claims_leave_nothing() -> None:
    assert skipped(LIST, ITEMS) == []


def test_no_claims_leave_everything() -> None:
    assert skipped("One thing. Another thing.", []) == ["One thing.", "Another thing."]


@pytest.mark.parametrize(
    ("answer", "quotes"),
    [
        ("Built it and cut costs.", ["Built it", "cut costs"]),
        ("Built it, which cut costs.", ["Built it", "cut costs."]),
        ("Built it in Go 1.21.", ["Built it in Go", "Go 1.21"]),
        ("1. Built it\n2) Sold it\n(c) Left it", ["Built it", "Sold it", "Left it"]),
        ("1. Built it", ["1. Built it"]),
        ("* **Built** it", ["Built it"]),
        ("> Built it", ["Built it"]),
        (
            "Led Dr. Smith's team, e.g. at Acme Inc. in 2020.",
            ["Led Dr. Smith's team, e.g. at Acme Inc. in 2020"],
        ),
        ("It is “fast”.", ["It is fast"]),
        ("IT IS  FAST!", ["it is fast"]),
        ("| a | b |\n|---|---|\n| c | d |", ["a | b", "c | d"]),
        ("Built it.\n\n---\n\n…", ["Built it."]),
        ("它很快。很小。", ["它很快", "很小"]),
        ("", []),
        ("👍", []),
    ],
)
def test_quotes_cover_the_answer(answer: str, quotes: list[str]) -> None:
    assert skipped(answer, quotes) == []


@pytest.mark.parametrize(
    ("answer", "quotes", "left"),
    [
        (
            "Built it and never cut costs.",
            ["Built it", "cut costs"],
            "Built it and never cut costs.",
        ),
        ("Built it alone in a week.", ["Built it"], "Built it alone in a week."),
        ("Cut costs by 30 %.", ["Cut costs"], "Cut costs by 30 %."),
        ("Built 3 of them.", ["Built", "of them"], "Built 3 of them."),
        ("Led 30 people.", ["Led", "3", "0 people"], "Led 30 people."),
        ("It was so.", ["Built"], "It was so."),
        ("## Skills\nBuilt it.", ["Built it."], "Skills"),
        ("Built it.", ["..."], "Built it."),
        ("Built it.", [""], "Built it."),
        ("Built it.", ["Build it."], "Built it."),
    ],
)
def test_what_no_quote_covers_is_named(answer: str, quotes: list[str], left: str) -> None:
    assert skipped(answer, quotes) == [left]


@pytest.mark.parametrize(
    ("answer", "ignore"),
    [
        ("Tailored bullet points:\n- Built it", ["Tailored bullet points:"]),
        ("Tailored bullet points:\n- Built it", ["tailored  bullet points"]),
        ("## Skills\nBuilt it", ["Skills"]),
        ("**Skills**\n\nBuilt it", ["## Skills"]),
        ("Built it\n\nThank you. Best regards", ["Thank you. Best regards"]),
        ("1. Built it\n2. None", ["None"]),
    ],
)
def test_an_ignored_line_makes_no_claim(answer: str, ignore: list[str]) -> None:
    assert skipped(answer, ["Built it"], ignore) == []
    assert skipped(answer, ["Built it"]) != []


def test_an_ignored_line_is_taken_whole() -> None:
    assert skipped("Skills in Go", [], ["Skills"]) == ["Skills in Go"]
    assert skipped("Skills", [], ["Skills in Go", "---"]) == ["Skills"]


def test_hostile_answers_end() -> None:
    # Each takes hours if a quote's every place is marked whole, or every piece is looked up anew.
    assert skipped("a " * 200_000, ["a " * 100_000]) == []
    assert skipped("ab " * 200_000, ["ab " * 50_000 + "a"]) != []
    assert skipped("*" * 500_000 + "a", ["a"]) == []
    assert skipped("Built it. " * 20_000, ["Built it"]) == []
    assert len(skipped("。\u3099 x" * 20_000, ["y"])) == 20_000


@given(st.text(), st.lists(st.text(max_size=10), max_size=4))
def test_never_raises_and_names_only_what_stands_in_the_answer(
    answer: str, quotes: list[str]
) -> None:
    assert all(piece in answer for piece in skipped(answer, quotes))


SENTENCES = st.lists(
    st.sampled_from(["Built it.", "Led 3 teams.", "Cut costs by 5 %."]), max_size=6
)


@given(SENTENCES)
def test_an_answer_quoted_sentence_by_sentence_is_covered(sentences: list[str]) -> None:
    assert skipped("\n- ".join(sentences), sentences) == []
    assert skipped(" ".join(sentences), sentences) == []
