"""The report of a calibration, as JSON values."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from voirdire.calibration.labelled import Judged
from voirdire.calibration.measures import Pair, brief, measures, tabled, treatments
from voirdire.grade import Outcome
from voirdire.judges.families import family_of

DECIDED = ("pass", "fail")
Cost = Callable[[Outcome], float | None]


def pairs_of(judged: Sequence[Judged]) -> list[Pair]:
    """What people and the judge said of each case."""
    return [(one.labelled.label, one.outcome.outcome) for one in judged]


def calibration_report(judged: Sequence[Judged], seed: int, cost: Cost) -> dict[str, Any]:
    """All that a judge's outcomes say of it, over labelled cases.

    Args:
        judged: every labelled case with the judge's outcome, at least one.
        seed: of the bootstrap intervals.
        cost: US dollars of an outcome; ``None`` where they are not known.
    """
    pairs = pairs_of(judged)
    return {
        **measures(tabled(pairs), seed),
        "cases": {
            "n": len(judged),
            "fails": sum(label == "fail" for label, _ in pairs),
            "passes": sum(label == "pass" for label, _ in pairs),
            "decided": sum(outcome in DECIDED for _, outcome in pairs),
        },
        "missing": missing(judged),
        "missing_by_label": missing_by_label(pairs),
        "treatments": treatments(pairs),
        "criteria": by_criterion(judged),
        "pattern": pattern(judged),
        "tags": _grouped(judged, lambda one: one.labelled.tags),
        "families": families(judged),
        "humans": humans(judged),
        "confidence": confidence(judged),
        "disagreements": disagreements(judged),
        "cost": spending(judged, cost),
        "verdicts": {str(one.labelled.case.id): one.outcome.outcome for one in judged},
    }


def constant(judged: Sequence[Judged], verdict: str, seed: int) -> dict[str, Any]:
    """The measures of a judge that says the same of everything."""
    return measures(tabled((one.labelled.label, verdict) for one in judged), seed)


def missing(judged: Sequence[Judged]) -> dict[str, int]:
    """Cases without a verdict, by kind: ``undecided``, or the kind of the judge error."""
    kinds = Counter(
        "undecided" if one.outcome.outcome == "undecided" else one.outcome.kind
        for one in judged
        if one.outcome.outcome not in DECIDED
    )
    return dict(sorted(kinds.items()))


def missing_by_label(pairs: Sequence[Pair]) -> dict[str, Any]:
    """Whether cases without a verdict go with the label: leaving those out flatters the judge."""
    from voirdire.stats.tests import fisher

    counts = {
        label: [
            sum(one == label and outcome not in DECIDED for one, outcome in pairs),
            sum(one == label for one, _ in pairs),
        ]
        for label in ("fail", "pass")
    }
    (fail, fails), (passed, passes) = counts["fail"], counts["pass"]
    p = fisher((fail, fails - fail), (passed, passes - passed)) if fail + passed else None
    return {
        **{label: {"missing": k, "n": n} for label, (k, n) in counts.items()},
        "p": p,
        "goes_with_label": bool(p is not None and p < 0.05),
    }


def by_criterion(judged: Sequence[Judged]) -> dict[str, Any]:
    """Each criterion against what people said of it; where they did not, how often it failed."""
    names = dict.fromkeys(
        name
        for one in judged
        for name in (one.outcome.verdict.criteria if one.outcome.verdict else ())
    )
    word = {True: "pass", False: "fail"}
    result = {}
    for name in names:
        seen = [
            (one.labelled.criteria.get(name), one.outcome.verdict.criteria[name])
            for one in judged
            if one.outcome.outcome in DECIDED
            and one.outcome.verdict
            and name in one.outcome.verdict.criteria
        ]
        labelled = [(word[said], word[holds]) for said, holds in seen if said is not None]
        result[name] = {
            "failed": sum(not holds for _, holds in seen),
            "of": len(seen),
            "labelled": brief(tabled(labelled)) if labelled else None,
        }
    return result


def pattern(judged: Sequence[Judged]) -> dict[str, int]:
    """What the judge's fails point at, where its criteria are of the usual names."""
    found = {"invented": 0, "retrieval": 0}
    for one in judged:
        verdict = one.outcome.verdict
        if one.outcome.outcome != "fail" or verdict is None or "grounded" not in verdict.criteria:
            continue
        if not verdict.criteria["grounded"]:
            found["invented"] += 1
        elif not verdict.criteria.get("answers_question", True):
            found["retrieval"] += 1
    return found


def families(judged: Sequence[Judged]) -> dict[str, Any]:
    """By the family of the model that wrote the answer: does the judge favour its own?"""
    groups = _grouped(judged, lambda one: filter(None, (family_of(one.labelled.model),)))
    for family, found in groups.items():
        rows = [one for one in judged if family_of(one.labelled.model) == family]
        decided = [one for one in rows if one.outcome.outcome in DECIDED]
        if decided:
            passed = sum(one.outcome.outcome == "pass" for one in decided) / len(decided)
            right = sum(one.labelled.label == "pass" for one in decided) / len(decided)
            found["favour"] = passed - right
    return groups


def humans(judged: Sequence[Judged]) -> dict[str, Any] | None:
    """How far two annotators agree with each other; ``None`` where there is only one."""
    pairs = [(one.labelled.label, one.labelled.second) for one in judged if one.labelled.second]
    return brief(tabled(pairs)) if pairs else None


def confidence(judged: Sequence[Judged]) -> dict[str, Any] | None:
    """What the stated confidence is worth, and the threshold that the labels support.

    Verdicts that only their confidence kept from counting are among the rows.
    """
    from voirdire.stats import confidence as stated

    rows = [
        (one.outcome.verdict.confidence, one.outcome.verdict.decision == one.labelled.label)
        for one in judged
        if one.outcome.verdict is not None
        and (one.outcome.outcome in DECIDED or one.outcome.kind == "low_confidence")
        and one.outcome.verdict.decision in DECIDED
    ]
    if not rows:
        return None
    supported = stated.supported_threshold(rows)
    return {
        "verdicts": len(rows),
        "brier": stated.brier(rows),
        "reliability": [found._asdict() for found in stated.reliability(rows)],
        "risk_coverage": [found._asdict() for found in stated.risk_coverage(rows)],
        "supported_threshold": supported._asdict() if supported else None,
    }


def disagreements(judged: Sequence[Judged]) -> list[dict[str, Any]]:
    """Every case that judge and person decide differently, the most confident first."""
    found = []
    for one in judged:
        labelled, outcome = one.labelled, one.outcome
        if outcome.outcome not in DECIDED or outcome.outcome == labelled.label:
            continue
        verdict = outcome.verdict
        found.append(
            {
                "id": labelled.case.id,
                "where": labelled.where,
                "question": labelled.case.question,
                "answer": labelled.case.answer,
                "label": labelled.label,
                "note": labelled.note,
                "outcome": outcome.outcome,
                "confidence": verdict.confidence if verdict else None,
                "critique": verdict.critique if verdict else outcome.detail,
                "criteria": dict(verdict.criteria) if verdict else {},
                "evidence": list(verdict.evidence) if verdict else [],
                "claims": [claim._asdict() for claim in verdict.claims] if verdict else [],
                "tags": list(labelled.tags),
            }
        )
    return sorted(found, key=lambda row: (-(row["confidence"] or 0), str(row["id"])))


def spending(judged: Sequence[Judged], cost: Cost) -> dict[str, Any]:
    """Tokens, US dollars and seconds, also for 200 cases; nulls where they are not known."""
    n = len(judged)
    costs = [cost(one.outcome) for one in judged]
    known = [value for value in costs if value is not None]
    total = sum(known) if len(known) == n else None
    latencies = [
        one.outcome.reply.latency_ms / 1000
        for one in judged
        if one.outcome.reply is not None and one.outcome.reply.latency_ms and not one.outcome.canned
    ]
    return {
        "usd": total,
        "usd_per_200": None if total is None else 200 * total / n,
        "prompt_tokens": sum(one.outcome.usage.prompt or 0 for one in judged),
        "completion_tokens": sum(one.outcome.usage.completion or 0 for one in judged),
        "median_seconds": statistics.median(latencies) if latencies else None,
    }


def _grouped(judged: Sequence[Judged], keys: Callable[[Judged], Any]) -> dict[str, dict[str, Any]]:
    groups: dict[str, list[Pair]] = {}
    for one in judged:
        for key in keys(one):
            groups.setdefault(key, []).append((one.labelled.label, one.outcome.outcome))
    return {
        key: {**brief(tabled(pairs)), "missing": sum(out not in DECIDED for _, out in pairs)}
        for key, pairs in sorted(groups.items())
    }


def spoken(report: Mapping[str, Any]) -> str:
    """The measures of a report on one line."""
    caught, kept = report["fails_caught"], report["passes_kept"]
    agreement, kappa = report["agreement"]["value"], report["kappa"]["value"]
    return (
        f"agreement {'undefined' if agreement is None else f'{agreement:.0%}'}, "
        f"kappa {'undefined' if kappa is None else f'{kappa:.2f}'}, "
        f"fails caught {caught['k']} of {caught['n']}, passes kept {kept['k']} of {kept['n']}"
    )
