"""Named scores for promptfoo's viewer and derived metrics: ``judge_pass``, ``judge_error``, …"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

OUTCOMES = ("pass", "fail", "undecided", "judge_error")


def named_scores(outcome: str) -> dict[str, int]:
    """``judge_pass``, ``judge_fail``, ``judge_undecided``, ``judge_error``: one of them is 1."""
    return {f"judge_{name.removeprefix('judge_')}": int(name == outcome) for name in OUTCOMES}


def extension_hook(hook: str, context: Any) -> Any:
    """promptfoo's ``afterEach``: the outcomes of a row's assertions as its named scores.

    Each is the share of the row's graded assertions that came out so. What a judge sent instead
    of a verdict becomes metadata of the row: promptfoo's viewer shows no assertion's. Other
    hooks, and rows that voirdire graded nothing of, are handed back as they came.
    """
    if hook != "afterEach" or not isinstance(context, dict):
        return context
    result = context.get("result")
    found = list(_graded(result))
    if not found or not isinstance(result, dict):
        return context
    scores = {
        name: sum(named_scores(record["outcome"])[name] for _, record in found) / len(found)
        for name in named_scores("")
    }
    changed = {**result, "namedScores": {**(result.get("namedScores") or {}), **scores}}
    replies = {
        f"raw reply ({metric})": record["payload"]
        for metric, record in found
        if record["outcome"] == "judge_error" and record.get("payload")
    }
    if replies:
        changed["metadata"] = {**(result.get("metadata") or {}), **replies}
    return {**context, "result": changed}


def _graded(result: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The metric of each assertion that voirdire graded, with its record."""
    grading = result.get("gradingResult") if isinstance(result, Mapping) else None
    for component in (grading or {}).get("componentResults") or []:
        record = ((component or {}).get("metadata") or {}).get("voirdire")
        if isinstance(record, Mapping) and record.get("outcome") in OUTCOMES:
            assertion = component.get("assertion") or {}
            yield str(assertion.get("metric") or assertion.get("type")), record
