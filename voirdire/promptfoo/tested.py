"""Which model is under test, from what promptfoo hands to an assertion."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def names_under_test(context: Mapping[str, Any]) -> list[str]:
    """The names by which a ``python`` assertion's context knows the model, the surest first.

    promptfoo writes the provider down without its methods, of which ``id`` is one: each class
    keeps the model's name in a field of its own. A label is the user's own word for it. The
    provider also holds the API key, so nothing else of it is taken.
    """
    provider = _mapping(context.get("provider"))
    found = [
        provider.get("modelName"),
        provider.get("model"),
        provider.get("deploymentName"),
        _mapping(provider.get("config")).get("model"),
        provider.get("id"),
        _mapping(provider.get("options")).get("id"),
        provider.get("label"),
    ]
    return [name for name in found if isinstance(name, str) and name]


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
