"""Several judges on the same labels: which is the cheapest that is not shown to be worse?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from voirdire.calibration.labelled import Judged
from voirdire.calibration.report import DECIDED

LEVEL = 0.05
"""A p-value below it shows a difference."""


class Measured(NamedTuple):
    """A judge, its judged cases and its report."""

    spec: str
    judged: Sequence[Judged]
    report: Mapping[str, Any]


def compared(judges: Sequence[Measured]) -> dict[str, Any]:
    """Each judge beside the best, by McNemar's exact test.

    A case without a verdict is none that the judge got right: one that decides only the easy
    cases is no better for it. The best is the one of the highest balanced accuracy, taken so. A
    judge is shown to be worse where the cases that only the best got right are more than those
    that only it did, at p < 0.05.

    Args:
        judges: at least one, all over the same cases.

    Returns:
        ``judges`` with cost, latency and test, ``best``, and the ``cheapest`` not shown to be
        worse (null where no cost is known).
    """
    best = max(judges, key=lambda one: _right_share(one.judged))
    rows = [_row(one, best) for one in judges]
    fit = [
        row
        for row in rows
        if row["usd_per_200"] is not None and not row["shown_worse"] and row["decided"]
    ]
    cheapest = min(fit, key=lambda row: row["usd_per_200"])["judge"] if fit else None
    return {"judges": rows, "best": best.spec, "cheapest": cheapest}


def _row(one: Measured, best: Measured) -> dict[str, Any]:
    from voirdire.stats.tests import mcnemar

    report = one.report
    only_one, only_best, both = _discordant(one.judged, best.judged)
    p = None if one is best else mcnemar(only_one, only_best)
    return {
        "judge": one.spec,
        "fingerprint": report["fingerprint"],
        "n": report["cases"]["n"],
        "decided": report["cases"]["decided"],
        "agreement": report["agreement"]["value"],
        "kappa": report["kappa"]["value"],
        "balanced_accuracy": report["balanced_accuracy"]["value"],
        "fails_caught": {key: report["fails_caught"][key] for key in ("k", "n")},
        "passes_kept": {key: report["passes_kept"][key] for key in ("k", "n")},
        "usd_per_200": report["cost"]["usd_per_200"],
        "median_seconds": report["cost"]["median_seconds"],
        "against_best": None
        if one is best
        else {"only_this_right": only_one, "only_best_right": only_best, "both_decided": both},
        "p": p,
        "shown_worse": p is not None and p < LEVEL and only_one < only_best,
    }


def _right_share(judged: Sequence[Judged]) -> float:
    """The mean over the labels of the share of cases that got the right verdict."""
    shares = []
    for label in DECIDED:
        rights = [one.outcome.outcome == label for one in judged if one.labelled.label == label]
        if rights:
            shares.append(sum(rights) / len(rights))
    return sum(shares) / len(shares)


def _discordant(one: Sequence[Judged], other: Sequence[Judged]) -> tuple[int, int, int]:
    """Cases that only the first judges rightly, only the second, and that both decided."""
    first = second = both = 0
    for a, b in zip(one, other, strict=True):
        both += a.outcome.outcome in DECIDED and b.outcome.outcome in DECIDED
        label = a.labelled.label
        right = (a.outcome.outcome == label, b.outcome.outcome == label)
        first += right == (True, False)
        second += right == (False, True)
    return first, second, both
