"""What the tests of the cache share: scripted judges, and no keys or proxies of this machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.judges.judge_server import JudgeServer, Step

Serve = Callable[..., JudgeServer]


@pytest.fixture(autouse=True)
def _clean_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "VOIRDIRE_CACHE", "VOIRDIRE_JUDGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "*")
    # The slots that bound the calls to one host lie there.
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


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
