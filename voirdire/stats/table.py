"""The four counts of a judge held against people, and what is measured on them.

The class that counts is ``fail``: a judge is there to catch what people would fail. Each measure
is a fraction of the counts, so that the same line serves one table and 10,000 resampled ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

Fraction = tuple[Any, Any]
"""Numerator and denominator; numbers, or arrays of numbers."""


class Table(NamedTuple):
    """Cases that people labelled and the judge decided.

    Attributes:
        caught: people failed it, and so did the judge.
        missed: people failed it, the judge passed it.
        harsh: people passed it, the judge failed it.
        kept: people passed it, and so did the judge.
    """

    caught: int
    missed: int
    harsh: int
    kept: int

    @property
    def n(self) -> int:
        """All cases."""
        return sum(self)

    @property
    def fails(self) -> int:
        """Cases that people failed."""
        return self.caught + self.missed

    @property
    def passes(self) -> int:
        """Cases that people passed."""
        return self.harsh + self.kept


def count(pairs: Iterable[tuple[str, str]]) -> Table:
    """The table of ``(person's label, judge's outcome)`` pairs.

    Args:
        pairs: a label is ``pass`` or ``fail``. A pair with any other outcome is left out: what
            the judge did not decide is counted elsewhere, and never as a fail.
    """
    seen = Counter(pairs)
    return Table(
        caught=seen["fail", "fail"],
        missed=seen["fail", "pass"],
        harsh=seen["pass", "fail"],
        kept=seen["pass", "pass"],
    )


def _agreement(a: Any, b: Any, c: Any, d: Any) -> Fraction:
    return a + d, a + b + c + d


def _kappa(a: Any, b: Any, c: Any, d: Any) -> Fraction:
    # (p_o - p_e) / (1 - p_e) of Cohen 1960, in whole numbers.
    return 2 * (a * d - b * c), (a + b) * (b + d) + (a + c) * (c + d)


def _fails_caught(a: Any, b: Any, c: Any, d: Any) -> Fraction:
    return a, a + b


def _passes_kept(a: Any, b: Any, c: Any, d: Any) -> Fraction:
    return d, c + d


def _precision_of_fails(a: Any, b: Any, c: Any, d: Any) -> Fraction:
    return a, a + c


def _balanced_accuracy(a: Any, b: Any, c: Any, d: Any) -> Fraction:
    return a * (c + d) + d * (a + b), 2 * (a + b) * (c + d)


def _youden_j(a: Any, b: Any, c: Any, d: Any) -> Fraction:
    return a * d - b * c, (a + b) * (c + d)


def _mcc(a: Any, b: Any, c: Any, d: Any) -> Fraction:
    return a * d - b * c, ((a + b) * (c + d) * (a + c) * (b + d)) ** 0.5


def _ac1(a: Any, b: Any, c: Any, d: Any) -> Fraction:
    # Gwet 2008: chance is 2 q (1 - q), q the mean share of fails; all times 2 n².
    n = a + b + c + d
    fails = 2 * a + b + c
    chance = fails * (2 * n - fails)
    return 2 * n * (a + d) - chance, 2 * n * n - chance


FRACTIONS: dict[str, Callable[[Any, Any, Any, Any], Fraction]] = {
    "agreement": _agreement,
    "kappa": _kappa,
    "fails_caught": _fails_caught,
    "passes_kept": _passes_kept,
    "precision_of_fails": _precision_of_fails,
    "balanced_accuracy": _balanced_accuracy,
    "youden_j": _youden_j,
    "mcc": _mcc,
    "ac1": _ac1,
}
"""Name of a measure → its fraction of (caught, missed, harsh, kept)."""


def measure(name: str, table: Table) -> float | None:
    """A measure of a table.

    Args:
        name: a key of ``FRACTIONS``. Shares and balanced accuracy go from 0 to 1; kappa, Youden's
            J, Matthews' correlation (``mcc``) and Gwet's AC1 from -1 to 1.
        table: the counts.

    Returns:
        ``None`` where it is undefined; ``why_undefined`` says why.
    """
    above, below = FRACTIONS[name](*table)
    return float(above / below) if below else None


def why_undefined(name: str, table: Table) -> str:
    """Why a table has no such measure, as half a sentence; empty where it has one."""
    if measure(name, table) is not None:
        return ""
    if not table.n:
        return "no labelled case was decided"
    says = "passed" if not table.caught + table.harsh else "failed"
    if name == "kappa":
        return f"people and judge {says} every case, which chance alone would give as well"
    if name == "precision_of_fails" or (table.fails and table.passes):
        return f"the judge {says} every decided case"
    return f"people {'passed' if table.passes else 'failed'} every decided case"
