"""A case, and judges behind a real HTTP API to ask about it, for the tests of the cache."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from voirdire.cache.recall import Memory
from voirdire.cache.store import Store, open_store
from voirdire.grade import Case, Outcome, grade
from voirdire.journal import Journal
from voirdire.judges.spec import make_judge
from voirdire.rubric import Rubric
from voirdire.source import Source

SOURCE = "The link lasts 30 minutes."
RUBRIC = Rubric("support", {"grounded": "Is it in the source?"})
CASE = Case((Source("help", SOURCE),), "How long?", "It lasts 30 minutes.", "case-1")
GOOD: dict[str, Any] = {
    "critique": "So it says.",
    "criteria": {"grounded": True},
    "evidence": [SOURCE],
    "verdict": "pass",
    "confidence": 0.95,
}
BAD = {**GOOD, "criteria": {"grounded": False}, "verdict": "fail"}


def asked(
    url: str,
    folder: Path,
    place: str | Store | None = None,
    *,
    case: Case = CASE,
    rubric: Rubric = RUBRIC,
    settings: dict[str, Any] | None = None,
    scheme: str = "openai:pinned-1",
    refresh: bool = False,
    **more: Any,
) -> Outcome:
    """The outcome of asking the judge at a URL; all files lie in the folder."""
    suffix = "" if scheme.startswith("anthropic") else "/v1"
    judge = make_judge(f"{scheme}@{url}{suffix}", {"retries": 0, **(settings or {})})
    if place is None or isinstance(place, str):
        place = open_store(place or str(folder / "cache.sqlite"))
    journal = Journal(folder / "journal.jsonl")
    return grade(case, rubric, judge, journal, memory=Memory(place, refresh), **more)


def text(verdict: dict[str, Any]) -> str:
    """A verdict as a judge writes it."""
    return json.dumps(verdict)
