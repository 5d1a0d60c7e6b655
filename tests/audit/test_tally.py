"""Counts that add up in any order, and which way the gap runs."""

from __future__ import annotations

import json
import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.audit.both import Both, Call
from voirdire.audit.corpus.item import Block, Damage, Form
from voirdire.audit.outcome import OUTCOMES, direction, outcomes
from voirdire.audit.parsers.builtin import BUILTINS
from voirdire.audit.parsers.endings import (
    DIED,
    INVALID,
    MEMORY,
    NOTHING,
    RAISED,
    TIMEOUT,
    VALUE,
)
from voirdire.audit.schema import validity
from voirdire.audit.tally import DAMAGES_NAMED, Base, Example, Tally

ENDINGS = (VALUE, NOTHING, RAISED, INVALID, TIMEOUT, MEMORY, DIED)
TEXTS = [
    "{}",
    'draft {"v": "SKIP"} final: {"v": "APPLY"}',
    'thinking of {name}\n{"a": 1}',
    '{"a": 1} and so on',
    "no JSON at all",
    '```json\n{"a": [1, 2]}\n```',
]


def swapped(name: str) -> str:
    """An outcome as it is called with the parsers swapped."""
    for side, other in (("eval", "production"), ("production", "eval")):
        if name.startswith(side):
            return other + name.removeprefix(side)
    return name


@pytest.mark.parametrize(("first", "second"), list(product(ENDINGS, ENDINGS)))
def test_every_pair_of_endings_has_outcomes_and_swapping_swaps_them(
    first: str, second: str
) -> None:
    for equal in (True, False):
        found = outcomes((first, second), equal)
        assert found
        assert set(found) <= set(OUTCOMES)
        assert {swapped(name) for name in outcomes((second, first), equal)} == set(found)


def test_a_text_that_breaks_both_parsers_counts_for_both() -> None:
    assert outcomes((DIED, TIMEOUT), False) == ("eval_crash", "production_timeout")
    assert outcomes((MEMORY, VALUE), False) == ("eval_crash",)


@pytest.mark.parametrize(
    ("different", "alone", "expected"),
    [
        (0, (0, 0), "equal"),
        (0, (3, 0), "eval_more_permissive"),
        (0, (0, 3), "eval_stricter"),
        (0, (1, 1), "mixed"),
        (1, (0, 0), "divergent"),
        (1, (5, 0), "divergent"),
    ],
)
def test_the_direction(different: int, alone: tuple[int, int], expected: str) -> None:
    assert direction({"different": different}, alone) == expected


def block(texts: list[str], first: int = 1) -> Block:
    """A block with these texts."""
    data = "".join(json.dumps({"text": text}) + "\n" for text in texts)
    return Block(0, "c.jsonl", first, data.encode(), Form())


def both(first: str = "backward", second: str = "forward") -> Both:
    """Two built-in parsers."""
    return Both((BUILTINS[first], BUILTINS[second]), None, [0, 0])


@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=30), st.randoms())
def test_the_tally_of_the_pieces_in_any_order_is_the_tally_of_the_whole(
    texts: list[str], shuffler: random.Random
) -> None:
    whole = both().tally(block(texts), 0, 1 << 30, {}, sample_size=2)
    cut = shuffler.randint(0, len(texts))
    pieces = [
        both().tally(block(texts[:cut]), 0, 1 << 30, {}, sample_size=2),
        both().tally(block(texts[cut:], cut + 1), 0, 1 << 30, {}, sample_size=2),
    ]
    shuffler.shuffle(pieces)
    total = Tally(sample_size=2)
    for piece in pieces:
        total.merge(Tally.from_json(json.loads(json.dumps(piece.to_json()))))
    total.settle()
    assert total == whole


@given(st.lists(st.sampled_from(TEXTS) | st.text(), min_size=1, max_size=20))
def test_swapping_the_parsers_swaps_the_columns(texts: list[str]) -> None:
    one = both("backward", "forward").tally(block(texts), 0, 1 << 30, {})
    other = both("forward", "backward").tally(block(texts), 0, 1 << 30, {})
    assert {swapped(name): count for name, count in one.all.by_outcome().items()} == (
        other.all.by_outcome()
    )
    assert one.endings == tuple(reversed(other.endings))


@given(
    st.sampled_from(["strict", "backward", "forward", "first-brace-to-last", "fenced"]),
    st.lists(st.sampled_from(TEXTS) | st.text(alphabet='{}[]"a1:,N \n`'), min_size=1, max_size=20),
)
def test_a_parser_against_itself_has_no_difference(name: str, texts: list[str]) -> None:
    counts = both(name, name).tally(block(texts), 0, 1 << 30, {}).all.by_outcome()
    assert counts["same"] + counts["neither"] == len(texts)


def test_the_shortest_differing_text_is_always_kept() -> None:
    tally = Tally()
    for number, text in enumerate(["ccc", "bb", "aa", "dddd"]):
        tally.differ("different", text, 0, number, f"c:{number}")
    assert tally.shortest["different"] == Example(2, "aa", 0, 2, "c:2")


def test_the_sample_of_differing_texts_is_the_same_however_it_came_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voirdire.audit.differing.MOST", 20)
    monkeypatch.setattr("voirdire.audit.differing.MOST_CHARACTERS", 400)
    texts = [str(number) * (1 + number % 40) for number in range(300)]

    def sampled(order: list[int], pieces: int) -> Tally:
        total = Tally()
        for start in range(pieces):
            piece = Tally(cut=dict(total.cut))
            for number in order[start::pieces]:
                piece.differ("different", texts[number], 0, number, f"c:{number}")
            piece.settle()
            total.merge(Tally.from_json(json.loads(json.dumps(piece.to_json()))))
        total.settle()
        return total

    order = list(range(300))
    whole = sampled(order, 1)
    assert 1 < len(whole.differing["different"]) <= 20
    for seed in range(20):
        random.Random(seed).shuffle(order)
        assert sampled(order, 1 + seed) == whole


def test_the_sample_keeps_the_smallest_keys_and_no_value_twice() -> None:
    tally = Tally(sample_size=2)
    for key in "dbcab":
        tally.base(Base(key, key))
    assert sorted(tally.sample) == ["a", "b"]


def test_all_damages_are_counted_and_the_first_named_in_the_order_of_the_corpus() -> None:
    tally = Tally()
    numbers = list(range(100))
    random.Random(1).shuffle(numbers)
    for number in numbers:
        tally.damage(0, number, Damage(f"c:{number}", "why"))
    assert tally.damaged == 100
    assert [damage.where for damage in tally.named_damages()] == [
        f"c:{number}" for number in range(DAMAGES_NAMED)
    ]


def test_what_a_parser_gives_that_is_no_json_is_a_refusal() -> None:
    def odd(text: str) -> object:
        return {1, 2}

    tally = Both((odd, odd), None, [0, 0]).tally(block(["x"]), 0, 9, {})
    assert tally.all.by_outcome()["neither"] == 1
    assert tally.endings[0] == {"raised NotJsonError": 1}


def test_a_value_that_the_schema_refuses_does_not_count_as_parsed() -> None:
    schema = {"type": "object", "required": ["v"]}
    parsers = (BUILTINS["forward"], BUILTINS["backward"])
    tally = Both(parsers, validity(schema), [0, 0]).tally(
        block(['{"v": 1}', '{"a": {"v": 1}}']), 0, 9, {}
    )
    # On the second, the scan from the end goes on to no inner object: its rest does not parse.
    assert tally.all.by_outcome()["same"] == 1
    assert tally.endings[0] == {"value": 1, "invalid": 1}


def test_intended_values_and_refusals_are_counted_for_each_parser() -> None:
    lines = [
        {"text": 'draft {"v": 1} final {"v": 2}', "intended": {"v": 2}, "kind": "two"},
        {"text": '{"v": 1.0} and so on', "intended": {"v": 1}, "kind": "prose"},
        {"text": "no", "refuse": True, "kind": "none"},
        {"text": '{"v": 1', "refuse": True, "kind": "none"},
        {"text": '{"v": null}', "kind": "unknown"},
    ]
    data = "\n".join(map(json.dumps, lines)).encode()
    tally = both().tally(Block(0, "c", 1, data, Form()), 0, 99, {})
    assert tally.all.intended == [2, 1, 1]
    assert tally.all.refuse == [2, 2, 2]
    assert tally.kinds["two"].intended == [1, 1, 0]
    assert tally.kinds["prose"].intended == [1, 0, 1]


def test_an_error_keeps_its_name() -> None:
    def fussy(text: str) -> object:
        raise LookupError(text)

    assert Both((fussy, fussy), None, [0, 0]).call(0, 0, "x") == Call(RAISED, error="LookupError")
