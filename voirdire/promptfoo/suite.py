"""The suite that promptfoo runs, read where its file is plain data.

promptfoo tells an assertion its test (``context.test``). It tells a grading provider nothing
of the kind, so the provider's door reads the suite's own file, found through the arguments of
the promptfoo process that started it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.promptfoo.shaped import as_mapping

_DEFAULT_NAMES = tuple(f"promptfooconfig.{ending}" for ending in ("yaml", "yml", "json"))
_UNREADABLE_NAMES = tuple(
    f"promptfooconfig.{end}" for end in ("js", "mjs", "cjs", "ts", "mts", "cts")
)
# Arguments that bring tests, assertions or hooks from somewhere else than the suite's file.
_ELSEWHERE = ("--assertions", "--tests", "--vars", "--extension", "--resume", "--retry-errors")


class Suite(NamedTuple):
    """A suite's file as it is read here.

    Attributes:
        given: what stands in the file.
        tests: its tests, each with what ``defaultTest`` gives it.
        known: false where some tests, or their default, come from a program or a table.
    """

    given: Mapping[str, Any]
    tests: Sequence[Mapping[str, Any]]
    known: bool


def read_suite(path: Path) -> Suite | None:
    """A suite's file; ``None`` where it is no plain data."""
    given = _load(path)
    if not isinstance(given, dict):
        return None
    default = _default(given, path.parent)
    tests = _tests(given, path.parent)
    merged = [_merged(test, as_mapping(default)) for test in tests or [{}]]
    return Suite(given, merged, isinstance(default, dict) and tests is not None)


def suite_under_test() -> Suite | None:
    """The suite of the promptfoo that started this; ``None`` where no one file says all of it."""
    paths = config_paths()
    if len(paths) != 1 or not _is_whole_suite(_parent_arguments()):
        return None
    return read_suite(paths[0])


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
        elif argument.startswith("-c"):
            given.append(Path(argument[2:]))
    if given:
        return [file for path in given for file in (_in_folder(path) if path.is_dir() else [path])]
    return config_here()


def config_here() -> list[Path]:
    """The suite of promptfoo's default name in this folder, if there is one."""
    return _in_folder(Path())


def _in_folder(folder: Path) -> list[Path]:
    names = (*_DEFAULT_NAMES, *_UNREADABLE_NAMES)
    return [folder / name for name in names if (folder / name).is_file()][:1]


def _is_whole_suite(arguments: Sequence[str]) -> bool:
    """Whether the configuration file alone says what is tested."""
    return "eval" in arguments and not any(
        argument.split("=")[0] in _ELSEWHERE or argument[:2] in ("-a", "-t", "-v", "-x")
        for argument in arguments
    )


def _parent_arguments() -> list[str]:
    pid = os.getppid()
    platform: str = sys.platform  # as a variable: type checkers drop the branches of others
    try:
        if platform.startswith("linux"):
            shown = Path(f"/proc/{pid}/cmdline").read_text(errors="replace")
            return shown.removesuffix("\0").split("\0")
        if platform == "darwin":
            import subprocess  # slow to load

            # ps joins the arguments with spaces: a config path with a space is not found.
            ps = ["ps", "-o", "args=", "-p", str(pid)]
            return subprocess.run(ps, capture_output=True, text=True, check=False).stdout.split()
    except OSError:
        pass
    return []


def _default(suite: Mapping[str, Any], folder: Path) -> Any:
    default = suite.get("defaultTest") or {}
    return _reference(default, folder) if isinstance(default, str) else default


def _merged(test: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """A test with what ``defaultTest`` gives it."""
    return {
        **test,
        "threshold": _first(test.get("threshold"), default.get("threshold")),
        "assert": [*assertions_of(default), *assertions_of(test)],
        "options": {**as_mapping(default.get("options")), **as_mapping(test.get("options"))},
    }


def assertions_of(test: Mapping[str, Any]) -> list[Any]:
    """The assertions of a test, a set or a default: whatever is no list of them is kept as one.

    So the name of a file that holds them is not taken for no assertions.
    """
    given = test.get("assert")
    if given is None:
        return []
    return given if isinstance(given, list) else [given]


def _tests(suite: Mapping[str, Any], folder: Path) -> list[dict[str, Any]] | None:
    """All tests, those of scenarios too, or ``None`` where some come from no plain data."""
    found = _resolve(suite.get("tests", []), folder)
    for scenario in suite.get("scenarios") or []:
        if not isinstance(scenario, dict):
            return None
        rows = _resolve(scenario.get("config", []), folder)
        tests = _resolve(scenario.get("tests", [{}]), folder)
        if found is None or rows is None or tests is None:
            return None
        found += [
            {
                **row,
                **test,
                "vars": {**as_mapping(row.get("vars")), **as_mapping(test.get("vars"))},
                "assert": [*assertions_of(row), *assertions_of(test)],
            }
            for row in rows
            for test in tests
        ]
    return found


def _resolve(tests: Any, folder: Path) -> list[dict[str, Any]] | None:
    """The tests as mappings, or ``None`` where they come from a place that is not plain data."""
    if isinstance(tests, str):
        tests = _reference(tests, folder)
    if not isinstance(tests, list):
        return None
    result: list[dict[str, Any]] = []
    for test in tests:
        more = _reference(test, folder) if isinstance(test, str) else [test]
        if not isinstance(more, list):
            return None
        # One with a path is a generator: a Python or JavaScript file that makes tests.
        if not all(isinstance(item, dict) and "path" not in item for item in more):
            return None
        result.extend(more)
    return result


def _reference(text: str, folder: Path) -> Any:
    path = folder / text.removeprefix("file://")
    return _load(path)


def _load(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix in (".yaml", ".yml", ".json"):
            import yaml

            value = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
            return _dereferenced(value, value) if "$ref" in text else value
        if path.suffix == ".jsonl":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
    except Exception:  # anybody's file: whatever is wrong with it, promptfoo says so itself
        return None
    return None


def _dereferenced(value: Any, root: Any) -> Any:
    """The value with each ``{$ref: "#/…"}`` in it replaced by what it points at."""
    if isinstance(value, list):
        return [_dereferenced(item, root) for item in value]
    if not isinstance(value, dict):
        return value
    target = value.get("$ref")
    if not isinstance(target, str) or not target.startswith("#/"):
        return {key: _dereferenced(item, root) for key, item in value.items()}
    found = root
    for part in target[2:].split("/"):
        found = found[part]
    return _dereferenced(found, root)


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)
