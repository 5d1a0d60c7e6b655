"""Tests of whether a difference could be chance."""

from __future__ import annotations

from voirdire.stats.extra import load


def mcnemar(one: int, other: int) -> float:
    """McNemar's exact test of two judges on the same labels (McNemar, Psychometrika 12, 1947).

    Args:
        one: cases that only the first judge got right.
        other: cases that only the second did.

    Returns:
        The two-sided p-value, 0 to 1; 1 where the judges are right in the same cases.

    Raises:
        ConfigError: statsmodels is not installed.
        ValueError: a count is negative.
    """
    _counts(one, other)
    if not one + other:
        return 1.0
    tables = load("statsmodels.stats.contingency_tables")
    return float(tables.mcnemar([[0, one], [other, 0]], exact=True).pvalue)


def fisher(first: tuple[int, int], second: tuple[int, int]) -> float:
    """Fisher's exact test: whether something goes with a group.

    Args:
        first: how many of the first group it befell, and how many not.
        second: the same of the second group.

    Returns:
        The two-sided p-value, 0 to 1; 1 where a group is empty.

    Raises:
        ConfigError: scipy is not installed.
        ValueError: a count is negative.
    """
    _counts(*first, *second)
    if not sum(first) or not sum(second):
        return 1.0
    return float(load("scipy.stats").fisher_exact([first, second])[1])


def _counts(*counts: int) -> None:
    if min(counts) < 0:
        raise ValueError(f"no counts: {counts}")
