"""Only a win that survives the swap counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.pairwise.swap import Said, settle

UNTAKEN = ("low_confidence", "evidence_not_found", "empty_answer")


@pytest.mark.parametrize(
    ("with_a_first", "with_b_first", "outcome", "kind"),
    [
        ("a", "a", "a", "win"),
        ("b", "b", "b", "win"),
        ("tie", "tie", "tie", "said tie"),
        ("a", "b", "tie", "order-sensitive"),
        ("b", "a", "tie", "order-sensitive"),
        ("a", "tie", "tie", "order-sensitive"),
        ("tie", "b", "tie", "order-sensitive"),
    ],
)
def test_what_two_readable_orders_come_to(
    with_a_first: str, with_b_first: str, outcome: str, kind: str
) -> None:
    settled = settle(Said("a", with_a_first), Said("b", with_b_first))
    assert (settled.outcome, settled.kind) == (outcome, kind)


@pytest.mark.parametrize("winner", ["a", "b", "tie", None])
def test_a_missing_reply_in_either_order_is_missing_and_never_agreement(
    winner: str | None,
) -> None:
    silent = Said("a", None, "silent", "it is empty")
    other = Said("b", winner) if winner else Said("b", None, "prose", "no JSON")
    settled = settle(silent, other)
    assert (settled.outcome, settled.kind) == ("judge_error", "silent")
    assert "with A first: it is empty" in settled.detail
    assert ("with B first: no JSON" in settled.detail) == (winner is None)


@pytest.mark.parametrize("kind", UNTAKEN)
@pytest.mark.parametrize("winner", ["a", "tie"])
def test_what_cannot_be_taken_decides_nothing(kind: str, winner: str) -> None:
    settled = settle(Said("a", winner), Said("b", winner, kind, "why"))
    assert (settled.outcome, settled.kind) == ("undecided", kind)
    assert settled.detail == "with B first: why"


WINNERS = st.sampled_from(["a", "b", "tie", None])


def said(first: str, winner: str | None, kind: str) -> Said:
    return Said(first, winner, "silent" if winner is None else kind)


@given(WINNERS, WINNERS, *[st.sampled_from(["taken", *UNTAKEN])] * 2)
def test_a_win_needs_both_orders_taken_and_naming_it(
    one: str | None, two: str | None, first_kind: str, second_kind: str
) -> None:
    settled = settle(said("a", one, first_kind), said("b", two, second_kind))
    both = one == two and one in ("a", "b") and first_kind == second_kind == "taken"
    assert (settled.outcome in ("a", "b")) == both
    assert (settled.outcome == "judge_error") == (one is None or two is None)


@given(WINNERS, WINNERS)
def test_renaming_the_answers_renames_the_outcome_and_no_more(
    one: str | None, two: str | None
) -> None:
    other = {"a": "b", "b": "a", "tie": "tie", None: None}
    settled = settle(said("a", one, "taken"), said("b", two, "taken"))
    renamed = settle(said("a", other[two], "taken"), said("b", other[one], "taken"))
    assert renamed.outcome == other.get(settled.outcome, settled.outcome)
    assert renamed.kind == settled.kind


@pytest.mark.parametrize(
    ("first", "winner", "slot"),
    [("a", "a", "first"), ("a", "b", "second"), ("b", "a", "second"), ("b", "b", "first")],
)
def test_the_place_of_a_winner_follows_the_order(first: str, winner: str, slot: str) -> None:
    assert Said(first, winner).slot == slot


def test_a_tie_and_a_missing_reply_have_no_place() -> None:
    assert Said("a", "tie").slot is None
    assert Said("a", None, "silent").slot is None
