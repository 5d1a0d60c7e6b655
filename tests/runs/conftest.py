"""A folder with all that a run needs, a server of models and a judge, and the command line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Done, command, environment, write_lines
from tests.runs.models_server import JUDGE, SOURCE, ModelsServer

MODELS = ("alpha", "beta")
CASES = ("one", "two", "three")

Run = Callable[..., Done]
Arguments = Callable[..., list[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Questions, a rubric, a source and a prompt."""
    cases = [{"id": name, "question": f"Question {name}: how long?"} for name in CASES]
    write_lines(tmp_path / "cases.jsonl", cases)
    (tmp_path / "rubric.yaml").write_text("name: r\ncriteria: {grounded: Is it in the source?}\n")
    (tmp_path / "source.md").write_text(SOURCE)
    (tmp_path / "prompt.txt").write_text("By the source alone.\n{{source}}\n{{question}}\n")
    return tmp_path


@pytest.fixture
def server() -> Iterator[ModelsServer]:
    """Models and a judge."""
    started = ModelsServer()
    with started:
        yield started
        started.gate.set()


@pytest.fixture
def arguments(server: ModelsServer) -> Arguments:
    """The arguments of a run over all models, with more behind them."""

    def made(*more: str, models: tuple[str, ...] = MODELS) -> list[str]:
        place = f"@{server.url}/v1"
        specs = ",".join(f"openai:{model}{place}" for model in models)
        given = ["run", "cases.jsonl", "--models", specs, "--judge", f"openai:{JUDGE}{place}"]
        given += ["--prompt", "prompt.txt", "--out", "results.json", "--set", "retries=0"]
        return [*given, "--model-set", "retries=0", *more]

    return made


@pytest.fixture
def run(folder: Path) -> Run:
    """Runs ``voirdire`` in the folder to its end."""

    def voirdire(arguments: list[str], **env: str) -> Done:
        done = subprocess.run(
            command(*arguments),
            cwd=folder,
            env={**environment(folder), **env},
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=60,
        )
        assert "Traceback" not in done.stderr
        return Done(done.returncode, done.stdout, done.stderr)

    return voirdire


def kept(folder: Path) -> list[dict[str, Any]]:
    """The lines of the run's folder."""
    file = folder / "results.run" / "run.jsonl"
    lines = file.read_text().splitlines() if file.exists() else []
    return [json.loads(line) for line in lines]


def rows(folder: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of the results, by model and case."""
    found = json.loads((folder / "results.json").read_text())["results"]["results"]
    named = {
        (row["provider"]["id"].split("@")[0].split(":")[1], row["vars"]["case_id"]): row
        for row in found
    }
    assert len(named) == len(found)
    return named


def record(row: dict[str, Any]) -> dict[str, Any]:
    """voirdire's record of a row's grade."""
    (grade,) = row["gradingResult"]["componentResults"]
    found: dict[str, Any] = grade["metadata"]["voirdire"]
    return found
