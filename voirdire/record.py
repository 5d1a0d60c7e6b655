"""An outcome as plain JSON values: what promptfoo's metadata and `--json` carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from voirdire.grade import Outcome
from voirdire.judges.base import Judge
from voirdire.reply import Reply, Usage


def as_record(
    outcome: Outcome, judge: Judge | None = None, tested: Sequence[str] = ()
) -> dict[str, Any]:
    """The outcome with all that is needed to check it.

    ``raw`` is the visible reply, ``payload`` (judge errors only) the whole body received;
    ``tokens`` counts all calls, ``reasoning`` being a part of ``completion``; ``cache`` says
    whether a stored verdict was used; ``calibration`` whether the judge was measured.

    Args:
        outcome: what came of a case.
        judge: who was asked; adds what :func:`judge_facts` says of it.
        tested: names of the model under test, the surest first.
    """
    record: dict[str, Any] = {
        "outcome": outcome.outcome,
        "kind": outcome.kind,
        "reason": outcome.reason,
        "score": outcome.score,
        "verdict": outcome.verdict.to_json() if outcome.verdict else None,
        "raw": outcome.raw,
        **reply_record(outcome.reply),
        "tokens": tokens(outcome),
        "judge": outcome.judge,
        "canned": outcome.canned,
        "fingerprint": outcome.fingerprint,
        "cache": outcome.cache,
        "calibration": "uncertified",
        "journal_id": outcome.journal_id,
        "normalisations": list(outcome.normalisations),
        "prompt_sha256": outcome.prompt.sha256,
        "source_sha256": list(outcome.prompt.source_hashes),
    }
    if judge is not None:
        # Where the rules decided beforehand, nobody else was asked.
        asked = judge if judge.spec == outcome.judge else None
        record.update(judge_facts(asked, outcome.usage, tested))
    if outcome.marks:
        record["marks"] = list(outcome.marks)
    if outcome.samples:
        record["samples"] = [_sample(sample) for sample in outcome.samples]
    if outcome.outcome == "judge_error":
        record["payload"] = outcome.payload
    if outcome.first_reply is not None:
        record["first_reply"] = outcome.first_reply
    return record


def judge_facts(judge: Judge | None, usage: Usage, tested: Sequence[str] = ()) -> dict[str, Any]:
    """What is worth knowing of who judged.

    ``floating``: whether the judge may be another model tomorrow. ``judge_family``,
    ``tested_family``, ``same_family``: null where a name tells none. ``cost``: US dollars of all
    calls, null where the price or the tokens are not known; ``cost_basis``: the date of the price
    list, or ``settings``. ``warnings``: sentences for people.
    """
    facts: dict[str, Any] = {
        "floating": False,
        "judge_family": None,
        "tested_family": None,
        "same_family": None,
        "cost": 0.0,
        "cost_basis": None,
        "warnings": [],
    }
    if judge is None or "model" not in judge.identity:
        return facts
    from voirdire.judges.families import family_of
    from voirdire.judges.model import ModelJudge

    if not isinstance(judge, ModelJudge):
        return facts
    family = family_of(judge.model)
    other = next(filter(None, map(family_of, tested)), None)
    facts["judge_family"], facts["tested_family"] = family, other
    if family and other:
        facts["same_family"] = family == other
    # A verdict that was kept cost nothing, whatever the price.
    if (usage.prompt, usage.completion) != (0, 0):
        price = judge.price
        facts["cost"] = price.of(usage) if price else None
        facts["cost_basis"] = price.basis if price else None
    facts["floating"] = judge.floating
    if judge.floating:
        facts["warnings"].append(
            f"{judge.spec} names no fixed version of a model: it may judge otherwise tomorrow"
        )
    if facts["same_family"]:
        facts["warnings"].append(
            f"judge and model under test are both of the family {family}: models tend to favour"
            " answers of their own kind"
        )
    return facts


def _sample(outcome: Outcome) -> dict[str, Any]:
    """What one of several askings came to; an order-checked sample holds its two orders."""
    record: dict[str, Any] = {
        "outcome": outcome.outcome,
        "kind": outcome.kind,
        "score": outcome.score,
        "raw": outcome.raw,
        "cache": outcome.cache,
        "journal_id": outcome.journal_id,
        "prompt_sha256": outcome.prompt.sha256,
    }
    if outcome.samples:
        record["samples"] = [_sample(sample) for sample in outcome.samples]
    return record


def tokens(outcome: Outcome) -> dict[str, int]:
    """Tokens of all calls; 0 where the API did not say."""
    return usage_record(outcome.usage)


def usage_record(usage: Usage) -> dict[str, int]:
    """Token counts with their total; 0 where the API did not say."""
    prompt, completion = usage.prompt or 0, usage.completion or 0
    return {
        "prompt": prompt,
        "completion": completion,
        "reasoning": usage.reasoning or 0,
        "total": prompt + completion,
    }


def reply_record(reply: Reply | None) -> dict[str, Any]:
    """What is known of a reply beside its text; nulls where there was none."""
    return {
        "finish_reason": reply.finish_reason if reply else None,
        "reasoning": reply.reasoning if reply else None,
        "model": reply.model if reply else None,
        "notes": list(reply.notes) if reply else [],
        "latency_ms": round(reply.latency_ms, 1) if reply else None,
        "attempts": reply.attempts if reply else None,
    }
