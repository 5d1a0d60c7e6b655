"""The ``config:`` of the checks, turned into checks; and one answer put through them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from voirdire.checks.subject import Check, Subject
from voirdire.doorinput import read_sources, var_names
from voirdire.errors import ConfigError
from voirdire.evidence import fold
from voirdire.source import unique

# Config key → module, each loaded only where it is asked for: an assertion is a new process.
_CHECKS = {
    "schema": "schema",
    "required_fields": "fields",
    "citations": "citations",
    "links": "links",
    "numbers": "numbers",
    "forbidden": "forbidden",
    "length": "length",
}
_SWITCHED = ("citations", "links", "numbers")  # `false` leaves them out
_SETTINGS = ("source", "vars", "fence")


@dataclass(frozen=True)
class Suite:
    """The checks that a ``config:`` asks for.

    Attributes:
        checks: in the order in which they are listed in the documentation.
    """

    checks: tuple[Check, ...]
    _source: Any
    _source_var: str
    _fence_allowed: bool
    _folders: tuple[Path, ...]

    def run(self, answer: str, vars_: Mapping[str, Any]) -> dict[str, list[str]]:
        """The faults of an answer by check; none where the check passes.

        Args:
            answer: its text. One with nothing in it passes no check.
            vars_: the test's vars, among which the source may be.

        Raises:
            ConfigError: the source or the schema is at fault, so that nothing can be said.
        """
        subject = Subject(
            answer,
            lambda: unique(read_sources(self._source, self._source_var, vars_, self._folders)),
            fence_allowed=self._fence_allowed,
        )
        found = {check.name: check.faults(subject) for check in self.checks}
        if not fold(answer):
            return {name: ["the answer is empty"] for name in found}
        return found


def read_config(config: Any, folders: Sequence[Path]) -> Suite:
    """Check the ``config:`` of the checks.

    Args:
        config: as promptfoo hands it over.
        folders: where relative paths are looked for, in order.

    Raises:
        ConfigError: names the field that is wrong and what it may be.
    """
    if not isinstance(config, dict):
        raise ConfigError(f"config: must be a mapping with checks: {', '.join(_CHECKS)}")
    for key in config:
        if key not in _CHECKS and key not in _SETTINGS:
            there = ", ".join((*_CHECKS, *_SETTINGS))
            raise ConfigError(f"config: unknown field `{key}`; there is {there}")
    fence = config.get("fence", "refused")
    if fence not in ("allowed", "refused"):
        raise ConfigError(f"config: fence: must be allowed or refused, not {fence!r}")
    checks = tuple(
        Check(name, _read(name, config[name], folders))
        for name in _CHECKS
        if name in config and not (name in _SWITCHED and config[name] is False)
    )
    if not checks:
        raise ConfigError(f"config: no check; add one of {', '.join(_CHECKS)}")
    return Suite(
        checks,
        _source=config.get("source"),
        _source_var=var_names(config.get("vars", {}), ("source",))["source"],
        _fence_allowed=fence == "allowed",
        _folders=tuple(folders),
    )


def _read(name: str, value: Any, folders: Sequence[Path]) -> Callable[[Subject], list[str]]:
    read = import_module(f"voirdire.checks.{_CHECKS[name]}").read
    faults: Callable[[Subject], list[str]] = (
        read(value, folders) if name == "schema" else read(value)
    )
    return faults
