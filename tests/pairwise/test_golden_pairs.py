"""The golden pairs come out as their file says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.journal import Journal
from voirdire.judges.spec import make_judge
from voirdire.pairwise.compare import Comparison, Pair, compare
from voirdire.pairwise.tally import Compared, Share, tally
from voirdire.rubric import load_rubric
from voirdire.source import load_sources

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
FOLDER = GOLDEN / "pairwise"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text("utf-8").splitlines()]


PAIRS = lines("pairs.jsonl")
by_pair = pytest.mark.parametrize("golden", PAIRS, ids=[str(one["id"]) for one in PAIRS])


def compared(golden: dict[str, Any], journal: Journal) -> Comparison:
    pair = Pair(
        golden["a"],
        golden["b"],
        golden["question"],
        tuple(load_sources(GOLDEN / "kitebase/excerpts.json")),
        golden["id"],
        golden["label"],
    )
    judge = make_judge(f"replay:{FOLDER / 'replies.jsonl'}")
    return compare(pair, load_rubric(FOLDER / "rubric.yaml"), judge, journal)


@by_pair
def test_every_pair_comes_out_as_expected(golden: dict[str, Any], journal: Journal) -> None:
    settled = compared(golden, journal).settled
    assert {"outcome": settled.outcome, "kind": settled.kind} == golden["expect"]


def test_every_kind_of_outcome_is_among_them() -> None:
    kinds = {one["expect"]["kind"] for one in PAIRS}
    assert {"win", "said tie", "order-sensitive", "low_confidence", "silent", "prose"} <= kinds


def test_each_pair_has_a_reply_in_each_order_and_none_is_said_to_be_a_models() -> None:
    replies = lines("replies.jsonl")
    wanted = [f"{one['id']}:{first}-first" for one in PAIRS for first in "ab"]
    assert [reply["id"] for reply in replies] == wanted
    assert all("written by hand" in reply["origin"] for reply in replies)


def test_the_figures_of_the_file(journal: Journal) -> None:
    rows = []
    for golden in PAIRS:
        one, two = compared(golden, journal).orders
        rows.append(Compared(one.said, two.said, golden["label"]))
    found = tally(rows)
    assert (found.wins_a, found.wins_b) == (Share(3, 10), Share(3, 10))
    assert (found.consistent, found.first_slot) == (Share(9, 12), Share(13, 21))
    assert found.swapped is not None
    assert found.swapped.right == Share(7, 10)
