"""Agreement of two raters over any number of classes, such as preferences with ties.

Works on how often each pair of choices came, so that memory does not grow with the cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

Cross = Mapping[tuple[str, str], int]
"""(first rater's class, second rater's class) → how often; what is not there never came."""

# Landis and Koch 1977, "The measurement of observer agreement for categorical data".
STRENGTHS = (
    (0.0, "slight"),
    (0.2, "fair"),
    (0.4, "moderate"),
    (0.6, "substantial"),
    (0.8, "almost perfect"),
)


def cross(pairs: Iterable[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """Count what two raters chose, case by case. Leave out cases that either did not decide."""
    return Counter(pairs)


def agreement(counts: Cross) -> float | None:
    """Share of cases in which both chose the same, 0 to 1; ``None`` without cases."""
    n = sum(counts.values())
    return sum(count for (one, two), count in counts.items() if one == two) / n if n else None


def kappa(counts: Cross) -> float | None:
    """Cohen's kappa, unweighted (Cohen 1960).

    Returns:
        -1 to 1; ``None`` without cases, or where chance alone gives full agreement.
    """
    n = sum(counts.values())
    ones, twos = margins(counts)
    # In whole numbers, so that full agreement is exactly 1.
    agreed = n * sum(count for (one, two), count in counts.items() if one == two)
    chance = sum(count * twos[name] for name, count in ones.items())
    return None if chance == n * n else (agreed - chance) / (n * n - chance)


def undefined_kappa_reason(counts: Cross) -> str:
    """Why there is no kappa, as half a sentence; empty where there is one."""
    if kappa(counts) is not None:
        return ""
    if not sum(counts.values()):
        return "both rated no case"
    (only,) = (one for (one, _), count in counts.items() if count)
    return f'both chose "{only}" every time, which chance alone would give as well'


def strength(value: float) -> str:
    """The word of Landis and Koch for a kappa of -1 to 1."""
    if value < 0:
        return "poor"
    # Their classes are written 0.21-0.40: 0.20 is still slight.
    return next(word for over, word in reversed(STRENGTHS) if value > over or over == 0)


def majority(votes: Sequence[str]) -> str | None:
    """The class that more than half of the raters chose; ``None`` where no class has that."""
    if not votes:
        return None
    ((winner, count),) = Counter(votes).most_common(1)
    return winner if 2 * count > len(votes) else None


def margins(counts: Cross) -> tuple[Counter[str], Counter[str]]:
    """How often each rater chose each class."""
    ones: Counter[str] = Counter()
    twos: Counter[str] = Counter()
    for (one, two), count in counts.items():
        ones[one] += count
        twos[two] += count
    return ones, twos
