"""Strict JSON: one value, or what is wrong with it; and texts made safe to show."""

from __future__ import annotations

import json
from typing import Any


def parse(text: str) -> tuple[Any, str]:
    """Parse one JSON value strictly: ``(value, "")`` or ``(None, what is wrong)``.

    Stricter than :func:`json.loads`: duplicate keys, NaN, Infinity and lone surrogates are
    faults (RFC 8259 leaves the first undefined and does not know the others).
    """
    faults: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(items)
        if len(result) != len(items):
            seen: set[str] = set()
            twice = next(key for key, _ in items if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            faults.append(f"duplicate key {shorten(twice)}")
        return result

    def constant(name: str) -> float:
        faults.append(f"{name} is not JSON")
        return 0.0

    def integer(digits: str) -> float:
        # int() of many digits is slow and, past 4,300 of them, an error.
        return int(digits) if len(digits) < 20 else float(digits[:400])

    try:
        value = json.loads(
            text, object_pairs_hook=pairs, parse_constant=constant, parse_int=integer
        )
    except json.JSONDecodeError as error:
        return None, f"{error.msg} (character {error.pos})"
    except (ValueError, RecursionError, OverflowError) as error:
        return None, str(error)
    if faults:
        return None, faults[0]
    if has_lone_surrogate(text) or ("\\u" in text and has_lone_surrogate(_dump(value))):
        return None, "lone surrogate"
    return value, ""


def has_lone_surrogate(text: str) -> bool:
    """Whether a text cannot be written as UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def shorten(text: str, limit: int = 60) -> str:
    """A text in quotation marks, escaped, cut to ``limit`` characters with an ellipsis."""
    return json.dumps(text if len(text) <= limit else text[: limit - 1] + "…")


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
