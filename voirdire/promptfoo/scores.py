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

    Each is the share of the row's graded assertions that came out so. Other hooks, and rows
    that voirdire graded nothing of, are handed back as they came.
    """
    if hook != "afterEach" or not isinstance(context, dict):
        return context
    result = context.get("result")
    found = list(_outcomes(result))
    if not found or not isinstance(result, dict):
        return context
    scores = {
        name: sum(named_scores(outcome)[name] for outcome in found) / len(found)
        for name in named_scores("")
    }
    merged = {**(result.get("namedScores") or {}), **scores}
    return {**context, "result": {**result, "namedScores": merged}}


def _outcomes(result: Any) -> Iterator[str]:
    grading = result.get("gradingResult") if isinstance(result, Mapping) else None
    for component in (grading or {}).get("componentResults") or []:
        record = ((component or {}).get("metadata") or {}).get("voirdire")
        if isinstance(record, Mapping) and record.get("outcome") in OUTCOMES:
            yield str(record["outcome"])
