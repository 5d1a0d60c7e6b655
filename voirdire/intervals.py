"""Confidence intervals and tests; the latter by scipy (the extra ``voirdire[stats]``)."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

from voirdire.errors import ConfigError

LEVEL = 0.95
"""Confidence level of the intervals."""
MISSING = "the sign test needs scipy, which is not installed: pip install 'voirdire[stats]'"


def available() -> bool:
    """Whether scipy is there."""
    import importlib.util

    return importlib.util.find_spec("scipy") is not None


def wilson(count: int, of: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's score interval of a share (E. B. Wilson, JASA 22, 1927).

    Args:
        count: how often it was so, 0 to ``of``.
        of: out of how many independent cases, at least 1.
        level: 0 to 1, both ends left out.

    Returns:
        The lower and the upper bound, 0 to 1.

    Raises:
        ValueError: a number is out of its range.
    """
    if not 0 <= count <= of or of < 1 or not 0 < level < 1:
        raise ValueError(f"no share: {count} of {of} at level {level}")
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = count / of
    centre = share + z * z / (2 * of)
    spread = z * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    low, high = ((centre + sign * spread) / (1 + z * z / of) for sign in (-1, 1))
    # Rounding alone could put a bound beside 0, 1 or the share itself.
    return (
        0.0 if count == 0 else min(max(0.0, low), share),
        1.0 if count == of else max(min(1.0, high), share),
    )


def rule_of_three(of: int) -> float:
    """Upper 95 % bound of a rate of which no case was found (Hanley, Lippman-Hand, JAMA 1983).

    Args:
        of: how many independent cases were looked at, at least 1.

    Returns:
        3 / ``of``, at most 1: "0 of 265" is "at most 1.1 %".
    """
    return min(1.0, 3 / of)


def sign_test(wins: int, losses: int) -> float:
    """Two-sided exact sign test: how often chance alone would be at least as uneven.

    Args:
        wins: cases that one side won.
        losses: cases that it lost; ties are in neither.

    Returns:
        The p-value, 0 to 1; 1 where there are no cases.

    Raises:
        ConfigError: scipy is not installed.
        ValueError: a count is negative.
    """
    if wins < 0 or losses < 0:
        raise ValueError(f"no counts: {wins} and {losses}")
    if wins + losses == 0:
        return 1.0
    return float(_stats().binomtest(wins, wins + losses, 0.5).pvalue)


def _stats() -> Any:
    try:
        from scipy import stats  # slow to load, and an extra: only where it is used
    except ImportError:
        raise ConfigError(MISSING) from None
    return stats
