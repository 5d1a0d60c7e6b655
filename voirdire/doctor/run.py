"""All that the doctor looks at, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from voirdire.doctor.finding import Finding
from voirdire.doctor.programs import programs, upward
from voirdire.doctor.python import chosen_python, doors, pythons
from voirdire.doctor.suitefile import (
    certificates,
    load,
    pythons_named,
    settings,
    suite_findings,
    uses,
)
from voirdire.doctor.surroundings import extras, keys, places, without_keys
from voirdire.journal import default_path
from voirdire.promptfoo.suite import Suite, config_here


def examine(config: Path | None) -> list[Finding]:
    """Look at all that a grounded suite needs. No network, nothing written.

    Args:
        config: the suite's file; ``None`` takes promptfoo's usual one in this folder, if any.

    Raises:
        ConfigError: the file that was named is not there.
    """
    path = config or next(iter(config_here()), None)
    suite = load(path) if path else None
    return without_keys(list(_examined(path, suite)))


def _examined(path: Path | None, suite: Suite | None) -> Iterator[Finding]:
    folder = path.parent if path else Path()
    found = uses(suite, folder) if suite else []
    named = pythons_named(suite) if suite else []
    yield from programs(folder.absolute())
    chosen = chosen_python(named[0] if named else None)
    yield from pythons(chosen)
    if len(named) > 1:
        yield Finding(
            "python",
            "warning",
            "the suite's Python providers differ in pythonExecutable, and promptfoo takes the"
            " first for its whole run",
            "give all of them the same one, or set PROMPTFOO_PYTHON instead",
        )
    scripts = {use.script: use.shipped for use in found if use.script.is_file()}
    shipped = next((script for script in scripts if scripts[script]), None)
    package = shipped.parent.parent if shipped else upward(folder.absolute(), "voirdire")
    yield from doors(chosen, package, list(scripts))
    findings: list[Finding] = []
    read = []
    if path:
        findings += suite_findings(path, suite, found)
        read = settings(path, found, findings)
    else:
        findings.append(Finding("suite", "ok", "there is no promptfooconfig.yaml in this folder"))
    yield from findings
    yield from keys([judge.judge for judge, _ in read])
    yield from certificates(read)
    configs = [one for one, _ in read]
    yield from places(
        [one.journal for one in configs] or [default_path()],
        [one.cache for one in configs] or [None],
    )
    yield extras()


def as_record(findings: list[Finding]) -> Mapping[str, Any]:
    """The findings for machines."""
    from voirdire import __version__
    from voirdire.doctor.finding import worst

    return {
        "voirdire_doctor": 1,
        "tool_version": __version__,
        "status": worst(findings),
        "checks": [finding._asdict() for finding in findings],
    }
