"""The Python that promptfoo will take, and whether the doors open in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from voirdire import __version__
from voirdire.doctor.finding import Finding
from voirdire.doctor.programs import first_line, package_version
from voirdire.plaintext import one_line

# promptfoo's own patience with `python --version`.
_PROMPTFOO_WAIT_S = 2.5
_WAIT_S = 60.0
_NEEDED: Final = ("yaml", "jsonschema", "requests", "click")
_PIP = "-m pip install voirdire"

# Not from the working directory: promptfoo's wrapper does not look there either.
_PROBE = """
import sys
sys.path = [entry for entry in sys.path if entry]
import importlib.util, json
found = {"version": list(sys.version_info[:3]), "voirdire": None}
try:
    import voirdire
    found["voirdire"] = voirdire.__version__
except ImportError:
    pass
found["missing"] = [name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]
print(json.dumps(found))
"""

# What promptfoo's wrapper does before it calls a function of the script, and what all of them load
# then, at the latest.
_OPEN = """
import importlib.util, os, sys
sys.path = [entry for entry in sys.path if entry]
script = sys.argv[1]
sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
spec = importlib.util.spec_from_file_location(os.path.basename(script).rsplit(".", 1)[0], script)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
import voirdire.promptfoo.grading
"""


class Chosen(NamedTuple):
    """The Python that promptfoo will take.

    Attributes:
        command: a program or its path; empty where there is none.
        why: what made promptfoo take it.
    """

    command: str
    why: str


def chosen_python(named: str | None) -> Chosen:
    """Find the Python as promptfoo does.

    Args:
        named: the ``pythonExecutable`` of the suite, if it has one.
    """
    explicit = [(named, "the suite's pythonExecutable")] if named else []
    if os.environ.get("PROMPTFOO_PYTHON"):
        explicit.append((os.environ["PROMPTFOO_PYTHON"], "PROMPTFOO_PYTHON"))
    if explicit:  # promptfoo tries no other then
        command, why = explicit[0]
        return Chosen(command if _runs(command) else "", f"{why} ({one_line(command, 200)})")
    others = ("py",) if sys.platform == "win32" else ("python3",)
    for command in ("python", *others):
        if _runs(command):
            return Chosen(command, f"`{command}` on PATH")
    return Chosen("", "PATH")


def pythons(chosen: Chosen) -> list[Finding]:
    """The Python that runs this, the one that promptfoo takes, and what is in it."""
    running = ".".join(map(str, sys.version_info[:3]))
    ours = Finding("voirdire", "ok", f"{__version__}, in Python {running} ({sys.executable})")
    if not chosen.command:
        return [
            ours,
            Finding(
                "python",
                "problem",
                f"promptfoo finds no Python: it looks at {chosen.why}",
                f"set PROMPTFOO_PYTHON={sys.executable}",
            ),
        ]
    return [ours, _about(chosen, _ran(chosen.command, _PROBE, _NEEDED))]


def doors(chosen: Chosen, package: Path | None, named: Sequence[Path]) -> list[Finding]:
    """Whether doors open in the Python that promptfoo takes.

    Args:
        chosen: that Python.
        package: the folder that holds the doors; ``None`` where there is none.
        named: the doors that the suite names, the package's or the project's own; where there
            are none, all of the package.
    """
    if package is None and not named:
        return [
            Finding(
                "doors",
                "warning",
                "there is no node_modules/voirdire, whose doors promptfoo opens",
                "npm install --save-dev voirdire",
            )
        ]
    findings = [_same_version(package)] if package is not None else []
    if not chosen.command:
        return findings
    scripts = list(named)
    if package is not None and not scripts:
        folders = (package / name for name in ("assertions", "providers", "extensions"))
        scripts = [script for folder in folders for script in sorted(folder.glob("*.py"))]
    shut = [(script, why) for script in scripts if (why := _why_shut(chosen.command, script))]
    for script, why in shut:
        name = "/".join(script.parts[-2:])
        text = f"{name} does not open in promptfoo's Python: {why}"
        findings.append(Finding("doors", "problem", text, _install(chosen.command)))
    if not shut:
        told = ", ".join(script.name for script in scripts)
        verb = "opens" if len(scripts) == 1 else "open"
        findings.append(Finding("doors", "ok", f"{told} {verb} in promptfoo's Python"))
    return findings


def _runs(command: str) -> bool:
    return first_line([command, "--version"], _PROMPTFOO_WAIT_S).startswith("Python")


def _about(chosen: Chosen, found: Mapping[str, Any] | str) -> Finding:
    if isinstance(found, str):
        text = f"promptfoo takes {chosen.why}, which fails: {found}"
        return Finding("python", "problem", text, f"set PROMPTFOO_PYTHON={sys.executable}")
    version = ".".join(map(str, found["version"]))
    taken = f"promptfoo takes {chosen.why}, Python {version}"
    if found["version"] < [3, 10]:
        return Finding(
            "python",
            "problem",
            f"{taken}, and voirdire needs 3.10 or newer",
            f"set PROMPTFOO_PYTHON={sys.executable}",
        )
    missing = ", ".join(found["missing"])
    if missing:
        return Finding(
            "python",
            "problem",
            f"{taken}, in which there is no {missing}",
            _install(chosen.command),
        )
    if found["voirdire"] is None:
        text = (
            f"{taken}; voirdire is not installed in it, and the doors use the library beside them"
        )
        return Finding("python", "warning", text, _install(chosen.command))
    if found["voirdire"] != __version__:
        text = f"{taken}, in which voirdire is {found['voirdire']}, not {__version__}"
        return Finding("python", "problem", text, _install(chosen.command))
    return Finding("python", "ok", f"{taken}, with voirdire {__version__}")


def _same_version(package: Path) -> Finding:
    version = package_version(package, "voirdire")
    if version != __version__:
        return Finding(
            "doors",
            "problem",
            f"those in {package} are of {version or 'no version'}, the library is {__version__}",
            f"npm install --save-dev voirdire@{__version__}",
        )
    return Finding("doors", "ok", f"{version} ({package})")


def _install(command: str) -> str:
    quoted = f'"{command}"' if " " in command else command
    return f"{quoted} {_PIP}=={__version__}, or set PROMPTFOO_PYTHON={sys.executable}"


def _why_shut(command: str, script: Path) -> str:
    done = _run(command, _OPEN, [str(script)])
    if isinstance(done, str):
        return done
    return _last_line(done.stderr) if done.returncode else ""


def _ran(command: str, code: str, arguments: Sequence[str]) -> Mapping[str, Any] | str:
    """What a piece of code prints as JSON; or in a sentence why it does not."""
    done = _run(command, code, arguments)
    if isinstance(done, str):
        return done
    try:
        value = json.loads(done.stdout.strip().rpartition("\n")[2])
    except ValueError:
        return _last_line(done.stderr)
    return value if isinstance(value, dict) else "it prints something else"


def _run(
    command: str, code: str, arguments: Sequence[str]
) -> subprocess.CompletedProcess[str] | str:
    try:
        return subprocess.run(
            [command, "-c", code, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_WAIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer in {_WAIT_S:g} s"
    except OSError as error:
        return str(error.strerror)


def _last_line(text: str) -> str:
    return one_line(text.strip().rpartition("\n")[2], 300) or "no reason given"
