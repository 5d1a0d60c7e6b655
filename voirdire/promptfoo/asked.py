"""What was asked in a row of results: the question and the sources, by the vars of its door."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.doorinput import as_text, find, read_sources
from voirdire.errors import ConfigError
from voirdire.promptfoo.shaped import as_mapping
from voirdire.source import Source, load_sources, unique
from voirdire.yamlfile import read_text

_FILE = "file://"
_NONE: tuple[Source, ...] = ()


class Asked(NamedTuple):
    """What a test asks.

    Attributes:
        case_id: the test's own name; empty where it has none.
        question: what is asked, if anything.
        sources: the documents of truth that it names; empty where it names none.
        fault: why these cannot be read; empty otherwise.
        lost: why the question cannot be read; empty otherwise.
    """

    case_id: str
    question: str | None
    sources: tuple[Source, ...]
    fault: str
    lost: str


class Reader:
    """Reads what tests ask, each file once.

    Args:
        folders: where the files that a suite names are looked for, in order.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = folders
        self._read: dict[str, tuple[Source, ...]] = {}

    def asked(self, test: Any, vars_: Mapping[str, Any]) -> Asked:
        """What a test asks.

        Args:
            test: the row's ``testCase``.
            vars_: its vars. The results keep the path of one that promptfoo read from a file.
        """
        config = _door_config(test)
        names = {name: _name(config, name) for name in ("case_id", "question", "source")}
        case_id = vars_.get(names["case_id"])
        question, sources, fault, lost = None, _NONE, "", ""
        try:
            question = self._question(vars_.get(names["question"]))
        except ConfigError as error:
            lost = str(error)
        try:
            sources = self._sources(config.get("source"), names["source"], vars_)
        except ConfigError as error:
            fault = str(error)
        name = "" if case_id is None else as_text(case_id)
        return Asked(name, question, sources, fault, lost)

    def _question(self, value: Any) -> str | None:
        if isinstance(value, str) and value.startswith(_FILE):
            return read_text(find(value, self._folders), "question")
        return None if value is None else as_text(value)

    def _sources(self, configured: Any, name: str, vars_: Mapping[str, Any]) -> tuple[Source, ...]:
        value = vars_.get(name)
        if configured is None and value is None:
            return _NONE
        key = json.dumps([configured, None if configured is not None else value])
        if key not in self._read:
            if configured is None and isinstance(value, str) and value.startswith(_FILE):
                found = load_sources(find(value, self._folders))
            else:
                found = read_sources(configured, name, vars_, self._folders)
            self._read[key] = unique(found)
        return self._read[key]


def _door_config(test: Any) -> Mapping[str, Any]:
    """The ``config:`` of the door that graded, wherever in a test it stands."""
    found = as_mapping(test).get("assert")
    asserts = [as_mapping(item) for item in found] if isinstance(found, list) else []
    providers = [as_mapping(item.get("provider")) for item in asserts]
    default = as_mapping(as_mapping(as_mapping(test).get("options")).get("provider"))
    configs = [as_mapping(place.get("config")) for place in (*asserts, *providers, default)]
    return next((config for config in configs if "judge" in config or "rubric" in config), {})


def _name(config: Mapping[str, Any], name: str) -> str:
    renamed = as_mapping(config.get("vars")).get(name)
    return renamed if isinstance(renamed, str) else name
