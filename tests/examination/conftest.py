"""Judges to examine: recorded ones, and a server that says what a test wants it to say."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

# The fixtures of the command line's own tests.
from tests.cli.conftest import folder as folder
from tests.cli.conftest import run as run
from tests.judges.judge_server import JudgeServer, Request, Step, reply
from voirdire.examination.battery import default_battery
from voirdire.examination.finding import Finding
from voirdire.examination.request import Request as Examination
from voirdire.examination.run import examine
from voirdire.journal import Journal

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
JUDGES = GOLDEN / "examination"
BATTERY = default_battery()

Examine = Callable[..., dict[str, Finding]]


@pytest.fixture
def examined(tmp_path: Path) -> Examine:
    """Examines a judge; the findings by their names."""

    def run(spec: str, questions: str = "", **fields: Any) -> dict[str, Finding]:
        settings = {"battery": BATTERY, **fields}
        journal = Journal(tmp_path / "journal.jsonl")
        request = Examination(spec, journal=journal, questions=tuple(questions.split()), **settings)
        return {one.name: one for one in examine(request)}

    return run


class Scripted(JudgeServer):
    """A judge whose reply to a request is what a function makes of it."""

    def __init__(self, say: Callable[[Mapping[str, Any]], Step]) -> None:
        super().__init__([])
        self._say = say

    def __enter__(self) -> Scripted:
        super().__enter__()
        return self

    @property
    def spec(self) -> str:
        return f"openai:small-1@{self.url}/v1"

    def next_step(self, request: Request) -> Step:
        self.requests.append(request)
        return self._say(request.json)


def verdict(decision: str, quote: str) -> Step:
    """A whole verdict."""
    body = {
        "critique": "Looked at both.",
        "criteria": {"grounded": decision == "pass"},
        "evidence": [quote],
        "verdict": decision,
        "confidence": 0.95,
    }
    return reply(json.dumps(body))


def passing(sent: Mapping[str, Any]) -> Step:
    """A pass, with a quote from whatever source was sent."""
    data = json.loads(sent["messages"][1]["content"])
    if "first" in data:
        body = {"critique": "", "evidence": ["qm"], "winner": "tie", "confidence": 0.95}
        return reply(json.dumps(body))
    source = data["source"]
    return verdict("pass", source[0]["text"] if source else data["answer"])
