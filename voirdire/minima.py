"""What a judge's calibration must show: figures by their names, and the least that is borne."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from voirdire.errors import ConfigError

MEASURES = (
    "agreement",
    "kappa",
    "balanced_accuracy",
    "youden_j",
    "mcc",
    "fails_caught",
    "passes_kept",
    "precision_of_fails",
)
"""Measures that a minimum may name, each with ``_low`` for the lower bound of its interval."""
COUNTS = ("n", "fails")
"""Labels, and labelled fails; an answer that has one label twice counts once."""
COPIES_BORNE = 0.05
"""Share of copies among the cases past which no lower bound is taken for shown."""
COVERAGE = "coverage"
"""The share of labelled cases that was decided: of the passes or of the fails, whichever is less.

A judge that gives no verdict where it is hard has good figures over the rest.
"""
COVERAGE_WANTED = 0.8
"""The least coverage, where no other is asked for."""
MOST = 2**53
"""No count or measure is beyond it."""
_SIGNED = ("kappa", "youden_j", "mcc")
_DAYS = re.compile(r"[0-9]{1,6}d")


class Minimum(NamedTuple):
    """What a certificate must show.

    Attributes:
        least: measures, ``_low`` for their lower bounds, ``n`` for labels, ``fails`` for labelled
            fails, ``coverage``; and the least value that is borne.
        max_age_days: how old the calibration may be; ``None``: of any age.
    """

    least: Mapping[str, float] = {}
    max_age_days: int | None = None


def measured(calibration: Mapping[str, Any], name: str) -> float | None:
    """A measure of a calibration by its name; ``None`` where it is undefined, or no number."""
    if name == COVERAGE:
        return _coverage(calibration)
    base = name.removesuffix("_low")
    if name in COUNTS:
        cases = _part(calibration, "cases")
        return _number(_part(cases, "distinct").get(name, cases.get(name)))
    if base != name and _is_padded(calibration):
        return None
    found = _part(calibration, base)
    if base != name or "value" in found:
        return _number(found.get("low" if base != name else "value"))
    k, n = _number(found.get("k")), _number(found.get("n"))
    return k / n if k is not None and n else None


def read_minimum(value: Any, where: str = "config: require_certificate") -> Minimum | None:
    """Read ``true`` or ``kappa>=0.6, fails_caught_low>=0.6, max_age: 90d``.

    Returns:
        ``None`` where no certificate is asked for.

    Raises:
        ConfigError: names what cannot be read.
    """
    if value is False:
        return None
    if value is True:
        return Minimum()
    least: dict[str, float] = {}
    age: int | None = None
    if isinstance(value, dict):
        parts = [
            f"{key}: {part}" if key == "max_age" else f"{key}>={part}"
            for key, part in value.items()
        ]
    elif isinstance(value, str) and value.strip():
        parts = value.split(",")
    else:
        raise ConfigError(f"{where}: must be true or minima such as kappa>=0.6, not {value!r}")
    for part in parts:
        name, found, number = part.partition(">=")
        is_least = bool(found)
        if not found:
            name, found, number = part.partition(":")
        name, number = name.strip(), number.strip()
        try:
            if name in least or (name == "max_age" and age is not None):
                raise ConfigError(f"{where}: {name} stands twice; keep one")
            if name == "max_age" and not is_least and _DAYS.fullmatch(number):
                age = int(number[:-1])
            else:
                least[name] = _least(name, number)
        except ValueError:
            names = ", ".join((*MEASURES, *COUNTS, COVERAGE))
            raise ConfigError(
                f"{where}: {part.strip()!r} cannot be read; write max_age: 90d, or NAME>=NUMBER "
                f"with one of {names} (_low for a measure's lower bound) and a number that it can "
                "reach"
            ) from None
    return Minimum(least, age)


def _least(name: str, text: str) -> float:
    """A minimum that can hold somebody to something: NaN or minus infinity never would."""
    base, number = name.removesuffix("_low"), float(text)
    if name in COUNTS:
        low, high = 0.0, math.inf
    elif base in MEASURES or name == COVERAGE:
        low, high = (-1.0 if base in _SIGNED else 0.0), 1.0
    else:
        raise ValueError
    if not low <= number <= high or math.isinf(number):
        raise ValueError
    return number


def _is_padded(calibration: Mapping[str, Any]) -> bool:
    """Whether copies make the intervals narrower than the labels allow."""
    n, distinct = _part(calibration, "cases").get("n"), measured(calibration, "n")
    return bool(distinct is not None and n and distinct < (1 - COPIES_BORNE) * n)


def _coverage(calibration: Mapping[str, Any]) -> float | None:
    """Out of the confusion table and the labels: a figure of its own could be of other cases."""
    cases, table = _part(calibration, "cases"), _part(calibration, "confusion")
    cells = [(table, name) for name in ("caught", "missed", "harsh", "kept")]
    numbers = [_number(part.get(name)) for part, name in [*cells, (cases, "n"), (cases, "fails")]]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):
        return None
    caught, missed, harsh, kept, n, fails = known
    decided = (caught + missed, fails), (harsh + kept, n - fails)
    return min((count / of for count, of in decided if of > 0), default=None)


def _part(calibration: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = calibration.get(name)
    return found if isinstance(found, dict) else {}


def _number(value: Any) -> float | None:
    """A number that can be compared: NaN would be above and below nothing."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if abs(value) <= MOST else None
