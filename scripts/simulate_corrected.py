#!/usr/bin/env python3
"""Measure how often the interval of the corrected pass rate holds the true one.

A world is a judge, a true pass rate, and how many labels and test cases there are. Each run draws
both samples and corrects. A correction that is refused because the judge looks no better than
chance claims nothing, and is counted apart; any other refusal counts as a miss.

    python scripts/simulate_corrected.py --runs 10000 --seed 1
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from voirdire.stats.corrected import corrected
from voirdire.stats.extra import load
from voirdire.stats.table import Table

LABELS = ((20, 20), (50, 15), (15, 50), (100, 100), (300, 100))
JUDGES = (
    *((0.6, 0.6), (0.6, 0.98), (0.98, 0.6), (0.7, 0.95), (0.95, 0.7)),
    *((0.8, 0.8), (0.9, 0.9), (0.98, 0.98)),
)
RATES = (0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.98)
SIZES = (30, 100, 300, 1000)
REQUIRED = 0.93


class World(NamedTuple):
    """What is true.

    Attributes:
        fails: labelled fails.
        passes: labelled passes.
        caught: the judge's chance to fail what people fail.
        kept: its chance to pass what people pass.
        rate: the true pass rate.
        size: cases of the test set.
    """

    fails: int
    passes: int
    caught: float
    kept: float
    rate: float
    size: int


class Coverage(NamedTuple):
    """What came of a world's runs.

    Attributes:
        covered: share of the runs, without the refused ones, whose interval holds the rate.
        width: the mean width of the intervals.
        refused: share of runs in which the judge looked no better than chance.
    """

    covered: float
    width: float
    refused: float


def worlds() -> list[World]:
    """The grid."""
    return [
        World(*labels, *judge, rate, size)
        for labels, judge, rate, size in itertools.product(LABELS, JUDGES, RATES, SIZES)
    ]


def simulate(world: World, runs: int, seed: int) -> Coverage:
    """Draw and correct ``runs`` times."""
    random = load("numpy").random.default_rng(seed)
    caught = random.binomial(world.fails, world.caught, runs)
    kept = random.binomial(world.passes, world.kept, runs)
    passing = world.kept * world.rate + (1 - world.caught) * (1 - world.rate)
    passed = random.binomial(world.size, passing, runs)
    drawn = Counter(zip(caught.tolist(), kept.tolist(), passed.tolist(), strict=True))
    covered, width, refused = 0, 0.0, 0
    for (a, d, k), times in drawn.items():
        table = Table(a, world.fails - a, world.passes - d, d)
        if a * d <= table.missed * table.harsh:
            refused += times
            continue
        found = corrected(k, world.size, table)
        if found.low is not None and found.high is not None:
            covered += times * (found.low <= world.rate <= found.high)
            width += times * (found.high - found.low)
    made = max(1, runs - refused)
    return Coverage(covered / made, width / made, refused / runs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line for each kind of labels and judge; 1 where a world is covered too rarely."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--runs", type=int, default=10_000, help="runs for each world")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--all", action="store_true", help="a line for each world")
    given = options.parse_args(arguments)
    found = {world: simulate(world, given.runs, given.seed + i) for i, world in enumerate(worlds())}
    print(
        "labelled fails + passes, fails caught / passes kept: coverage mean (least), width, refused"
    )
    for labels, judge in itertools.product(LABELS, JUDGES):
        group = {w: c for w, c in found.items() if w[:2] == labels and w[2:4] == judge}
        print(_line(f"{labels[0]:>3} + {labels[1]:<3} {judge[0]:.2f} / {judge[1]:.2f}", group))
        if given.all:
            for world, one in group.items():
                print(_line(f"    rate {world.rate:.2f} of {world.size}", {world: one}))
    least = min(found, key=lambda world: found[world].covered)
    print(_line(f"all {len(found)} worlds", found))
    print(f"least covered: {least}: {found[least].covered:.4f}; required {REQUIRED}")
    return int(found[least].covered < REQUIRED)


def _line(name: str, group: dict[World, Coverage]) -> str:
    covered, width, refused = (
        sum(column) / len(group) for column in zip(*group.values(), strict=True)
    )
    least = min(one.covered for one in group.values())
    return f"{name:<24} {covered:.3f} ({least:.3f})  {width:.3f}  {refused:.3f}"


if __name__ == "__main__":
    sys.exit(main())
