"""A judge that answers as it is told, and pairs to put before it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import JudgeCallError
from voirdire.journal import Journal
from voirdire.judges.base import Ask
from voirdire.pairwise.compare import Pair
from voirdire.reply import Reply, Usage
from voirdire.rubric import Rubric
from voirdire.source import Source

SOURCE = Source("help", "The reset link lasts 30 minutes. Rows stay in the trash for 30 days.")
QUOTE = "The reset link lasts 30 minutes."
RUBRIC = Rubric(name="better", criteria={"grounded": "Is it in the source?"}, rules="Be fair.")
GOOD, BAD = "It lasts 30 minutes.", "It lasts an hour."


def preference(winner: str, **changed: Any) -> dict[str, Any]:
    """A preference that meets the schema and whose quote stands in the source."""
    return {
        "critique": "So the source says.",
        "evidence": [QUOTE],
        "winner": winner,
        "confidence": 0.95,
        **changed,
    }


def pair(a: str = GOOD, b: str = BAD, **changed: Any) -> Pair:
    """A pair with an id and a source."""
    fields: dict[str, Any] = {"question": "How long?", "sources": (SOURCE,), "id": "p", **changed}
    return Pair(a, b, **fields)


class Told:
    """A judge that is told what to say, by a function of the two answers as it sees them.

    Args:
        say: gets the first and the second answer; its value is sent as JSON, a text as it is,
            an error is raised.
        can_reask: whether it may be asked again; then it says the same again.
    """

    spec = "told:this"
    cacheable = False

    def __init__(self, say: Callable[[str, str], Any], *, can_reask: bool = False) -> None:
        self._say = say
        self.can_reask = can_reask
        self.asks: list[Ask] = []

    @property
    def identity(self) -> Mapping[str, Any]:
        return {"scheme": "told"}

    def ask(self, ask: Ask) -> Reply:
        self.asks.append(ask)
        data = json.loads(ask.prompt.user)
        said = self._say(data["first"], data["second"])
        if isinstance(said, JudgeCallError):
            raise said
        text = said if isinstance(said, str) or said is None else json.dumps(said)
        return Reply(text=text, finish_reason="stop", usage=Usage(100, 10, 1), attempts=1)


def prefers(answer: str, **changed: Any) -> Told:
    """A judge that prefers one answer wherever it stands."""
    return Told(lambda first, _: preference("first" if first == answer else "second", **changed))


def always(winner: str) -> Told:
    """A judge that says the same whatever it sees."""
    return Told(lambda *_: preference(winner))


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """A journal of its own."""
    return Journal(tmp_path / "journal.jsonl")
