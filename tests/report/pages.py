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
        "unanswered": 0,
        "errors": {"truncated": 1},
        "corrected": None,
        "cost": 0.0123,
        "median_seconds": 1.5,
        "tokens": {"prompt": 5000, "completion": 700, "reasoning": 0},
        "tie_with_next": None,
        "judged": True,
        "judge_cost": 0.004,
        "canned": False,
        **changed,
    }


def report(*rows: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """A report on these rows."""
    return {
        "voirdire_report": 1,
        "tool_version": "0.1.0",
        "runs": [
            {
                "name": "first",
                "eval_id": "eval-1",
                "at": "2026-01-02",
                "rows": len(rows),
                "damaged": 0,
            }
        ],
        "flags": [],
        "leaderboard": [entry()],
        "compared": None,
        "kinds": [{"kind": "truncated", "count": 1, "of": 50}],
        "calibration": None,
        "rows": list(rows),
        "rows_left_out": 0,
        **changed,
    }


def compared(*flips: dict[str, Any], name: str = "old") -> dict[str, Any]:
    """Two runs and what flipped between them."""
    return {"before": name, "after": name, "flips": list(flips), "same": 7, "alone": 2}


def calibration(*bins: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """What is known of a judge."""
    return {
        "judge": "openai:some-judge",
        "date": "2026-01-01",
        "agreement": {"value": 0.8, "low": 0.6, "high": 0.9},
        "kappa": {"value": 0.5, "low": 0.2, "high": 0.8},
        "fails_caught": {"k": 3, "n": 4, "low": 0.3, "high": 0.9},
        "passes_kept": {"k": 5, "n": 6, "low": 0.4, "high": 0.9},
        "reliability": list(bins),
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
        runs=[{"name": said, "eval_id": said, "at": said, "rows": 2, "damaged": 1}],
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
        compared=compared({**flip, "changed": [said]}, name=said),
        kinds=[{"kind": said, "count": 1, "of": 2}],
        calibration=calibration(*bins, judge=said, date=said),
    )
