"""What was measured, for people and for machines."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple


class Row(NamedTuple):
    """One line of the report.

    Attributes:
        name: what was measured.
        values: one per round, in ``unit``.
        limit: the most that the median may be; ``None`` where it is told for information.
    """

    name: str
    values: Sequence[float]
    unit: str
    limit: float | None = None

    @property
    def met(self) -> bool:
        """Whether the limit holds."""
        return self.limit is None or statistics.median(self.values) <= self.limit

    def to_json(self) -> dict[str, Any]:
        """Median and range of the rounds."""
        return {
            "name": self.name,
            "unit": self.unit,
            "median": round(statistics.median(self.values), 3),
            "min": round(min(self.values), 3),
            "max": round(max(self.values), 3),
            "rounds": len(self.values),
            "limit": self.limit,
            "met": self.met,
        }


def show(row: Row) -> str:
    """The line of a table."""
    told = row.to_json()
    target = "" if row.limit is None else f"≤ {row.limit:g} {'met' if row.met else 'MISSED'}"
    spread = f"{told['min']:.2f}–{told['max']:.2f}"
    return f"{row.name:<44} {told['median']:>8.2f} {row.unit:<2} {spread:>16}  {target}"
