"""What the tests of the model judges share: a question, and an environment without keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.judges.judge_server import JudgeServer, Step
from voirdire.judges import dialect
from voirdire.judges.base import Ask
from voirdire.prompt import Prompt
from voirdire.source import Source
from voirdire.verdict import verdict_schema

Serve = Callable[..., JudgeServer]


@pytest.fixture(autouse=True)
def _clean_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No keys or proxies of this machine, lock files of this test, nothing remembered."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "OPENROUTER_API_KEY", "OLLAMA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(dialect, "_refused", set())


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers that play the given steps, and ends them with the test."""
    servers: list[JudgeServer] = []

    def start(*steps: Step, **fields: Any) -> JudgeServer:
        servers.append(JudgeServer(steps, **fields).__enter__())
        return servers[-1]

    yield start
    for server in servers:
        server.__exit__(None, None, None)


@pytest.fixture
def ask() -> Ask:
    """A question in criteria mode."""
    source = Source("refunds", "Refunds take 5 days.")
    return Ask(
        prompt=Prompt("You are a judge.", '{"answer": "5 days"}', (source.sha256,)),
        schema=verdict_schema(("grounded",)),
        rubric_criteria=("grounded",),
        sources=(source,),
        question="How long?",
        answer="5 days",
    )
