"""Whether a judge's stated confidence means what it says.

A row is ``(confidence, right)``: what the judge stated, 0 to 1, and whether its verdict is the
label. Only decided cases have one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from voirdire.intervals import LEVEL, wilson
from voirdire.stats.bounds import one_sided_low
from voirdire.stats.extra import load

Row = tuple[float, bool]

BINS = 10
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 1.0)
"""What a threshold may be set to; few, as each look at the labels costs certainty."""


class Point(NamedTuple):
    """What a threshold would do.

    Attributes:
        threshold: verdicts stated with at least this confidence are taken.
        cases: how many those are.
        coverage: their share of all, 0 to 1.
        risk: the share of wrong ones among them, 0 to 1.
    """

    threshold: float
    cases: int
    coverage: float
    risk: float


class Bin(NamedTuple):
    """Cases of about the same stated confidence.

    Attributes:
        start: confidences from here,
        end: to here; the last bin holds its end too.
        cases: how many.
        stated: their mean stated confidence.
        right: the share of right verdicts.
        low: the lower bound of that share (Wilson, 95 %).
        high: its upper bound.
    """

    start: float
    end: float
    cases: int
    stated: float
    right: float
    low: float
    high: float


class Supported(NamedTuple):
    """A threshold that the labels support.

    Attributes:
        threshold: one of ``THRESHOLDS``.
        cases: labelled cases stated with at least this confidence.
        right: right verdicts among them.
        low: what the share of right ones is at least.
    """

    threshold: float
    cases: int
    right: int
    low: float


def risk_coverage(rows: Iterable[Row]) -> list[Point]:
    """The risk–coverage curve: a point for each stated confidence, highest first.

    The last point takes every case: its risk is that of the judge without a threshold.
    """
    cases: Counter[float] = Counter()
    wrong: Counter[float] = Counter()
    for confidence, right in rows:
        cases[confidence] += 1
        wrong[confidence] += not right
    of = sum(cases.values())
    points, taken, errors = [], 0, 0
    for threshold in sorted(cases, reverse=True):
        taken += cases[threshold]
        errors += wrong[threshold]
        points.append(Point(threshold, taken, taken / of, errors / taken))
    return points


def reliability(rows: Iterable[Row], bins: int = BINS) -> list[Bin]:
    """Stated confidence beside the share of right verdicts, in bins of equal width.

    Returns:
        The bins that hold a case, lowest first.
    """
    held: dict[int, list[Row]] = {}
    for confidence, right in rows:
        held.setdefault(min(int(confidence * bins), bins - 1), []).append((confidence, right))
    found = []
    for place in sorted(held):
        cases = len(held[place])
        stated = sum(confidence for confidence, _ in held[place]) / cases
        rights = sum(right for _, right in held[place])
        bounds = wilson(rights, cases)
        found.append(Bin(place / bins, (place + 1) / bins, cases, stated, rights / cases, *bounds))
    return found


def brier(rows: Sequence[Row]) -> float | None:
    """Brier's score of the claim "this verdict is right" (Monthly Weather Review 78, 1950).

    Returns:
        Mean squared distance, 0 (best) to 1; 0.25 for who always says one half. ``None``
        without rows.

    Raises:
        ConfigError: scikit-learn is not installed.
    """
    if not rows:
        return None
    stated, right = zip(*rows, strict=True)
    return float(load("sklearn.metrics").brier_score_loss(right, stated, pos_label=True))


def supported_threshold(
    rows: Sequence[Row], target: float = 0.9, level: float = LEVEL
) -> Supported | None:
    """The lowest threshold above which verdicts are shown to be right often enough.

    The rule: for each of ``THRESHOLDS``, the exact one-sided lower bound of the share of right
    verdicts among those stated with at least that confidence must reach the target. As several
    are looked at, each must do so at a level as much stricter (Bonferroni). Of thresholds that
    take the same cases only the highest is looked at, as no label speaks for the others; those
    that take too few cases to reach the target even if all were right are not looked at.

    Args:
        rows: the labelled, decided cases.
        target: share of right verdicts to be shown, 0 to 1, both ends left out.
        level: how sure of the answer, whichever threshold it is; 0 to 1, both ends left out.

    Returns:
        ``None`` where the labels support no threshold.

    Raises:
        ConfigError: scipy is not installed.
    """
    looks: dict[int, tuple[float, int]] = {}
    for threshold in THRESHOLDS:
        taken = [right for confidence, right in rows if confidence >= threshold]
        if target ** len(taken) <= 1 - level:
            looks[len(taken)] = threshold, sum(taken)
    strict = 1 - (1 - level) / max(1, len(looks))
    for cases, (threshold, right) in sorted(looks.items(), reverse=True):
        low = one_sided_low(right, cases, strict)
        if low >= target:
            return Supported(threshold, cases, right, low)
    return None
