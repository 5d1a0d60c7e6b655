"""Figures over many pairs: what is missing is in none of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire import intervals
from voirdire.pairwise.report import tally_record, tally_text
from voirdire.pairwise.swap import Said
from voirdire.pairwise.tally import Compared, Share, tally


def one(with_a_first: str | None, with_b_first: str | None, label: str | None = None) -> Compared:
    """A pair by its two winners; ``None`` is silent, a ``?`` makes it low in confidence."""
    return Compared(said("a", with_a_first), said("b", with_b_first), label)


def said(first: str, winner: str | None) -> Said:
    if winner is None:
        return Said(first, None, "silent", "empty")
    doubt = winner.endswith("?")
    return Said(first, winner.rstrip("?"), "low_confidence" if doubt else "taken")


FILE = [
    one("a", "a", "a"),
    one("a", "a", "b"),
    one("b", "b", "b"),
    one("tie", "tie", "tie"),
    one("a", "b", "a"),  # the first place, twice
    one("b", "a", "a"),  # the second place, twice
    one("tie", "b", "b"),
    one("a", "a?", "a"),
    one(None, "a", "a"),
    one(None, None, "b"),
]


def test_every_pair_is_counted_once() -> None:
    found = tally(FILE)
    assert found.pairs == 10
    assert (found.wins_a, found.wins_b) == (Share(2, 7), Share(1, 7))
    assert found.ties == {"order-sensitive": 3, "said tie": 1}
    assert found.undecided == {"low_confidence": 1}
    assert found.missing == {"silent": 2}


def test_consistency_is_over_pairs_that_are_readable_in_both_orders() -> None:
    assert tally(FILE).consistent == Share(5, 8)


def test_places_are_counted_over_the_same_pairs() -> None:
    found = tally(FILE)
    assert found.first_slot == Share(7, 13)
    assert (found.first_twice, found.second_twice) == (Share(1, 8), Share(1, 8))


def test_choices_are_held_against_labels_in_each_order_and_after_the_swap() -> None:
    found = tally(FILE)
    held = [found.a_first, found.b_first, found.swapped]
    assert [against and (against.right, against.missing) for against in held] == [
        (Share(5, 8), 2),
        (Share(7, 9), 1),
        (Share(3, 7), 3),
    ]


def test_without_labels_there_is_nothing_to_be_right_about() -> None:
    found = tally([one("a", "a"), one("b", "b")])
    assert found.a_first is found.b_first is found.swapped is None
    assert "right" not in tally_text(found)
    assert tally_record(found)["labels"] is None


def test_an_empty_file_has_no_rates() -> None:
    found = tally([])
    assert found.consistent.rate is None
    assert tally_record(found)["consistent"]["interval"] is None
    assert tally_text(found).startswith("0 pairs")


WINNERS = st.sampled_from(["a", "b", "tie", "a?", "tie?", None])
PAIRS = st.lists(st.builds(one, WINNERS, WINNERS, st.sampled_from(["a", "b", "tie", None])))


@given(PAIRS)
def test_the_parts_add_up_to_the_whole(pairs: list[Compared]) -> None:
    found = tally(pairs)
    parts = (found.ties, found.undecided, found.missing)
    counts = found.wins_a.count + found.wins_b.count + sum(sum(part.values()) for part in parts)
    assert counts == found.pairs == len(pairs)
    assert found.consistent.count + found.first_twice.count <= found.consistent.of
    labelled = sum(pair.label is not None for pair in pairs)
    for against in (found.a_first, found.b_first, found.swapped):
        assert (against is None) == (labelled == 0)
        assert against is None or against.right.of + against.missing == labelled


@given(PAIRS, st.sampled_from(["a", "b", "tie"]))
def test_a_missing_reply_never_raises_agreement(pairs: list[Compared], winner: str) -> None:
    before, after = tally(pairs), tally([*pairs, one(None, None), one(winner, None)])
    assert after.consistent == before.consistent
    assert after.first_slot == before.first_slot
    assert (after.wins_a, after.wins_b, after.ties) == (before.wins_a, before.wins_b, before.ties)


def test_without_scipy_all_but_the_sign_test_is_there_and_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_scipy = tally_record(tally(FILE))
    assert with_scipy["sign_test_p"] == 1
    assert with_scipy["consistent"]["interval"] is not None
    monkeypatch.setattr(intervals, "available", lambda: False)
    text, record = tally_text(tally(FILE)), tally_record(tally(FILE))
    assert text.count("pip install 'voirdire[stats]'") == 1
    assert "same in both orders         5 of 8" in text
    assert record["consistent"] == with_scipy["consistent"]
    assert record["sign_test_p"] is None
    assert "scipy" in record["note"]
