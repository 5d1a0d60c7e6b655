"""What outcomes say of a judge: its own decision, and why there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from voirdire.calibration.judging import NO_REPLY
from voirdire.examination.finding import NOT_SHOWN, Finding, found
from voirdire.grade import Outcome

UNANSWERED = tuple(kind for kind in NO_REPLY if kind != "budget")
"""The same but for the budget, which the user has set."""
_MORE = "give more cases or calls; where there were enough, see the questions that it fails"


def decision(outcome: Outcome) -> str | None:
    """What the judge itself decided, whether or not it is taken; ``None`` where unreadable.

    A pass whose quotes stand nowhere is no pass of ours, but it is what the judge says.
    """
    return outcome.verdict.decision if outcome.verdict else None


def settled(outcome: Outcome) -> bool:
    """Whether it is a pass or a fail."""
    return outcome.outcome in ("pass", "fail")


def unread(outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Kinds of judge error → how often."""
    return dict(Counter(one.kind for one in outcomes if one.outcome == "judge_error"))


def too_few(
    what: str, outcomes: Sequence[Outcome], figures: Mapping[str, object] | None = None
) -> Finding:
    """The finding that nothing was shown, which tells unreadable replies from missing ones.

    Args:
        what: what there was too little of, such as ``passing cases``.
        outcomes: all that was asked for it.
        figures: those there are, nevertheless.
    """
    errors = unread(outcomes)
    missing = {kind: errors.pop(kind) for kind in NO_REPLY if kind in errors}
    why, advice = f"too few {what}", _MORE
    if errors:
        why += f"; {sum(errors.values())} of {len(outcomes)} replies unreadable ({_list(errors)})"
        advice = "make the judge readable first: see voice and form"
    if missing:
        why += (
            f"; {sum(missing.values())} of {len(outcomes)} calls without a reply ({_list(missing)})"
        )
        advice = "no reply came, which says nothing of the judge: mend that and examine it again"
    return found(None, why, advice, {**(figures or {}), "errors": {**errors, **missing}})


def went_unanswered(finding: Finding) -> bool:
    """Whether calls without a reply kept a question from being shown."""
    errors = finding.figures.get("errors") or {}
    return finding.result == NOT_SHOWN and any(kind in errors for kind in UNANSWERED)


def example(outcome: Outcome, case: str | None, what: str) -> dict[str, str]:
    """A case that speaks against the judge, for people."""
    said = outcome.verdict.critique if outcome.verdict else (outcome.raw or "")
    return {"case": case or "", "what": what[:500], "said": said[:500]}


def _list(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in counts.items())
