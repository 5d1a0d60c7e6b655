"""Slow parsers: how their time grows with the length of hostile texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from voirdire.audit.both import Plan
from voirdire.audit.growth import HOSTILE, order
from voirdire.audit.outcome import SIDES

Seconds = Callable[[int, str], float | None]
SIZES = tuple(4_000 * 2**doublings for doublings in range(9))
"""Characters, to a million; a parser is spared longer texts once one takes ``ENOUGH_S``."""
ENOUGH_S = 0.25
SUPERLINEAR = 1.5
"""Time that grows with this power of the length, or a higher one, is a finding."""
REPEATS = 3
NOISY_S = 0.02
"""A shorter time is measured ``REPEATS`` times, and the best one taken."""


def growth(plan: Plan, seconds: Seconds) -> dict[str, list[dict[str, Any]]]:
    """The hostile texts on which each parser's time grows faster than their length.

    It is measured, so that a borderline kind may come and go from run to run.

    Args:
        plan: names the parsers; the same one on both sides is measured once.
        seconds: how long one side takes for a text; ``None`` where it broke.

    Returns:
        For each side the findings, each with the kind of ``text`` and either ``order``, the power
        of the length that the time grows with, or ``broke``, the length that broke the parser.
    """
    found: dict[str, list[dict[str, Any]]] = {}
    for side, name in enumerate(SIDES):
        if side and plan.parsers[0] == plan.parsers[1]:
            found[name] = found[SIDES[0]]
        else:
            measured = ((kind, _measure(side, make, seconds)) for kind, make in HOSTILE.items())
            found[name] = [{"text": kind, **finding} for kind, finding in measured if finding]
    return found


def _measure(side: int, make: Callable[[int], str], seconds: Seconds) -> dict[str, Any]:
    times: list[float] = []
    for size in SIZES:
        text = make(size)
        runs = []
        for _ in range(REPEATS):
            took = seconds(side, text)
            if took is None:
                return {"broke": size}
            runs.append(took)
            if took > NOISY_S:
                break
        times.append(min(runs))
        if times[-1] > ENOUGH_S:
            break
    power = order(SIZES[: len(times)], times)
    return {"order": round(power, 1)} if power is not None and power >= SUPERLINEAR else {}
