"""What a suite says of its doors: are they there, are they set up, does their word count?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from voirdire.checks.config import read_config as read_checks
from voirdire.doctor.finding import Finding
from voirdire.doorconfig import DoorConfig, read_config
from voirdire.errors import ConfigError
from voirdire.initial.door import NAME, is_own_script
from voirdire.plaintext import one_line
from voirdire.promptfoo.overruling import Overruling, overrulings
from voirdire.promptfoo.shaped import as_mapping
from voirdire.promptfoo.suite import Suite, read_suite

_DOOR: Final = re.compile(
    r"(assertions/(?:grounded|agreement|pairwise|checks)|providers/judge)\.py(?::\w+)?\Z"
)
_SCRIPT: Final = re.compile(r"(?:file://)?(.+\.py)(?::\w+)?")
_DROP_IN = "providers/judge"
_PAIRWISE = "assertions/pairwise"
# What the drop-in door grades; of any other check it says that it does not.
_GRADED = ("llm-rubric", "trajectory:goal-success")
_NAMED = 3


class Use(NamedTuple):
    """An assertion through one of the doors.

    Attributes:
        door: such as ``assertions/grounded``; a project's own script is ``providers/judge``.
        script: the door's file as the suite names it.
        shipped: whether the file is the package's, not a script of the project's own.
        kind: the assertion's type.
        config: as it is written.
        test: what people call the test.
        overruling: what stands between a verdict and the test's result.
    """

    door: str
    script: Path
    shipped: bool
    kind: str
    config: Any
    test: str
    overruling: Overruling


def uses(suite: Suite, folder: Path) -> list[Use]:
    """Every assertion of a suite that goes through a door."""
    found = []
    for number, test in enumerate(suite.tests, 1):
        name = one_line(str(test.get("description") or f"test {number}"), 60)
        for overruling, own in overrulings(test, sorted(_types(test))):
            kind = str(own.get("type", "")).removeprefix("not-")
            script, config = _script(own, kind, test)
            named = _SCRIPT.fullmatch(script)
            if not named:
                continue
            path = folder / named[1]
            shipped = _DOOR.search(script.replace("\\", "/"))
            is_own = path.name == NAME or is_own_script(path)
            door = shipped[1] if shipped else _DROP_IN if is_own else ""
            if door and (kind == "python") == (door != _DROP_IN):
                found.append(Use(door, path, bool(shipped), kind, config, name, overruling))
    return found


def pythons_named(suite: Suite) -> list[str | None]:
    """The ``pythonExecutable`` of each Python provider in order; ``None`` where it has none."""
    given = suite.given.get("providers") or suite.given.get("targets")
    items = [_provider(item) for item in (given if isinstance(given, list) else [given])]
    for test in suite.tests:
        items.append(_provider(as_mapping(test.get("options")).get("provider")))
        for _, own in overrulings(test, sorted(_types(test))):
            items.append(_provider(own.get("provider")))
    named = []
    for identity, config in items:
        if re.search(r"\.py(:\w+)?\Z", identity) or identity.startswith("python:"):
            value = as_mapping(config).get("pythonExecutable")
            named.append(value if isinstance(value, str) and value else None)
    return list(dict.fromkeys(named))


def suite_findings(path: Path, suite: Suite | None, found: Sequence[Use]) -> Iterator[Finding]:
    """What is to be said of a suite, but for the settings of its doors."""
    if suite is None:
        yield Finding(
            "suite",
            "warning",
            f"{path} is no YAML or JSON that can be read, so its assertions were not looked at",
        )
        return
    if not suite.known:
        yield Finding(
            "suite",
            "warning",
            f"{path}: some of its tests come from a program or a table, and were not looked at",
        )
    if found:
        yield Finding("suite", "ok", f"{path}: {_count(len(found))} through voirdire's doors")
    elif suite.known:
        yield Finding(
            "suite",
            "warning",
            f"{path}: no assertion goes through voirdire's doors",
            "voirdire init shows what its judges cannot see, and the lines to change",
        )
    for script, shipped in {use.script: use.shipped for use in found}.items():
        if not script.is_file():
            text = f"{path} names {script}, which is not there"
            mend = "npm install --save-dev voirdire" if shipped else "put the script back"
            yield Finding("doors", "problem", text, mend)
    yield from _misused(found)
    yield from _overruled(found)


def settings(
    path: Path, found: Sequence[Use], findings: list[Finding]
) -> list[tuple[DoorConfig, Use]]:
    """The settings of the doors that ask a judge, each once; what is wrong joins ``findings``."""
    folders = [path.parent, Path()]
    read: dict[str, tuple[DoorConfig, Use]] = {}
    seen: set[str] = set()
    for use in found:
        key = json.dumps([use.door, use.config], sort_keys=True, default=str)
        if key in seen:
            continue
        seen.add(key)
        try:
            if use.door == "assertions/checks":
                read_checks(use.config, folders)
            elif use.door == _PAIRWISE:
                read[key] = _read_pairwise(use.config, folders), use
            else:
                drop_in = use.door == _DROP_IN
                read[key] = read_config(use.config, folders, drop_in=drop_in), use
        except ConfigError as error:
            text = f"{path}: {use.test}: {use.door}.py: {error}"
            findings.append(Finding("config", "problem", text))
    if seen and not any(finding.check == "config" for finding in findings):
        findings.append(Finding("config", "ok", f"the doors' settings in {path} are sound"))
    return list(read.values())


def certificates(read: Sequence[tuple[DoorConfig, Use]]) -> Iterator[Finding]:
    """How the judges of a suite stand."""
    said: dict[str, Finding] = {}
    for config, use in read:
        # The assertion's own words promptfoo may fill in; and no certificate is of comparisons.
        if config.rubric is None or use.door == _PAIRWISE:
            continue
        required = config.minimum is not None
        who = f"{config.judge.spec} with the rubric {one_line(config.rubric.name, 60)}"
        try:
            standing = config.standing(config.rubric)
        except ConfigError as error:
            said[who] = Finding("certificate", "problem", f"{who}: {error}")
            continue
        mend = "voirdire calibrate CASES --judge SPEC --certificate voirdire.certificate.json"
        if standing is None:
            text = f"{who}: none is there, and none is required"
            said.setdefault(who, Finding("certificate", "ok", text))
        elif standing.status == "certified":
            said.setdefault(who, Finding("certificate", "ok", f"{who}: certified"))
        else:
            status = "problem" if required else "warning"
            text = f"{who}: {standing.status} ({standing.why})"
            said[who] = Finding("certificate", status, text, mend)
    yield from said.values()


def load(path: Path) -> Suite | None:
    """A suite's file; ``None`` where it is no plain data.

    Raises:
        ConfigError: there is no such file.
    """
    if not path.is_file():
        raise ConfigError(f"{path}: no such file; give the suite's with --config")
    return read_suite(path)


def _read_pairwise(config: Any, folders: Sequence[Path]) -> DoorConfig:
    """The settings of a comparison.

    Raises:
        ConfigError: names the field that is wrong and what it may be.
    """
    from voirdire.promptfoo.pairwise import read_comparison, read_reference

    checked, _ = read_comparison(config, folders)
    read_reference(config.get("reference"), folders)
    return checked


def _misused(found: Sequence[Use]) -> Iterator[Finding]:
    for kind in dict.fromkeys(use.kind for use in found):
        if kind != "python" and kind not in _GRADED:
            yield Finding(
                "suite",
                "problem",
                f"{_of([use for use in found if use.kind == kind])}: {one_line(kind, 40)} is not"
                f" graded by voirdire, which grades {' and '.join(_GRADED)}",
                "give it another provider",
            )


def _overruled(found: Sequence[Use]) -> Iterator[Finding]:
    weightless = [use for use in found if use.overruling.weightless]
    inverted = [use for use in found if use.overruling.inverted]
    averaged = [use for use in found if use.overruling.averaged and not use.overruling.weightless]
    if weightless:
        yield Finding(
            "overruled",
            "problem",
            f"{_of(weightless)}: whatever the verdict, it decides nothing (weight 0 or below, or"
            " a guardrail that excuses the test)",
            "give the assertion a weight above 0",
        )
    if inverted:
        yield Finding(
            "overruled",
            "warning",
            f"{_of(inverted)}: promptfoo inverts the verdict, so that a fail passes; what is no"
            " verdict is raised as an error instead",
            "turn the rubric's question round, and drop `not-`",
        )
    if averaged:
        yield Finding(
            "overruled",
            "warning",
            f"{_of(averaged)}: other assertions can outvote a fail, since a threshold averages"
            " their scores",
            "drop the threshold, or give the verdict a test of its own",
        )


def _of(found: Sequence[Use]) -> str:
    names = list(dict.fromkeys(use.test for use in found))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{_count(len(found))} ({', '.join(names[:_NAMED])}{more})"


def _count(number: int) -> str:
    return f"{number} assertion{'s' if number > 1 else ''}"


def _types(test: Any) -> set[str]:
    """The base types of a test's assertions, those in its assert-sets too."""
    found: set[str] = set()
    items = as_mapping(test).get("assert")
    for item in items if isinstance(items, list) else []:
        kind = str(as_mapping(item).get("type", ""))
        if kind == "assert-set":
            found |= _types(item)
        else:
            found.add(kind.removeprefix("not-"))
    return found


def _script(own: Mapping[str, Any], kind: str, test: Mapping[str, Any]) -> tuple[str, Any]:
    """The script that an assertion names, and its config."""
    if kind == "python":
        return str(own.get("value", "")), own.get("config")
    provider = own.get("provider") or as_mapping(test.get("options")).get("provider")
    return _provider(provider)


def _provider(value: Any) -> tuple[str, Any]:
    """A provider's id and config, however it is written."""
    if isinstance(value, str):
        return value, None
    given = as_mapping(value)
    if "id" in given:
        return str(given["id"]), given.get("config")
    if "text" in given:  # one provider for each kind of grading
        return _provider(given["text"])
    if len(given) == 1:  # {id: {config: …}}
        ((identity, rest),) = given.items()
        return str(identity), as_mapping(rest).get("config")
    return "", None
