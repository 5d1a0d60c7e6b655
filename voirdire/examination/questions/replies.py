"""Questions about a judge's replies: that there are some, their form, and what they quote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any

from voirdire.calibration.judging import NO_REPLY
from voirdire.examination.finding import FEW, STEADY, Finding, figure, found, reaches, shows, some
from voirdire.examination.room import Room
from voirdire.examination.verdicts import decision, example, too_few
from voirdire.grade import Outcome
from voirdire.judges.openai import OpenAIJudge
from voirdire.pairwise.tally import Share
from voirdire.reply import Reply

BUDGETS = (256, 1024, 4096)
_MUTE = ("silent", "truncated")
_AT_A_BUDGET = FEW


def voice(room: Room) -> Finding:
    """Silent and cut replies at its own budget, and at three others where it has one."""
    base = [one.outcome for one in room.base]
    spoke = _spoke(base)
    figures: dict[str, Any] = {
        "spoke": figure(spoke),
        "kinds": _mute(base),
        **_tokens(room.judge.replies),
        "budgets": {},
    }
    tried: dict[int, Share] = {}
    cases = [one.case for one in room.battery.cases[:_AT_A_BUDGET]]
    for budget in BUDGETS if room.judge.model else ():
        judge = room.variant(max_tokens=budget)
        outcomes = room.grade(cases, judge)
        if not outcomes:
            break
        tried[budget] = _spoke(outcomes)
        figures["budgets"][str(budget)] = {
            "spoke": figure(tried[budget]),
            "kinds": _mute(outcomes),
            **_tokens(judge.replies),
        }
    told = f"{spoke.of - spoke.count} of {spoke.of} replies are silent or cut off at its own budget"
    told += "".join(
        f", {share.of - share.count} of {share.of} at {budget:,} tokens"
        for budget, share in tried.items()
    )
    if shows(spoke) and not reaches(spoke, STEADY):
        return found(False, told, _advice_on_voice(tried), figures)
    if not shows(spoke):
        return too_few("replies", base, figures)
    if not tried:
        why = "it has no token budget that could be set" if not room.judge.model else "no call left"
        return found(None, f"{told}; {why}", figures=figures)
    return found(True, told, figures=figures)


def form(room: Room) -> Finding:
    """Whole verdicts that agree with themselves, as it is asked and without structured output."""
    base = [one.outcome for one in room.base]
    whole = _whole(base)
    mended = sum(outcome.first_reply is not None for outcome in base if decision(outcome))
    figures: dict[str, Any] = {
        "whole": figure(whole),
        "kinds": _kinds(base),
        "mended_when_asked_again": mended,
        "structured_output_refused": any(
            "structured output" in note for reply in room.judge.replies for note in reply.notes
        ),
        "without_structured_output": None,
    }
    told = f"{whole.count} of {whole.of} replies are whole verdicts that agree with themselves"
    faults = {kind: count for kind, count in _kinds(base).items() if kind != "whole"}
    if faults:
        told += f" ({', '.join(f'{kind} {count}' for kind, count in faults.items())})"
    if isinstance(room.judge.model, OpenAIJudge):
        extra = {**room.judge.model.settings.extra, "response_format": {"type": "text"}}
        plain = room.grade(
            [one.case for one in room.battery.cases[:_AT_A_BUDGET]], room.variant(extra=extra)
        )
        share = _whole(plain)
        figures["without_structured_output"] = {"whole": figure(share), "kinds": _kinds(plain)}
        told += f"; {share.count} of {share.of} without structured output" if share.of else ""
    if not shows(whole):
        return too_few("replies that say something", base, figures)
    good = reaches(whole, STEADY)
    figures["examples"] = some(
        [
            example(one.outcome, one.labelled.case.id, one.outcome.reason[:200])
            for one in room.base
            if _fault(one.outcome) and one.outcome.kind not in (*NO_REPLY, *_MUTE)
        ]
    )
    advice = (
        "use structured output where the server has it, try --policy tolerant where prose surrounds"
        " the verdict, or take another judge"
    )
    return found(good, told, "" if good else advice, figures)


def evidence(room: Room) -> Finding:
    """Quotes that stand in the source or the answer, and for a pass one in the source."""
    base = [one.outcome for one in room.base]
    quoting = [
        one
        for one in room.base
        if decision(one.outcome) in ("pass", "fail") and not _contradicts(one.outcome)
    ]
    invented = [one for one in quoting if one.outcome.kind == "evidence_not_found"]
    share = Share(len(quoting) - len(invented), len(quoting))
    figures = {
        "quotes_found": figure(share),
        "examples": some(
            [example(one.outcome, one.labelled.case.id, one.outcome.detail) for one in invented]
        ),
    }
    if not shows(share):
        return too_few("verdicts with quotes", base, figures)
    told = f"the quotes of {share.count} of {share.of} verdicts exist, in the source for a pass"
    advice = (
        "such verdicts are undecided, never passes; ask for shorter quotes in the rubric's rules,"
        " or take a judge that copies letter by letter"
    )
    good = reaches(share, STEADY)
    return found(good, told, "" if good else advice, figures)


def _spoke(outcomes: Sequence[Outcome]) -> Share:
    """Replies that are there to be read, out of those that came at all."""
    came = [outcome for outcome in outcomes if outcome.kind not in NO_REPLY]
    return Share(sum(outcome.kind not in _MUTE for outcome in came), len(came))


def _mute(outcomes: Sequence[Outcome]) -> dict[str, int]:
    return dict(Counter(outcome.kind for outcome in outcomes if outcome.kind in _MUTE))


def _tokens(replies: Sequence[Reply]) -> dict[str, Any]:
    """Medians of visible and of reasoning tokens, and of the budget's share; null if unknown."""
    thought = [reply.usage.reasoning for reply in replies if reply.usage.reasoning is not None]
    spent = [
        (reply.usage.completion, reply.usage.reasoning or 0, reply.max_tokens)
        for reply in replies
        if reply.usage.completion is not None
    ]
    visible = [completion - hidden for completion, hidden, _ in spent]
    shares = [completion / budget for completion, _, budget in spent if budget]
    return {
        "visible_tokens": median(visible) if visible else None,
        "reasoning_tokens": median(thought) if thought else None,
        "share_of_budget": round(median(shares), 3) if shares else None,
    }


def _advice_on_voice(tried: dict[int, Share]) -> str:
    enough = [budget for budget, share in tried.items() if shows(share) and reaches(share, STEADY)]
    if enough:
        return f"set max_tokens to {min(enough)} or more: it speaks there"
    if tried:
        return "no budget that was tried is enough: take a judge that does not reason"
    return "raise max_tokens, or take a judge that does not reason"


def _whole(outcomes: Sequence[Outcome]) -> Share:
    """Whole verdicts out of the replies that say something: silence is voice's to find."""
    faults = [_fault(one) for one in outcomes if one.kind not in (*NO_REPLY, *_MUTE)]
    return Share(faults.count(""), len(faults))


def _kinds(outcomes: Sequence[Outcome]) -> dict[str, int]:
    said = [one for one in outcomes if one.kind not in (*NO_REPLY, *_MUTE)]
    return dict(Counter(_fault(one) or "whole" for one in said))


def _fault(outcome: Outcome) -> str:
    """What is wrong with a reply's form; empty where nothing is."""
    if outcome.outcome == "judge_error":
        return outcome.kind
    return "contradiction" if _contradicts(outcome) else ""


def _contradicts(outcome: Outcome) -> bool:
    return outcome.kind == "contradiction"
