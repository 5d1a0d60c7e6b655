"""Shrinking a text to what matters."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.audit.shrink import shrink


class Property:
    """A property of texts that counts how often and how it was asked."""

    def __init__(self, holds: Callable[[str], bool]) -> None:
        self.holds = holds
        self.batches: list[list[str]] = []

    def __call__(self, texts: list[str]) -> list[bool]:
        self.batches.append(texts)
        return [self.holds(text) for text in texts]

    @property
    def asked(self) -> int:
        return sum(map(len, self.batches))


def test_only_the_characters_that_matter_stay() -> None:
    text = 'Here is my answer:\n```json\n{"pass": true, "score": 1,}\n```\nBye.'
    assert shrink(text, Property(lambda t: ",}" in t)) == ",}"


def test_characters_far_apart_are_kept_together() -> None:
    text = "x" * 700 + "{" + "y" * 900 + "}" + "z" * 800
    assert shrink(text, Property(lambda t: "{" in t and "}" in t[t.index("{") :])) == "{}"


def test_a_property_of_every_text_leaves_none() -> None:
    assert shrink("anything", Property(lambda _: True)) == ""


def test_the_empty_text_is_small_already() -> None:
    asked = Property(lambda _: True)
    assert (shrink("", asked), asked.asked) == ("", 0)


def test_a_text_of_which_all_matters_is_given_back() -> None:
    assert shrink("abc def", Property(lambda t: t == "abc def")) == "abc def"


def test_a_long_text_shrinks_within_the_budget() -> None:
    text = "so it goes, " * 4_000 + '{"a": 1}' + "and so on " * 5_000 + '{"a": 2}' + "." * 2_000
    asked = Property(lambda t: t.count('{"a"') == 2)
    assert shrink(text, asked) == '{"a"{"a"'
    assert asked.asked <= 1_000


def test_the_budget_is_never_passed() -> None:
    for budget in (0, 1, 7, 100):
        asked = Property(lambda t: t.count("ab") > 40)
        shrink("ab" * 3_000, asked, budget)
        assert asked.asked <= budget


def test_no_budget_means_the_text_as_it_was() -> None:
    assert shrink("abc", Property(lambda _: True), 0) == "abc"


def test_batches_of_a_long_text_stay_small() -> None:
    asked = Property(lambda t: len(t) == 200_000)
    shrink("ab" * 100_000, asked, 500)
    assert max(sum(map(len, batch)) for batch in asked.batches) <= 4_000_000


def test_the_halves_of_a_pair_of_surrogates_go_together() -> None:
    def is_plain(text: str) -> bool:
        try:
            return "x" in text and bool(json.dumps(json.loads(f'"{text}"')).encode())
        finally:
            seen.append(text)

    seen: list[str] = []
    pair = "\\ud83d\\ude00"
    assert shrink(f"a{pair}x{pair}b", Property(is_plain)) == "x"
    assert all(
        text.count("\\ud83d") == text.count("\\ude00") == text.count("\\") / 2 for text in seen
    )
    raw = Property(lambda t: "x" in t)
    assert shrink("\ud83d\ude00x\ud83d\ude00", raw) == "x"
    assert all(t.count("\ud83d") == t.count("\ude00") for batch in raw.batches for t in batch)


def test_words_of_which_any_letter_would_do_become_one_letter() -> None:
    def has_two_words(text: str) -> bool:
        words = text.split(":")
        return len(words) == 2 and all(len(word) in (1, 9) and word.isalnum() for word in words)

    assert shrink("criterion:123456789", Property(has_two_words)) == "a:1"


@given(st.text(alphabet='{}",:a1\n', max_size=60), st.integers(0, 5))
def test_the_result_holds_and_no_single_character_can_go(text: str, least: int) -> None:
    def holds(candidate: str) -> bool:
        return candidate.count("{") - candidate.count("}") >= least or candidate.count('"') > 3

    if holds(text):
        result = shrink(text, Property(holds))
        assert holds(result)
        assert len(result) <= len(text)
        assert not any(holds(result[:i] + result[i + 1 :]) for i in range(len(result)))


@given(st.text(max_size=80), st.randoms(use_true_random=False), st.integers(0, 200))
def test_the_result_holds_whatever_the_property_and_the_budget(
    text: str, draw: Random, budget: int
) -> None:
    agreed = {text}

    def holds(candidate: str) -> bool:
        if candidate not in agreed and draw.random() < 0.3:
            agreed.add(candidate)
        return candidate in agreed

    assert shrink(text, Property(holds), budget) in agreed


@pytest.mark.parametrize("text", ["ab{c}" * 40, 'x {"a": 1,} ' * 30])
def test_the_same_text_shrinks_the_same_way(text: str) -> None:
    def run() -> tuple[str, list[list[str]]]:
        asked = Property(lambda t: t.count("{") >= 3)
        return shrink(text, asked), asked.batches

    assert run() == run()
