"""Sources, rubrics, answers and recorded replies for suites, and the files they go into."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
ASSERTION = f"file://{ROOT}/assertions/grounded.py"
JUDGE = f"file://{ROOT}/providers/judge.py"
REPLAY = f"file://{ROOT}/providers/replay.py"
HOOK = f"file://{ROOT}/extensions/named_scores.py:extension_hook"

SOURCE = "The reset link lasts 30 minutes. Rows stay in the trash for 30 days."
QUOTE = "The reset link lasts 30 minutes."
ANSWER = "It lasts 30 minutes."

RUBRIC = {"name": "support", "criteria": {"grounded": "Is every statement in the source?"}}
CLAIM_RUBRIC = {"name": "claims", "mode": "claims"}


def verdict(decision: str = "pass", confidence: float = 0.95, **changed: Any) -> dict[str, Any]:
    """A verdict under ``RUBRIC`` that meets the schema."""
    return {
        "critique": "The source says so.",
        "criteria": {"grounded": decision != "fail"},
        "evidence": [QUOTE],
        "verdict": decision,
        "confidence": confidence,
        **changed,
    }


def claims(status: str = "supported", quote: str | None = QUOTE, **changed: Any) -> dict[str, Any]:
    """A verdict under ``CLAIM_RUBRIC`` on ``ANSWER``."""
    return {
        "critique": "One claim.",
        "claims": [{"answer_quote": ANSWER, "status": status, "source_quote": quote}],
        "verdict": "pass" if status == "supported" else "fail",
        "confidence": 0.95,
        **changed,
    }


def record(identity: str, reply: Any, **fields: Any) -> dict[str, Any]:
    """A recorded reply; what is not text is sent as JSON."""
    text = reply if isinstance(reply, str) or reply is None else json.dumps(reply)
    return {"id": identity, "reply": text, "finish_reason": "stop", **fields}


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> Path:
    """A JSONL file."""
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def door_config(**changed: Any) -> dict[str, Any]:
    """The ``config:`` of either door for files written beside the suite."""
    config = {"rubric": "rubric.yaml", "source": "source.md", "judge": "replay:replies.jsonl"}
    return {key: value for key, value in {**config, **changed}.items() if value is not None}


def explicit(config: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """An assertion through the explicit door."""
    return {"type": "python", "value": ASSERTION, "config": dict(config), **fields}


def drop_in(config: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """An assertion through the drop-in door."""
    provider = {"id": JUDGE, "config": dict(config)}
    return {"type": "llm-rubric", "value": "Is it grounded?", "provider": provider, **fields}


def write_files(folder: Path, replies: Iterable[Mapping[str, Any]]) -> None:
    """The files that ``door_config`` names."""
    (folder / "source.md").write_text(SOURCE, encoding="utf-8")
    (folder / "rubric.yaml").write_text(json.dumps(RUBRIC), encoding="utf-8")
    (folder / "claims.yaml").write_text(json.dumps(CLAIM_RUBRIC), encoding="utf-8")
    write_lines(folder / "replies.jsonl", replies)


def case(name: str, asserts: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """A test of a suite, its ``case_id`` the name unless vars say otherwise."""
    vars_ = {"case_id": name, "question": "How long?", "answer": ANSWER, **fields.pop("vars", {})}
    return {"description": name, "vars": vars_, "assert": asserts, **fields}


def suite(tests: Any, **fields: Any) -> dict[str, Any]:
    """A suite whose target echoes the var ``answer``."""
    return {"prompts": ["{{answer}}"], "providers": ["echo"], "tests": tests, **fields}
