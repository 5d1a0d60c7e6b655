"""The pass rate that people would have given, from a judge whose errors were measured.

The estimate is Rogan and Gladen's (American Journal of Epidemiology 107, 1978). Its interval
covers both samples: the labels that the judge was measured on, and the cases of the test set. The
true rate is a ratio of two uncertain numbers, so the bounds are Fieller's (JRSS B 16, 1954), which
grow to "anything" where the judge is hardly better than chance; the shares and their variances
are first moved towards the middle as Lang and Reiczigel do (Preventive Veterinary Medicine 113,
2014), without which a judge that made no error would count as one that can make none.
``scripts/simulate_corrected.py`` measures how often the interval holds the truth.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

from voirdire.intervals import LEVEL
from voirdire.stats.table import Table


class Corrected(NamedTuple):
    """A pass rate without the judge's errors, or why there is none.

    Attributes:
        value: 0 to 1; ``None`` where refused.
        low: the lower bound.
        high: the upper bound.
        refused: the reason, one sentence; empty where there is a value.
    """

    value: float | None
    low: float | None
    high: float | None
    refused: str = ""


def corrected(passed: int, of: int, labels: Table, level: float = LEVEL) -> Corrected:
    """Correct an observed pass rate for the judge's errors.

    Args:
        passed: cases of the test set that the judge passed.
        of: cases of the test set that it decided.
        labels: the judge against people, on other cases of the same kind.
        level: of the interval; 0 to 1, both ends left out.

    Raises:
        ValueError: a number is out of its range.
    """
    if not 0 <= passed <= of or min(labels) < 0 or not 0 < level < 1:
        raise ValueError(f"no share: {passed} of {of} by {tuple(labels)} at level {level}")
    reason = _refusal(of, labels)
    if reason:
        return Corrected(None, None, None, reason)
    caught, kept = labels.caught / labels.fails, labels.kept / labels.passes
    # Of passes: observed = kept * true + (1 - caught) * (1 - true).
    estimate = (passed / of + caught - 1) / (caught + kept - 1)
    bounds = _fieller(passed, of, labels, NormalDist().inv_cdf((1 + level) / 2))
    if bounds is None:
        return Corrected(None, None, None, _impossible(passed, of, labels))
    value = min(max(estimate, 0.0), 1.0)
    return Corrected(value, min(bounds[0], value), max(bounds[1], value))


def _refusal(of: int, labels: Table) -> str:
    if not of:
        return "The judge decided no case of the test set."
    if not labels.fails or not labels.passes:
        kind = "failed" if not labels.fails else "passed"
        return f"Among the judge's labels there is no case that people {kind}."
    if labels.caught * labels.kept <= labels.missed * labels.harsh:
        total = labels.caught / labels.fails + labels.kept / labels.passes
        return (
            f"On its labels the judge is no better than chance (fails caught + passes kept = "
            f"{total:.2f}, which must be above 1)."
        )
    return ""


def _impossible(passed: int, of: int, labels: Table) -> str:
    return (
        f"With the errors measured on its labels ({labels.caught} of {labels.fails} fails caught, "
        f"{labels.kept} of {labels.passes} passes kept) the judge would hardly pass {passed} of "
        f"{of} at any true rate: the labels are not of the kind of this test set."
    )


def _fieller(passed: int, of: int, labels: Table, z: float) -> tuple[float, float] | None:
    """The true rates that both samples allow, within 0 to 1; ``None`` where they allow none.

    A rate t is allowed where |observed - expected at t| is within z standard deviations: where
    square * t² + 2 * linear * t + constant <= 0.
    """
    caught, caught_variance = _moved(labels.caught, labels.fails, 1)
    kept, kept_variance = _moved(labels.kept, labels.passes, 1)
    observed, observed_variance = _moved(passed, of, z * z / 2)
    slope, rise = caught + kept - 1, observed + caught - 1
    square = slope**2 - z * z * (caught_variance + kept_variance)
    linear = z * z * caught_variance - rise * slope
    constant = rise**2 - z * z * (observed_variance + caught_variance)
    inner = linear**2 - square * constant
    if square > 0:
        # inner is never negative here: rise / slope itself is allowed.
        root = math.sqrt(max(inner, 0.0))
        low, high = (-linear - root) / square, (-linear + root) / square
        return (max(low, 0.0), min(high, 1.0)) if low <= 1 and high >= 0 else None
    if inner < 0 or square == 0:
        return 0.0, 1.0
    # The judge is not shown to be better than chance: all is allowed but what lies between.
    root = math.sqrt(inner)
    start, end = (-linear + root) / square, (-linear - root) / square
    if start < 0 and end > 1:
        return None
    return (max(end, 0.0) if start < 0 else 0.0), (min(start, 1.0) if end > 1 else 1.0)


def _moved(count: int, of: int, extra: float) -> tuple[float, float]:
    """A share and its variance with ``extra`` cases more of either kind."""
    share = (count + extra) / (of + 2 * extra)
    return share, share * (1 - share) / (of + 2 * extra)
