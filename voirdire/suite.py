"""Where promptfoo could turn a non-pass into a pass: inversion, weight 0, an averaging threshold.

promptfoo tells an assertion its test (``context.test``). It tells a grading provider nothing
of the kind, so the provider's door reads the suite's own file, found through the arguments of
the promptfoo process that started it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

_DEFAULT_NAMES = tuple(f"promptfooconfig.{ending}" for ending in ("yaml", "yml", "json"))
_UNREADABLE_NAMES = tuple(
    f"promptfooconfig.{end}" for end in ("js", "mjs", "cjs", "ts", "mts", "cts")
)
# Arguments that bring tests, assertions or hooks from somewhere else than the suite's file.
_ELSEWHERE = ("--assertions", "--tests", "--vars", "--extension", "--resume", "--retry-errors")
_OWN_HOOK = "named_scores.py:extension_hook"
# Weights and thresholds up to here leave the score of a non-decision (``OUTVOTED``) decisive.
_MOST = 1e50


class Overruling(NamedTuple):
    """What stands between a non-pass and the test's result.

    Attributes:
        inverted: the assertion is a ``not-`` one.
        weightless: no score of it can decide: its weight, or that of its assert-set, counts
            nothing (at weight 0 promptfoo forces an assertion to pass), others' weights are such
            that the average says nothing (below 0), or a guardrail excuses the test.
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
    merged = [_merged(test, _dict(default)) for test in tests or [{}]]
    return Suite(given, merged, isinstance(default, dict) and tests is not None)


def overrulings(test: Any, types: Sequence[str]) -> Iterator[tuple[Overruling, Mapping[str, Any]]]:
    """What overrules each of a test's assertions of these base types, and the assertion."""
    excused = _excused(test)
    return ((found | excused, own) for found, own in _assertions(test, types))


def in_test(test: Any, config: Any) -> Overruling:
    """What overrules the ``python`` assertions of a test that have this ``config``.

    Where none has it, all the test's ``python`` assertions count: better one raise too many.
    """
    found = list(_assertions(test, ("python",)))
    ours = [item for item, own in found if own.get("config") == config] or [i for i, _ in found]
    total = _join(ours) | _excused(test)
    # Assertions that differ would need different answers; what is right at weight 0 is for all.
    return total | Overruling(weightless=len(set(ours)) > 1)


def in_suite(vars_: Mapping[str, Any], types: Sequence[str]) -> Overruling:
    """What overrules the assertions of these types in the suite's tests that the vars fit."""
    paths = config_paths()
    if len(paths) != 1 or not _is_whole_suite(_parent_arguments()):
        return Overruling(known=False)
    suite = _load(paths[0])
    if not isinstance(suite, dict):
        return Overruling(known=False)
    return _in_config(suite, paths[0].parent, vars_, types)


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


def _in_config(
    suite: Mapping[str, Any], folder: Path, vars_: Mapping[str, Any], types: Sequence[str]
) -> Overruling:
    default = _default(suite, folder)
    tests = _tests(suite, folder)
    known = (
        isinstance(default, dict)
        and tests is not None
        # Other people's hooks may change a test before it is run.
        and all(str(hook).endswith(_OWN_HOOK) for hook in _list(suite.get("extensions")))
    )
    default = _dict(default)
    total = Overruling()
    # A test with no assertions of its own still has those of defaultTest.
    for test in tests or [{}]:
        if not _may_be(test, default, vars_):
            continue
        merged = _merged(test, default)
        total |= _join(found for found, _ in _assertions(merged, types)) | _excused(merged)
        known = known and _is_plain(merged["assert"])
    return total | Overruling(known=known)


def _default(suite: Mapping[str, Any], folder: Path) -> Any:
    default = suite.get("defaultTest") or {}
    return _reference(default, folder) if isinstance(default, str) else default


def _merged(test: Mapping[str, Any], default: Mapping[str, Any]) -> dict[str, Any]:
    """A test with what ``defaultTest`` gives it."""
    return {
        **test,
        "threshold": _first(test.get("threshold"), default.get("threshold")),
        "assert": [*_asserted(default), *_asserted(test)],
        "options": {**_dict(default.get("options")), **_dict(test.get("options"))},
    }


def _asserted(test: Mapping[str, Any]) -> list[Any]:
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
                "vars": {**_dict(row.get("vars")), **_dict(test.get("vars"))},
                "assert": [*_asserted(row), *_asserted(test)],
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


def _may_be(test: Mapping[str, Any], default: Mapping[str, Any], vars_: Mapping[str, Any]) -> bool:
    """Whether the vars may be this test's: its plain texts must be the same ones.

    Only texts: YAML readers disagree on what is a number, a date or true.
    """
    if any(_dict(item.get("options")).get("transformVars") for item in (test, default)):
        return True
    return not any(
        isinstance(value, str)
        and not any(mark in value for mark in ("{{", "{%", "{#", "://", "package:"))
        and isinstance(vars_.get(name), str)
        and vars_[name] != value
        for name, value in _dict(test.get("vars")).items()
    )


def _is_plain(assertions: Sequence[Any]) -> bool:
    """Whether every assertion says what it is."""
    return all(
        isinstance(item, dict) and isinstance(item.get("type"), str) and _is_plain(_asserted(item))
        for item in assertions
    )


def _assertions(test: Any, types: Sequence[str]) -> Iterator[tuple[Overruling, Mapping[str, Any]]]:
    """What overrules each of the assertions of these base types, and the assertion."""
    threshold: Any = _dict(test).get("threshold")
    items = [_dict(item) for item in _list(_dict(test).get("assert"))]
    sound = _is_number(threshold) and threshold > -_MOST
    sound = sound and all(_is_sound(item.get("weight", 1)) for item in items)
    averaged = threshold is not None
    around = Overruling(averaged=averaged, weightless=averaged and not sound)
    for item in items:
        kind = str(item.get("type", ""))
        weight = item.get("weight", 1)
        weightless = not _is_number(weight) or weight <= 0
        here = around | Overruling(inverted=kind.startswith("not-"), weightless=weightless)
        if kind == "assert-set":
            for inner, own in _assertions(item, types):
                # A set without weight is not forced to pass, but no average counts it.
                yield inner | here, own
        elif kind.removeprefix("not-") in types:
            yield here, item


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_sound(weight: Any) -> bool:
    return _is_number(weight) and (weight == 0 or 1 / _MOST <= weight <= _MOST)


def _excused(test: Any) -> Overruling:
    """promptfoo passes a test, whatever else failed, where a red team's guardrail was tripped."""
    for item in map(_dict, _list(_dict(test).get("assert"))):
        purpose = _dict(item.get("config")).get("purpose")
        if (item.get("type") == "guardrails" and purpose == "redteam") or _excused(item).averaged:
            return Overruling(weightless=True, averaged=True)
    return Overruling()


def _join(found: Iterable[Overruling]) -> Overruling:
    total = Overruling()
    for one in found:
        total |= one
    return total


def _first(*values: Any) -> Any:
    return next((value for value in values if value is not None), None)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
