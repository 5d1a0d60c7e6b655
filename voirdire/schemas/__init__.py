"""JSON Schemas (draft 2020-12) of the files that people write, for editors and for checks.

The readers decide, and say what is wrong in words; a test holds the schemas to them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent

SCHEMAS: Final = {
    "rubric": "a rubric, rubric.yaml",
    "case": "a labelled case: a line of cases.jsonl, an item of cases.yaml",
    "judge": "a judge with its settings",
    "assertion": "the config of the explicit door, assertions/grounded.py",
    "provider": "the config of the drop-in door, providers/judge.py",
    "pairwise": "the config of the comparing door, assertions/pairwise.py",
    "checks": "the config of the checks, assertions/checks.py",
}
"""What each schema is of, by its name."""


def schema(name: str) -> dict[str, Any]:
    """A schema whole: the others that it refers to stand in its ``$defs``.

    Args:
        name: one of :data:`SCHEMAS`.
    """
    others: dict[str, Any] = {}
    whole = _whole(name, others)
    defs = {**whole.get("$defs", {}), **others}
    return {**whole, "$defs": defs} if defs else whole


def _whole(name: str, others: dict[str, Any]) -> dict[str, Any]:
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    value: dict[str, Any] = _pointed_inside(json.loads(text), others)
    return value


def _pointed_inside(value: Any, others: dict[str, Any]) -> Any:
    """The value, its references to files of this folder now to ``$defs``, which they join."""
    if isinstance(value, list):
        return [_pointed_inside(item, others) for item in value]
    if not isinstance(value, dict):
        return value
    result = {key: _pointed_inside(item, others) for key, item in value.items()}
    target = result.get("$ref", "")
    if target.endswith(".json"):
        name = target.removesuffix(".json")
        if name not in others:
            inner = _whole(name, others)
            others |= inner.pop("$defs", {})
            others[name] = inner
        result["$ref"] = f"#/$defs/{name}"
    return result
