"""How far a run is: counts, cost so far and time left, on one line."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable

from voirdire.runs.done import Done
from voirdire.runs.summary import money


class Progress:
    """Counts pairs as they are done.

    Args:
        total: pairs in all.
        clock: seconds that only go forward.
    """

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.done = 0
        self._total = total
        self._clock = clock
        self._began = clock()
        self._asked = 0
        self._errors: Counter[str] = Counter()
        self._cost: float | None = 0.0

    def count(self, one: Done) -> None:
        """One more pair is done."""
        self.done += 1
        self._asked += bool(one.asked)
        if one.outcome in ("model_error", "judge_error"):
            self._errors[one.outcome] += 1
        self._cost = None if self._cost is None or one.cost is None else self._cost + one.cost

    @property
    def ended(self) -> bool:
        """Whether all are done."""
        return self.done == self._total

    def line(self) -> str:
        """What there is to say now; the cost is that of the whole run, kept answers too."""
        parts = [
            f"{self.done}/{self._total} done",
            f"model errors {self._errors['model_error']}",
            f"judge errors {self._errors['judge_error']}",
            money(self._cost),
        ]
        if left := self._left():
            parts.append(f"{left} left")
        return " · ".join(parts)

    def _left(self) -> str:
        """By the pairs that were asked now: kept ones take no time."""
        if not self._asked or self.ended:
            return ""
        seconds = (self._clock() - self._began) / self._asked * (self._total - self.done)
        minutes = seconds / 60
        if minutes < 1:
            return f"{seconds:.0f} s"
        return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
