"""Recorded texts behind promptfoo's provider door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.promptfoo import suite
from voirdire.promptfoo.canned import provider


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(suite, "_parent_arguments", list)
    Path("one.jsonl").write_text(json.dumps({"id": "a", "answer": "A", "reply": "R"}))
    Path("two.jsonl").write_text(json.dumps({"id": "b", "answer": "B"}))


def served(case_id: Any, **config: Any) -> dict[str, Any]:
    return provider({"config": config}, {"vars": {"case_id": case_id}})


def test_the_text_of_the_case_is_served_labelled_and_not_cached() -> None:
    response = served("a", answers="one.jsonl")
    assert response["output"] == "A"
    assert response["metadata"]["canned"] is True
    assert response["error"] is False
    assert served("a", replies="one.jsonl")["output"] == "R"
    assert served("b", answers=["one.jsonl", "two.jsonl"])["output"] == "B"


@pytest.mark.parametrize(
    ("case_id", "config", "message"),
    [
        ("c", {"answers": "one.jsonl"}, "no answer was recorded for the case 'c'"),
        ("b", {"replies": "two.jsonl"}, r"two.jsonl:1: `reply` must be text"),
        ("a", {}, "give `answers: FILES` or `replies: FILES`"),
        ("a", {"answers": "one.jsonl", "replies": "one.jsonl"}, "give `answers"),
        ("a", {"answers": "none.jsonl"}, "none.jsonl: cannot be read"),
    ],
)
def test_a_missing_record_is_an_error(case_id: str, config: dict[str, Any], message: str) -> None:
    response = served(case_id, **config)
    assert set(response) == {"error"}
    assert message in response["error"]


def test_a_call_without_anything_is_an_error() -> None:
    assert "error" in provider(None, None)
