"""How long an answer may be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from voirdire.checks.subject import Subject
from voirdire.errors import ConfigError
from voirdire.sentences import pieces

_UNITS: Mapping[str, Callable[[str], int]] = {
    "characters": lambda text: len(text.strip()),
    "words": lambda text: sum(any(map(str.isalnum, word)) for word in text.split()),
    "sentences": lambda text: len(pieces(text)),
}


def read(value: Any) -> Callable[[Subject], list[str]]:
    """The check for ``length:``, ``{min, max, unit}``, both ends included.

    The unit is ``characters`` (the default; Unicode code points), ``words`` (parted by white
    space) or ``sentences`` (list items, headings and table rows count as such).

    Raises:
        ConfigError: another field, unit or bound, or a ``min`` above ``max``.
    """
    if not isinstance(value, dict) or not value.keys() & {"min", "max"}:
        raise ConfigError("config: length: must have `min`, `max` or both, and may have `unit`")
    for key in value:
        if key not in ("min", "max", "unit"):
            raise ConfigError(f"config: length: unknown field `{key}`; there is min, max, unit")
    low, high = _bound(value, "min"), _bound(value, "max")
    if low is not None and high is not None and low > high:
        raise ConfigError(f"config: length: min {low} is more than max {high}")
    unit = value.get("unit", "characters")
    if not isinstance(unit, str) or unit not in _UNITS:
        raise ConfigError(f"config: length: unit: must be {', '.join(_UNITS)}, not {unit!r}")

    def faults(subject: Subject) -> list[str]:
        count = _UNITS[unit](subject.answer)
        if low is not None and count < low:
            return [f"{count} {unit}, at least {low} are asked for"]
        if high is not None and count > high:
            return [f"{count} {unit}, at most {high} are allowed"]
        return []

    return faults


def _bound(value: Mapping[str, Any], name: str) -> int | None:
    bound = value.get(name)
    if name in value and (not isinstance(bound, int) or isinstance(bound, bool) or bound < 0):
        raise ConfigError(f"config: length: {name}: must be a whole number from 0, not {bound!r}")
    return bound
