"""Intervals: exact ones for shares, by resampling for everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from voirdire.intervals import LEVEL
from voirdire.stats.classes import Cross
from voirdire.stats.extra import load
from voirdire.stats.table import FRACTIONS, Table

DRAWS = 10_000
"""Resampled tables per interval."""

Fractions = Callable[[Any], tuple[Any, Any]]
"""Counts, one column a cell → numerators and denominators, one a row."""


class Interval(NamedTuple):
    """What the sampling of the cases leaves open about a measure.

    Attributes:
        low: the lower bound; ``None`` where the measure is undefined on the cases.
        high: the upper one.
        method: ``bca``; or ``jeffreys`` where resampling cannot tell, as all draws are the same
            (a judge without a single error); empty without bounds.
        undefined: draws on which the measure is undefined; they are left out.
        draws: how many there were.
    """

    low: float | None
    high: float | None
    method: str
    undefined: int
    draws: int


def clopper_pearson(count: int, of: int, level: float = LEVEL) -> tuple[float, float]:
    """Exact two-sided interval of a share (Clopper and Pearson, Biometrika 26, 1934).

    Args:
        count: how often it was so, 0 to ``of``.
        of: out of how many independent cases, at least 1.
        level: 0 to 1, both ends left out.

    Raises:
        ConfigError: scipy is not installed.
        ValueError: a number is out of its range.
    """
    return _exact(count, of, level, "two-sided")


def one_sided_low(count: int, of: int, level: float = LEVEL) -> float:
    """What the share is at least, at that level: the exact one-sided bound.

    Args and Raises: those of ``clopper_pearson``.
    """
    return _exact(count, of, level, "greater")[0]


def interval(
    table: Table, name: str, seed: int, level: float = LEVEL, draws: int = DRAWS
) -> Interval:
    """The interval of a measure of a judge's table, by bootstrap.

    Args:
        table: the counts.
        name: a key of ``voirdire.stats.table.FRACTIONS``.
        seed: the same seed gives the same interval.
        level: 0 to 1, both ends left out.
        draws: resampled tables.

    Raises:
        ConfigError: numpy or scipy is not installed.
    """

    def fractions(counts: Any) -> tuple[Any, Any]:
        return FRACTIONS[name](*counts.T)

    return resample(table, fractions, seed, level, draws)


def kappa_interval(counts: Cross, seed: int, level: float = LEVEL, draws: int = DRAWS) -> Interval:
    """The interval of Cohen's kappa over any number of classes; else as ``interval``."""
    np = load("numpy")
    cells = sorted(cell for cell, count in counts.items() if count)
    names = sorted({name for cell in cells for name in cell})
    ones, twos = (
        np.array([[cell[rater] == name for name in names] for cell in cells], float)
        for rater in (0, 1)
    )
    same = np.array([one == two for one, two in cells], float)

    def fractions(drawn: Any) -> tuple[Any, Any]:
        n = drawn.sum(axis=1)
        chance = ((drawn @ ones) * (drawn @ twos)).sum(axis=1)
        return n * (drawn @ same) - chance, n * n - chance

    if not cells:
        return Interval(None, None, "", 0, 0)
    return resample([counts[cell] for cell in cells], fractions, seed, level, draws)


def resample(
    cells: Sequence[int], fractions: Fractions, seed: int, level: float, draws: int
) -> Interval:
    """Bias-corrected and accelerated bootstrap (Efron, JASA 82, 1987) over counted cells.

    Drawing cases with replacement is drawing the counts of their cells from a multinomial
    distribution, so that neither time nor memory grows with the cases. Where all draws give the
    same value, a bootstrap would claim certainty; the bounds then come from Jeffreys' prior, one
    half of a case in each cell.
    """
    np = load("numpy")
    counts = np.array(cells, float)
    n = int(counts.sum())
    observed = _values(fractions, counts[None, :])
    if not n or np.isnan(observed[0]):
        return Interval(None, None, "", 0, 0)
    value = float(observed[0])
    random = np.random.default_rng(seed)
    drawn = _values(fractions, random.multinomial(n, counts / n, size=draws).astype(float))
    known = drawn[~np.isnan(drawn)]
    undefined = draws - len(known)
    varied = len(known) > 0 and np.ptp(known) > 1e-12
    ends = _bca_levels(known, value, counts, fractions, level) if varied else None
    method = "bca"
    if ends is None:
        method, ends = "jeffreys", ((1 - level) / 2, (1 + level) / 2)
        known = _values(fractions, random.dirichlet(counts + 0.5, size=draws))
    low, high = (float(end) for end in np.quantile(known, ends))
    return Interval(min(low, value), max(high, value), method, undefined, draws)


def _bca_levels(
    known: Any, value: float, counts: Any, fractions: Fractions, level: float
) -> tuple[float, float] | None:
    """Which quantiles of the draws are the bounds; ``None`` where they are not defined."""
    np, normal = load("numpy"), load("scipy.stats").norm
    # Rounding must not tear apart draws that are the same as what was observed.
    below = (known < value - 1e-12).mean()
    share = (below + (known <= value + 1e-12).mean()) / 2
    if not 0 < share < 1:
        return None
    shift = normal.ppf(share)
    # Leaving out any one case of a cell gives the same value: once per cell, weighted, is enough.
    filled = np.flatnonzero(counts)
    left = _values(fractions, counts - np.eye(len(counts))[filled])
    weights = counts[filled][~np.isnan(left)]
    left = left[~np.isnan(left)]
    if not len(left):
        return None
    off = np.average(left, weights=weights) - left
    spread = (weights * off**2).sum() ** 1.5
    bend = (weights * off**3).sum() / (6 * spread) if spread > 0 else 0.0
    ends = [shift + normal.ppf(end) for end in ((1 - level) / 2, (1 + level) / 2)]
    if any(bend * end >= 1 for end in ends):
        return None
    low, high = (float(normal.cdf(shift + end / (1 - bend * end))) for end in ends)
    return low, high


def _values(fractions: Fractions, counts: Any) -> Any:
    """The measure of each row of counts; NaN, in here alone, where it is undefined."""
    np = load("numpy")
    above, below = fractions(counts)
    return np.divide(above, below, out=np.full(len(counts), np.nan), where=below > 0)


def _exact(count: int, of: int, level: float, side: str) -> tuple[float, float]:
    if not 0 <= count <= of or of < 1 or not 0 < level < 1:
        raise ValueError(f"no share: {count} of {of} at level {level}")
    found = load("scipy.stats").binomtest(count, of, alternative=side)
    low, high = found.proportion_ci(confidence_level=level, method="exact")
    return float(low), float(high)
