"""promptfoo and Node: which are there, and do they fit?"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from voirdire.doctor.finding import Finding
from voirdire.plaintext import one_line

OLDEST: Final = (0, 121, 18)
"""The oldest promptfoo that the npm package takes beside it."""
TRIED: Final = ("0.121.20", "0.123.1")
"""The versions that the tests run."""
_NEEDS_NODE_22 = (0, 122)
_WAIT_S = 20.0


def programs(folder: Path) -> list[Finding]:
    """promptfoo as a project in this folder would find it, and the Node that runs it."""
    version, where = _promptfoo(folder)
    node = _node()
    return [_about_promptfoo(version, where), _about_node(node, version)]


def upward(folder: Path, name: str) -> Path | None:
    """A package of npm's, in ``node_modules`` of the folder or of one above it."""
    for above in (folder, *folder.parents):
        package = above / "node_modules" / name
        if (package / "package.json").is_file():
            return package
    return None


def package_version(package: Path, name: str) -> str:
    """The version of an npm package; empty where the folder holds no such package."""
    try:
        value = json.loads((package / "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return ""
    is_it = isinstance(value, dict) and value.get("name") == name
    return one_line(str(value.get("version", "")), 40) if is_it else ""


def first_line(command: Sequence[str | Path], wait_s: float = _WAIT_S) -> str:
    """The first line that a program prints; empty where it does not run or fails."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=wait_s,
            check=True,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip().partition("\n")[0]


def _promptfoo(folder: Path) -> tuple[str, str]:
    """Its version, and where it was found."""
    package = upward(folder, "promptfoo")
    if package is not None:
        return package_version(package, "promptfoo"), str(package)
    program = shutil.which("promptfoo")
    if program is None:
        return "", ""
    for above in Path(program).resolve().parents:
        version = package_version(above, "promptfoo")
        if version:
            return version, program
    return first_line([program, "--version"]), program


def _node() -> str:
    program = shutil.which("node")
    return first_line([program, "--version"]).removeprefix("v") if program else ""


def _about_promptfoo(version: str, where: str) -> Finding:
    if not where:
        return Finding(
            "promptfoo",
            "warning",
            "is neither in node_modules nor on PATH; npx would fetch the newest at every run",
            "npm install --save-dev promptfoo",
        )
    numbers = _numbers(version)
    if not numbers:
        return Finding(
            "promptfoo",
            "problem",
            f"{where} does not say its version",
            "npm install --save-dev promptfoo",
        )
    if numbers < OLDEST:
        return Finding(
            "promptfoo",
            "problem",
            f"{version} ({where}) is older than {'.'.join(map(str, OLDEST))}, the oldest that"
            " voirdire was made for",
            "npm install --save-dev promptfoo@latest",
        )
    beyond = numbers > _numbers(TRIED[-1])
    more = f"; newer than {TRIED[-1]}, the newest that voirdire was tried with" if beyond else ""
    return Finding("promptfoo", "ok", f"{version} ({where}){more}")


def _about_node(node: str, promptfoo: str) -> Finding:
    numbers = _numbers(node)
    get = "install Node 22.22 or newer from https://nodejs.org"
    if not numbers:
        return Finding("node", "problem", "there is no Node on PATH, which promptfoo needs", get)
    runs = (20, 20) <= numbers < (21,) or numbers >= (22, 22)
    if not runs:
        return Finding("node", "problem", f"{node} does not run promptfoo", get)
    if numbers < (22,) and _numbers(promptfoo) >= _NEEDS_NODE_22:
        return Finding("node", "problem", f"{node} does not run promptfoo {promptfoo}", get)
    return Finding("node", "ok", node)


def _numbers(version: str) -> tuple[int, ...]:
    found = re.match(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})", version)
    return tuple(map(int, found.groups())) if found else ()
