"""The report card for machines and for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from voirdire.examination.finding import FAIL, NOT_SHOWN, RESULTS, Finding
from voirdire.examination.verdicts import went_unanswered

UNFIT, NOT_EXAMINED, CLEAN = "unfit", "not examined", "no question failed"


def card(findings: Sequence[Finding]) -> dict[str, Any]:
    """The report card as JSON values.

    Returns:
        ``verdict`` (:data:`UNFIT` where a question failed; :data:`NOT_EXAMINED` where nothing was
        shown, or calls without a reply kept a question from being shown; else :data:`CLEAN`),
        ``results`` (result → how many questions) and ``questions``, each with all that its
        finding holds.
    """
    results = {name: sum(one.result == name for one in findings) for name in RESULTS}
    return {
        "verdict": _verdict(findings),
        "results": results,
        "questions": [one._asdict() for one in findings],
    }


def lines(report: Mapping[str, Any]) -> list[str]:
    """A report card as lines for people: one a question, then what to do."""
    questions = report["questions"]
    width = max((len(one["name"]) for one in questions), default=0)
    told = [f"{one['result']:<9} {one['name']:<{width}}  {one['answered']}" for one in questions]
    advice: dict[str, list[str]] = {}
    for one in questions:
        advice.setdefault(one["advice"], []).append(one["name"])
    todo = [f"  {', '.join(names)}: {what}" for what, names in advice.items() if what]
    return [*told, *(["", "What to do", *todo] if todo else []), "", summary(report)]


def summary(report: Mapping[str, Any]) -> str:
    """The verdict on the judge, in a line."""
    counts = ", ".join(f"{count} {name}" for name, count in report["results"].items())
    return f"{report['verdict']} ({counts})"


def _verdict(findings: Sequence[Finding]) -> str:
    if any(one.result == FAIL for one in findings):
        return UNFIT
    if all(one.result == NOT_SHOWN for one in findings) or any(map(went_unanswered, findings)):
        return NOT_EXAMINED
    return CLEAN
