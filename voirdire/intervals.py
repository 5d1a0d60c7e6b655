"""Confidence intervals and tests, by scipy (the extra ``voirdire[stats]``)."""

from __future__ import annotations

from typing import Any

from voirdire.errors import ConfigError

LEVEL = 0.95
"""Confidence level of the intervals."""
MISSING = "intervals and tests need scipy, which is not installed: pip install 'voirdire[stats]'"


def available() -> bool:
    """Whether scipy is there."""
    import importlib.util

    return importlib.util.find_spec("scipy") is not None


def wilson(count: int, of: int, level: float = LEVEL) -> tuple[float, float]:
    """Wilson's score interval of a share.

    Args:
        count: how often it was so, 0 to ``of``.
        of: out of how many independent cases, at least 1.
        level: 0 to 1, both ends left out.

    Returns:
        The lower and the upper bound, 0 to 1.

    Raises:
        ConfigError: scipy is not installed.
        ValueError: a number is out of its range.
    """
    if not 0 <= count <= of or of < 1 or not 0 < level < 1:
        raise ValueError(f"no share: {count} of {of} at level {level}")
    found = _stats().binomtest(count, of).proportion_ci(level, method="wilson")
    # The bounds of 0 and of 1 are exact; rounding alone would put them beside.
    return (
        0.0 if count == 0 else max(0.0, float(found.low)),
        1.0 if count == of else min(1.0, float(found.high)),
    )


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
