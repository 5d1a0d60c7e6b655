"""Values of promptfoo's results in the shapes that they should have, whatever they are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def as_number(value: Any) -> float | None:
    """A number of ordinary size; ``None`` for whatever else: JSON may hold NaN and 1e999."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e15 else None


def as_amount(value: Any) -> float | None:
    """A number that counts something; ``None`` for one below 0, too."""
    found = as_number(value)
    return found if found is not None and found >= 0 else None


def as_text(value: Any) -> str:
    """A text; other values as JSON, and empty for null."""
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def as_mapping(value: Any) -> Mapping[str, Any]:
    """An object; an empty one for whatever else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list; an empty one for whatever else."""
    return value if isinstance(value, list) else []
