"""The command line as a process of its own, in a folder with all it needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = "The link lasts 30 minutes."
VERDICT: dict[str, Any] = {
    "critique": "So it says.",
    "criteria": {"grounded": True},
    "evidence": [SOURCE],
    "verdict": "pass",
    "confidence": 0.95,
}


@dataclass(frozen=True)
class Done:
    """What a command left."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> list[Any]:
        """Standard output's lines, each parsed."""
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Done]


def environment(folder: Path) -> dict[str, str]:
    """No judge, no colour and no key of this machine; the library of this checkout."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("VOIRDIRE_", "OPENAI_", "ANTHROPIC_")) and name != "NO_COLOR"
    }
    return {
        **kept,
        "PYTHONPATH": str(ROOT),
        "NO_PROXY": "*",
        "TMPDIR": str(folder),
        "VOIRDIRE_JOURNAL": str(folder / "journal.jsonl"),
    }


def command(*arguments: str | Path) -> list[str]:
    """The command line of ``voirdire``."""
    return [sys.executable, "-m", "voirdire", *map(str, arguments)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A rubric, a source, cases and recorded replies."""
    (tmp_path / "rubric.yaml").write_text("name: r\ncriteria: {grounded: Is it in the source?}\n")
    (tmp_path / "source.md").write_text(SOURCE)
    cases = [
        {"id": "good", "question": "How long?", "answer": "It lasts 30 minutes."},
        {"id": "bad", "answer": "It lasts 45 minutes."},
        {"id": "unsure", "answer": "It lasts a while."},
        {"id": "unread", "answer": "It lasts 30 minutes."},
    ]
    replies = [
        {"id": "good", "reply": json.dumps(VERDICT)},
        {
            "id": "bad",
            "reply": json.dumps({**VERDICT, "criteria": {"grounded": False}, "verdict": "fail"}),
        },
        {"id": "unsure", "reply": json.dumps({**VERDICT, "verdict": "cannot_decide"})},
        {"id": "unread", "reply": "...", "usage": {"prompt": 10, "completion": 3}},
    ]
    write_lines(tmp_path / "cases.jsonl", cases)
    write_lines(tmp_path / "replies.jsonl", replies)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Run:
    """Runs ``voirdire`` in the folder."""

    def voirdire(*arguments: str | Path, stdin: bytes = b"", **env: str) -> Done:
        done = subprocess.run(
            command(*arguments),
            cwd=folder,
            env={**environment(folder), **env},
            input=stdin,
            capture_output=True,
            check=False,
            timeout=60,
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        assert "Traceback" not in err
        return Done(done.returncode, out, err)

    return voirdire


def write_lines(path: Path, values: list[Any]) -> None:
    """A JSONL file."""
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
