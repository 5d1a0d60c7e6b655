"""Results as promptfoo writes them, made by hand: one row an answer."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from voirdire.grade import Setup
from voirdire.promptfoo.runs import open_runs
from voirdire.report.report import make_report

INSTRUCTIONS = "You are grading output according to a user-specified rubric. Examples: none."
CLAIMS = "Every claim is supported by the resume."
ANSWER = "Led a team of five."


def row(
    case: str = "c1",
    *grades: dict[str, Any],
    model: str = "one",
    provider: str = "file://target.js",
    answer: Any = ANSWER,
    question: str = "Who led?",
    **changed: Any,
) -> dict[str, Any]:
    """A row of the results."""
    passed = all(grade["pass"] for grade in grades)
    return {
        "provider": {"id": provider, "label": model},
        "response": {
            "output": answer,
            "tokenUsage": {
                "prompt": 10,
                "completion": 5,
                "completionDetails": {"reasoning": 2},
            },
        },
        "prompt": {"raw": question, "label": "{{question}}"},
        "vars": {"case_id": case, "question": question},
        "testCase": {"vars": {"case_id": case}, "assert": []},
        "testIdx": 0,
        "promptIdx": 0,
        "success": passed,
        "failureReason": 0 if passed else 1,
        "latencyMs": 500,
        "cost": 0.01,
        "gradingResult": {"pass": passed, "componentResults": list(grades)},
        **changed,
    }


def rubric(
    passed: bool = True,
    reason: str = "It is so.",
    *,
    value: str = CLAIMS,
    rendered: str | None = None,
    score: float | None = None,
    answer: str = ANSWER,
    type_: str = "llm-rubric",
    **metadata: Any,
) -> dict[str, Any]:
    """What promptfoo keeps of an ``llm-rubric`` that it graded itself."""
    asked = rendered or value
    user = f"<Output>\n{answer}\n</Output>\n<Rubric>\n{asked}\n</Rubric>"
    messages = [
        {"role": "system", "content": INSTRUCTIONS},
        {"role": "user", "content": user},
    ]
    return {
        "assertion": {"type": type_, "value": value},
        "pass": passed,
        "score": float(passed) if score is None else score,
        "reason": reason,
        "metadata": {
            "renderedGradingPrompt": json.dumps(messages),
            "renderedAssertionValue": asked,
            **metadata,
        },
    }


def error(reason: str, type_: str = "llm-rubric") -> dict[str, Any]:
    """What promptfoo makes of an error of its grader."""
    return {
        "assertion": {"type": type_, "value": CLAIMS},
        "pass": False,
        "score": 0,
        "reason": reason,
        "metadata": {"graderError": True},
    }


def ours(outcome: str = "pass", kind: str = "", **changed: Any) -> dict[str, Any]:
    """What our door leaves of a grade."""
    data = {
        "question": "Who led?",
        "source": [{"id": "cv", "text": "Led a team of five."}],
        "answer": ANSWER,
    }
    verdict = {
        "critique": "The source says so.",
        "criteria": {"grounded": outcome == "pass"},
        "evidence": ["Led a team of five."],
        "verdict": outcome,
        "confidence": 0.9,
    }
    record = {
        "outcome": outcome,
        "kind": kind or outcome,
        "reason": "The source says so.",
        "verdict": verdict if outcome in ("pass", "fail") else None,
        "raw": json.dumps(verdict),
        "judge": "openai:judge-1@http://127.0.0.1:1/v1",
        "model": "judge-1",
        "canned": False,
        "fingerprint": "f" * 64,
        "setup": Setup("f" * 64)._asdict(),
        "calibration": "certified",
        "source_sha256": ["5" * 64],
        "same_family": None,
        "floating": False,
        "cost": 0.001,
        "rubric": {"name": "r", "version": "1"},
        "prompt": f"[system]\nExamine.\n[user]\n{json.dumps(data, indent=1)}",
        **changed,
    }
    return {
        "assertion": {"type": "python", "metric": "grounded", "value": "file://grounded.py"},
        "pass": record["outcome"] == "pass",
        "score": float(record["outcome"] == "pass"),
        "reason": record["reason"],
        "metadata": {"voirdire": record, "renderedGradingPrompt": record["prompt"]},
    }


def plain(passed: bool = True, type_: str = "equals") -> dict[str, Any]:
    """An assertion that asks nobody."""
    assertion = {"type": type_, "value": "x"}
    return {"assertion": assertion, "pass": passed, "score": float(passed), "reason": "compared"}


def write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """A results file, or lines where the name ends so."""
    listed = list(rows)
    if path.suffix == ".jsonl":
        text = "".join(json.dumps(one) + "\n" for one in listed)
    else:
        results = {"version": 3, "timestamp": "2026-12-01T10:00:00.000Z", "results": listed}
        text = json.dumps({"evalId": "eval-1", "results": results})
    path.write_text(text, encoding="utf-8")
    return path


def made(folder: Path, *runs: Iterable[dict[str, Any]], **options: Any) -> dict[str, Any]:
    """The report of runs with these rows."""
    paths = [write(folder / f"run-{number}.json", rows) for number, rows in enumerate(runs, 1)]
    return make_report(open_runs(paths), **options)


def raised(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """A report's flags by kind."""
    return {flag["kind"]: flag for flag in report["flags"]}
