"""Where promptfoo could turn a non-pass into a pass: inversion, weight 0, an averaging threshold.

promptfoo tells an assertion its test (``context.test``). It tells a grading provider nothing
of the kind, so the provider's door reads the suite's own file, found through the arguments of
the promptfoo process that started it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_DEFAULT_NAMES = tuple(f"promptfooconfig.{ending}" for ending in ("yaml", "yml", "json"))
_UNREADABLE_NAMES = tuple(
    f"promptfooconfig.{end}" for end in ("js", "mjs", "cjs", "ts", "mts", "cts")
)


@dataclass(frozen=True)
class Overruling:
    """What stands between a non-pass and the test's result.

    Attributes:
        inverted: the assertion is a ``not-`` one.
        weightless: its weight is 0, so that promptfoo forces it to pass.
        averaged: a threshold on the test or the assert-set lets other scores outvote it.
        known: false where the suite cannot be read, so that it might be averaged.
    """

    inverted: bool = False
    weightless: bool = False
    averaged: bool = False
    known: bool = True

    def __or__(self, other: Overruling) -> Overruling:
        return Overruling(
            self.inverted or other.inverted,
            self.weightless or other.weightless,
            self.averaged or other.averaged,
            self.known and other.known,
        )


def in_test(test: Any, config: Any) -> Overruling:
    """What overrules the ``python`` assertions of a test that have this ``config``.

    Where none has it, all the test's ``python`` assertions count: better one raise too many.
    """
    found = list(_assertions(test, ("python",)))
    same = [(item, threshold) for item, threshold in found if item.get("config") == config]
    return _join(same or found)


def in_suite(vars_: Mapping[str, Any]) -> Overruling:
    """What overrules the ``llm-rubric`` assertions of the suite's tests that these vars fit."""
    paths = config_paths()
    if not paths:
        return Overruling(known=False)
    total = Overruling()
    for path in paths:
        suite = _load(path)
        if not isinstance(suite, dict):
            return Overruling(known=False)
        total |= _in_config(suite, path.parent, vars_)
    return total


def config_paths() -> list[Path]:
    """The suite's files: promptfoo's ``-c`` arguments, else its default name in this folder."""
    given = []
    arguments = _parent_arguments()
    for index, argument in enumerate(arguments):
        if argument in ("-c", "--config"):
            for value in arguments[index + 1 :]:
                if value.startswith("-"):
                    break
                given.append(Path(value))
        elif argument.startswith("--config="):
            given.append(Path(argument.partition("=")[2]))
    if given:
        return given
    here = Path()
    names = (*_DEFAULT_NAMES, *_UNREADABLE_NAMES)
    return [here / name for name in names if (here / name).is_file()][:1]


def _parent_arguments() -> list[str]:
    pid = os.getppid()
    platform: str = sys.platform  # as a variable: type checkers drop the branches of others
    try:
        if platform.startswith("linux"):
            return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").split("\0")
        if platform == "darwin":
            # ps joins the arguments with spaces: a config path with a space is not found.
            shown = subprocess.run(
                ["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False
            )
            return shown.stdout.split()
    except OSError:
        pass
    return []


def _in_config(suite: Mapping[str, Any], folder: Path, vars_: Mapping[str, Any]) -> Overruling:
    default = suite.get("defaultTest")
    if isinstance(default, str):
        default = _reference(default, folder)
    default = default if isinstance(default, dict) else {}
    known = True
    total = Overruling()
    for group in _test_groups(suite):
        tests = _resolve(group, folder)
        if tests is None:
            known = False
            tests = []
        # A test with no assertions of its own still has those of defaultTest.
        for test in tests or [{}]:
            merged = {
                "threshold": test.get("threshold", default.get("threshold")),
                "assert": [*_list(default.get("assert")), *_list(test.get("assert"))],
            }
            if _fits(test.get("vars"), vars_):
                total |= _join(_assertions(merged, ("llm-rubric", "agent-rubric")))
    return total | Overruling(known=known)


def _test_groups(suite: Mapping[str, Any]) -> Iterator[Any]:
    yield suite.get("tests", [])
    for scenario in _list(suite.get("scenarios")):
        yield scenario.get("tests", []) if isinstance(scenario, dict) else scenario


def _resolve(tests: Any, folder: Path) -> list[dict[str, Any]] | None:
    """The tests as mappings, or ``None`` where they come from a place that is not plain data."""
    if isinstance(tests, str):
        tests = _reference(tests, folder)
    if not isinstance(tests, list):
        return None
    result: list[dict[str, Any]] = []
    for test in tests:
        if isinstance(test, str):
            more = _reference(test, folder)
            if not isinstance(more, list):
                return None
            result.extend(item for item in more if isinstance(item, dict))
        elif isinstance(test, dict):
            if "path" in test:  # a generator: a Python or JavaScript file that makes tests
                return None
            result.append(test)
    return result


def _reference(text: str, folder: Path) -> Any:
    path = folder / text.removeprefix("file://")
    return _load(path)


def _load(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix in (".yaml", ".yml", ".json"):
            import yaml

            return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        if path.suffix == ".jsonl":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
    except Exception:  # anybody's file: whatever is wrong with it, promptfoo says so itself
        return None
    return None


def _fits(wanted: Any, given: Mapping[str, Any]) -> bool:
    """Whether a test's plain vars are the given ones; templates and files may be anything."""
    if not isinstance(wanted, dict):
        return True
    for name, value in wanted.items():
        plain = isinstance(value, (str, int, float)) and not (
            isinstance(value, str) and ("{{" in value or "{%" in value or "://" in value)
        )
        if plain and name in given and given[name] != value:
            return False
    return True


def _assertions(test: Any, types: Sequence[str]) -> Iterator[tuple[dict[str, Any], Any]]:
    """The assertions of these base types, each with the thresholds above it."""
    if not isinstance(test, dict):
        return
    for item in _list(test.get("assert")):
        if not isinstance(item, dict):
            continue
        if item.get("type") == "assert-set":
            for inner, threshold in _assertions(item, types):
                yield inner, _first(threshold, test.get("threshold"))
        elif str(item.get("type", "")).removeprefix("not-") in types:
            yield item, test.get("threshold")


def _join(
    found: Sequence[tuple[dict[str, Any], Any]] | Iterator[tuple[dict[str, Any], Any]],
) -> Overruling:
    total = Overruling()
    for item, threshold in found:
        total |= Overruling(
            inverted=str(item.get("type", "")).startswith("not-"),
            weightless=item.get("weight") == 0,
            averaged=threshold is not None,
        )
    return total


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
