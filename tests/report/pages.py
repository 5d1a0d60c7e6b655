"""Reports for the page, written by hand after the contract between the two."""

from __future__ import annotations

from typing import Any

SOURCE = "The reset link lasts 30 minutes. Rows stay in the trash for 30 days."


def row(**changed: Any) -> dict[str, Any]:
    """A row that the judge passed."""
    return {
        "run": "first",
        "case": "case-1",
        "description": None,
        "model": "model-a",
        "metric": "grounded",
        "outcome": "pass",
        "kind": "pass",
        "reason": "All criteria hold.",
        "question": "How long does the link last?",
        "answer": "It lasts 30 minutes.",
        "source": SOURCE,
        "critique": "The source says so.",
        "evidence": ["lasts 30 minutes"],
        "confidence": 0.9,
        "raw": '{"verdict": "pass"}',
        "label": None,
        "note": None,
        **changed,
    }


def entry(**changed: Any) -> dict[str, Any]:
    """A line of the leaderboard."""
    return {
        "run": "first",
        "model": "model-a",
        "metric": "grounded",
        "cases": 50,
        "decided": 48,
        "passed": 36,
        "rate": {"value": 0.75, "low": 0.61, "high": 0.85},
        "coverage": 0.96,
        "undecided": 1,
        "errors": {"truncated": 1},
        "corrected": None,
        "cost": 0.0123,
        "median_seconds": 1.5,
        "tokens": {"prompt": 5000, "completion": 700, "reasoning": 0},
        "tie_with_next": None,
        "canned": False,
        **changed,
    }


def report(*rows: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """A report on these rows."""
    return {
        "voirdire_report": 1,
        "tool_version": "0.1.0",
        "runs": [{"name": "first", "eval_id": "eval-1", "at": "2026-01-02", "rows": len(rows)}],
        "flags": [],
        "leaderboard": [entry()],
        "compared": None,
        "kinds": [{"kind": "truncated", "count": 1, "of": 50}],
        "calibration": None,
        "rows": list(rows),
        **changed,
    }


def full(said: str) -> dict[str, Any]:
    """A report with a text wherever one of somebody else's may stand."""
    bins = [
        {"start": 0.0, "end": 0.1, "cases": 0, "stated": 0, "right": 0, "low": 0, "high": 0},
        {"start": 0.9, "end": 1.0, "cases": 9, "stated": 0.97, "right": 0.7, "low": 0.4, "high": 1},
    ]
    texts = (
        "run case description model metric kind reason question answer source critique raw label"
        " note"
    ).split()
    flip = {"case": said, "model": said, "metric": said, "before": said, "after": "pass"}
    return report(
        row(**dict.fromkeys(texts, said), outcome="judge_error", evidence=[said]),
        row(outcome=said, case=said),
        tool_version=said,
        runs=[{"name": said, "eval_id": said, "at": said, "rows": 2}],
        flags=[{"kind": said, "text": said, "evidence": [said], "command": said}],
        leaderboard=[
            entry(
                run=said,
                model=said,
                metric=said,
                errors={said: 1},
                canned=True,
                tie_with_next=True,
                corrected={"value": None, "low": None, "high": None, "refused": said},
            ),
            entry(run=said, metric=said, corrected={"value": 0.7, "low": 0.5, "high": 0.9}),
        ],
        compared={"before": said, "after": said, "flips": [{**flip, "changed": [said]}]},
        kinds=[{"kind": said, "count": 1, "of": 2}],
        calibration={"reliability": bins},
    )
