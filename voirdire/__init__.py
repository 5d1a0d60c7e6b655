"""voirdire: examine the judge before you trust its verdict.

A companion to promptfoo: grades a model's answer against a source of truth and
fails closed. What is exported here is loaded when it is asked for, so that a door
that promptfoo starts once per assertion pays only for what it uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from voirdire.api import Judge as Judge
    from voirdire.errors import ConfigError as ConfigError
    from voirdire.grade import Outcome as Outcome
    from voirdire.rubric import Rubric as Rubric
    from voirdire.rubric import load_rubric as load_rubric
    from voirdire.source import Source as Source
    from voirdire.source import load_sources as load_sources

__version__ = "0.1.0"

_EXPORTED = {
    "Judge": "voirdire.api",
    "ConfigError": "voirdire.errors",
    "Outcome": "voirdire.grade",
    "Rubric": "voirdire.rubric",
    "load_rubric": "voirdire.rubric",
    "Source": "voirdire.source",
    "load_sources": "voirdire.source",
}
__all__ = ["ConfigError", "Judge", "Outcome", "Rubric", "Source", "load_rubric", "load_sources"]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTED:
        raise AttributeError(f"module 'voirdire' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_EXPORTED[name]), name)
