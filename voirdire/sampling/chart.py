"""Control limits of a share that is followed over periods (a p-chart).

With the share ``p`` of the ``N`` cases of the earlier periods, the limits of a period of ``n``
cases are ``p ± 3 √(p (1 − p) (1/n + 1/N))``: Shewhart's three-sigma limits for a fraction
(NIST/SEMATECH e-Handbook of Statistical Methods, 6.3.3.2), the ``1/N`` added since ``p`` is
itself measured. Where a normal curve is no likeness of the counts (fewer than 10 expected on either
side), the limits are the exact ones: given both counts together, that of the period is
hypergeometric if the share is the same (Fisher's exact test; as limits for the next binomial
count, A. R. Thatcher, J. R. Statist. Soc. B 26, 1964), at the same tail of 0.00135 a side.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from voirdire.stats.extra import load

SIGMAS = 3.0
TAIL = 0.00134989803163
"""What a normal curve leaves beyond three sigmas, on one side."""
LEAST_BASELINE = 5
"""Earlier periods that there must be before a limit is set."""
SETTLED_BASELINE = 20
"""Earlier periods below which the limits are trial limits."""


class Limits(NamedTuple):
    """What the earlier periods let expect of one.

    Attributes:
        low, high: the least and the largest share that is still expected, 0 to 1.
        centre: the share of the earlier periods.
        method: ``p-chart`` or ``exact``.
        baseline: how many earlier periods they come from.
    """

    low: float
    high: float
    centre: float
    method: str
    baseline: int


class Point(NamedTuple):
    """One period of a chart.

    Attributes:
        limits: ``None`` where there are too few earlier periods, or no case.
        side: ``over`` its upper limit, ``under`` its lower one, or empty.
    """

    limits: Limits | None
    side: str


def chart(counts: Sequence[tuple[int, int]]) -> list[Point]:
    """Hold each period against those before it.

    Args:
        counts: of each period in order, how many cases were so and out of how many.

    Returns:
        A point for each; one outside its limits is in no later baseline.

    Raises:
        ConfigError: scipy is needed and not installed.
    """
    points: list[Point] = []
    base_count = base_of = periods = 0
    for count, of in counts:
        limits = None
        side = ""
        if of and base_of and periods >= LEAST_BASELINE:
            limits = _limits(of, base_count, base_of, periods)
            share = count / of
            side = "over" if share > limits.high else "under" if share < limits.low else ""
        points.append(Point(limits, side))
        if of and not side:
            base_count, base_of, periods = base_count + count, base_of + of, periods + 1
    return points


def _limits(of: int, base_count: int, base_of: int, periods: int) -> Limits:
    centre = base_count / base_of
    fewest = min(of, base_of)
    if fewest * min(centre, 1 - centre) >= 10:
        spread = SIGMAS * math.sqrt(centre * (1 - centre) * (1 / of + 1 / base_of))
        low, high = max(0.0, centre - spread), min(1.0, centre + spread)
        return Limits(low, high, centre, "p-chart", periods)
    law = load("scipy.stats").hypergeom

    def too_many(count: int) -> bool:
        tail = law.sf(count - 1, base_of + of, base_count + count, of)
        return bool(tail < TAIL)

    def too_few(count: int) -> bool:
        return bool(law.cdf(count, base_of + of, base_count + count, of) < TAIL)

    high = _first(too_many, of + 1) - 1
    low = _first(lambda count: not too_few(count), of)
    return Limits(low / of, high / of, centre, "exact", periods)


def _first(holds: Callable[[int], bool], end: int) -> int:
    """The least count, 0 to ``end``, from which it holds; ``end`` where it does for none."""
    start = 0
    while start < end:
        middle = (start + end) // 2
        if holds(middle):
            end = middle
        else:
            start = middle + 1
    return start
