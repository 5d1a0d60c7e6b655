"""``voirdire label`` in a folder with answers and a source, for the tests of it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Done, command, environment, write_lines

SOURCE = "The link lasts 30 minutes."
Label = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six answers and the source beside them."""
    answers = [
        {"id": f"a{n}", "question": "How long?", "answer": f"{n}0 minutes.", "model": "quillon-4"}
        for n in range(1, 7)
    ]
    write_lines(tmp_path / "answers.jsonl", answers)
    (tmp_path / "source.md").write_text(SOURCE)
    return tmp_path


@pytest.fixture
def label(folder: Path) -> Label:
    """Runs ``voirdire label`` with what is typed."""

    def run(*arguments: str, typed: str = "", origin: str = "answers.jsonl") -> Done:
        done = subprocess.run(
            command("label", origin, "--out", "cases.jsonl", *arguments),
            cwd=folder,
            env={**environment(folder), "COLUMNS": "80", "LINES": "24"},
            input=typed.encode(),
            capture_output=True,
            check=False,
            timeout=60,
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        assert "Traceback" not in err
        return Done(done.returncode, out, err)

    return run


def lines(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "cases.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def ids_shown(out: str) -> list[str]:
    heads = (line.partition(" of ")[2].partition(": ")[2] for line in out.splitlines())
    return [identity for identity in heads if identity]


def started(folder: Path, **streams: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command("label", "answers.jsonl", "--out", "cases.jsonl"),
        cwd=folder,
        env={**environment(folder), "TERM": "xterm", "PYTHONUNBUFFERED": "1"},
        stderr=subprocess.PIPE,
        **streams,
    )


def read_until(read: Callable[[], bytes], words: bytes) -> bytes:
    """What comes until these words have come."""
    seen, until = b"", time.monotonic() + 60
    while words not in seen:
        assert time.monotonic() < until, seen
        more = read()
        assert more, seen
        seen += more
    return seen
