"""A project for the doctor, and the command line in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DOOR = f"file://{ROOT}/assertions/grounded.py"
JUDGE = f"file://{ROOT}/providers/judge.py"
CONFIG = {"rubric": "rubric.yaml", "source": "source.md", "judge": "rules"}


class Seen(NamedTuple):
    """What the doctor said."""

    code: int
    out: str
    err: str

    @property
    def checks(self) -> list[dict[str, str]]:
        """The findings of ``--json``."""
        found: list[dict[str, str]] = json.loads(self.out)["checks"]
        return found

    def of(self, check: str) -> list[dict[str, str]]:
        """The findings of one check."""
        return [one for one in self.checks if one["check"] == check]

    def one(self, check: str) -> dict[str, str]:
        """The only finding of a check."""
        (found,) = self.of(check)
        return found


Doctor = Callable[..., Seen]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a rubric and a source, a space in its name."""
    folder = tmp_path / "a project"
    folder.mkdir()
    (folder / "rubric.yaml").write_text("name: r\ncriteria: {grounded: Is it in the source?}\n")
    (folder / "source.md").write_text("The link lasts 30 minutes.")
    return folder


@pytest.fixture
def doctor(project: Path) -> Doctor:
    """Runs ``voirdire doctor --json`` in the project."""

    def run(*arguments: str, suite: Any = None, json_: bool = True, **env: str) -> Seen:
        if suite is not None:
            (project / "promptfooconfig.yaml").write_text(json.dumps(suite), encoding="utf-8")
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("VOIRDIRE_", "PROMPTFOO_")) and not name.endswith("_API_KEY")
        }
        environment = {**kept, "PYTHONPATH": str(ROOT), "PROMPTFOO_PYTHON": sys.executable, **env}
        words = [sys.executable, "-m", "voirdire", "doctor", *arguments]
        done = subprocess.run(
            [*words, *(["--json"] if json_ else [])],
            cwd=project,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )
        assert "Traceback" not in done.stderr
        return Seen(done.returncode, done.stdout, done.stderr)

    return run


def suite(*asserts: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """A suite of one test."""
    test = {"description": "one", "vars": {}, "assert": list(asserts), **fields}
    return {"prompts": ["x"], "providers": ["echo"], "tests": [test]}


def explicit(**changed: Any) -> dict[str, Any]:
    """An assertion through the explicit door."""
    return {"type": "python", "value": DOOR, "config": CONFIG, **changed}


def drop_in(**changed: Any) -> dict[str, Any]:
    """An assertion through the drop-in door."""
    provider = {"id": JUDGE, "config": CONFIG}
    return {"type": "llm-rubric", "value": "Is it?", "provider": provider, **changed}


def program(folder: Path, name: str, script: str) -> Path:
    """A program of a few lines of shell."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def package(folder: Path, name: str, version: str) -> Path:
    """An npm package that holds its description alone."""
    path = folder / "node_modules" / name
    path.mkdir(parents=True)
    (path / "package.json").write_text(json.dumps({"name": name, "version": version}))
    return path
