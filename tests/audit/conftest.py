"""What the tests of the audit share."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from voirdire.cli import cli

PARSERS = """\
import json, os, sys, time
from helper import read

def eval_side(text):
    return json.loads(text)

def production(text):
    return read(text)

def hangs(text):
    while "hang" in text:
        pass
    return json.loads(text)

def exits(text):
    if "exit" in text:
        os._exit(3)
    print("parsers may print")
    return json.loads(text)

def eats(text):
    kept = []
    while "eat" in text:
        kept.append(bytearray(50_000_000))
    return json.loads(text)

def leaves(text):
    if "leave" in text:
        sys.exit(0)
    return json.loads(text)
"""
HELPER = """\
import json

def read(text):
    return json.JSONDecoder().raw_decode(text, text.index("{"))[0]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's project, in which the command is run: two modules of parsers and a corpus."""
    (tmp_path / "parsers.py").write_text(PARSERS, encoding="utf-8")
    (tmp_path / "helper.py").write_text(HELPER, encoding="utf-8")
    corpus(tmp_path, [{"text": '{"a": 1}'}, {"text": 'so {"a": 2}'}, {"text": "no"}])
    monkeypatch.chdir(tmp_path)
    return tmp_path


def corpus(folder: Path, rows: Sequence[Mapping[str, Any]], name: str = "corpus.jsonl") -> Path:
    """A corpus of JSON lines."""
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Ran:
    """What the command left."""

    code: int
    out: str
    err: str
    error: BaseException | None

    @property
    def json(self) -> Any:
        """What ``--json`` printed."""
        return json.loads(self.out)


def voirdire(*words: str) -> Ran:
    """Run a command in this process, as its entry point does."""
    result = CliRunner().invoke(cli, words, standalone_mode=False)
    code = result.return_value if isinstance(result.return_value, int) else result.exit_code
    return Ran(code, result.stdout, result.stderr, result.exception)


Audit = Callable[..., Ran]


@pytest.fixture
def audit(project: Path) -> Audit:
    """Runs ``voirdire audit`` in the project, on its corpus and quickly unless told otherwise."""

    def run(
        *args: str,
        first: str = "parsers:eval_side",
        second: str = "parsers:production",
        path: str = "corpus.jsonl",
    ) -> Ran:
        words = ["audit", "--eval", first, "--production", second, "--corpus", path, "--no-growth"]
        return voirdire(*words, *args)

    return run
