"""Fields that the answer's JSON must have, with something in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from voirdire.checks.subject import Subject
from voirdire.errors import ConfigError


def read(value: Any) -> Callable[[Subject], list[str]]:
    """The check for ``required_fields:``, dotted paths; a number counts the items of a list from 0.

    Raises:
        ConfigError: it is no list of paths.
    """
    if not isinstance(value, list) or not value or not all(map(_is_path, value)):
        raise ConfigError("config: required_fields: must be a list of paths such as `customer.id`")

    def faults(subject: Subject) -> list[str]:
        answer, fault = subject.json
        if fault:
            return [f"the answer {fault}"]
        return [f"`{path}` {wrong}" for path in value if (wrong := _wrong(answer, path))]

    return faults


def _is_path(path: Any) -> bool:
    return isinstance(path, str) and all(path.split("."))


def _wrong(value: Any, path: str) -> str:
    for part in path.split("."):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and len(part) < 10:
            if int(part) >= len(value):
                return "is missing"
            value = value[int(part)]
        else:
            return "is missing"
    if isinstance(value, str):
        value = value.strip()
    # false and 0 say something.
    return "is empty" if value is None or value in ("", [], {}) else ""
