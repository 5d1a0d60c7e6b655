"""From a readable verdict to a ruling: evidence, consistency and confidence are checked in code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from voirdire.evidence import Texts
from voirdire.rubric import Rubric
from voirdire.source import Source
from voirdire.strictjson import shorten
from voirdire.verdict import Verdict


class Ruling(NamedTuple):
    """What a verdict amounts to once it was checked.

    Attributes:
        outcome: ``pass``, ``fail`` or ``undecided``.
        kind: why it is undecided (``cannot_decide``, ``empty_answer``,
            ``contradiction``, ``evidence_not_found``, ``incomplete``,
            ``low_confidence``); else the outcome.
        detail: one sentence for people.
        score: share of criteria or claims that hold, 0 to 1.
    """

    outcome: str
    kind: str
    detail: str
    score: float


def rule(verdict: Verdict, rubric: Rubric, sources: Sequence[Source], answer: str) -> Ruling:
    """Check a verdict against the texts it speaks of. Pure.

    A pass needs every criterion true (every claim supported), every quote found, at least
    one of them in the source, and the rubric's confidence. A fail needs a criterion false
    (a claim not supported), every quote found, and the confidence. All else is undecided.
    """
    if verdict.decision == "pass" and not any(map(str.isalnum, answer)):
        return _undecided("empty_answer", "there is no answer to pass", verdict)
    if verdict.decision == "cannot_decide":
        why = f": {verdict.critique}" if verdict.critique.strip() else ""
        return _undecided("cannot_decide", f"the judge cannot decide{why}", verdict)
    claims = bool(verdict.claims)
    if (verdict.decision == "pass") != (verdict.score == 1):
        held = "all of its claims are supported" if claims else "all of its criteria hold"
        fails = "some of its claims are not supported" if claims else "some of its criteria do not"
        said = held if verdict.score == 1 else fails
        return _undecided(
            "contradiction", f"the verdict is {verdict.decision}, yet {said}", verdict
        )
    missing = (_claim_fault if claims else _evidence_fault)(verdict, sources, answer)
    if missing:
        return _undecided("evidence_not_found", missing, verdict)
    left_out = _left_out(verdict, rubric, answer) if claims else []
    if left_out:
        more = f" and {len(left_out) - 1} more" if len(left_out) > 1 else ""
        return _undecided(
            "incomplete", f"no claim covers {shorten(left_out[0], 120)}{more}", verdict
        )
    if verdict.confidence < rubric.threshold:
        return _undecided(
            "low_confidence",
            f"confidence {verdict.confidence:g} is below the threshold {rubric.threshold:g}",
            verdict,
        )
    return Ruling(verdict.decision, verdict.decision, _summary(verdict), verdict.score)


def _left_out(verdict: Verdict, rubric: Rubric, answer: str) -> list[str]:
    from voirdire.coverage import skipped  # for claims alone: promptfoo waits for every import

    return skipped(answer, (claim.answer_quote for claim in verdict.claims), rubric.ignore)


def _undecided(kind: str, detail: str, verdict: Verdict) -> Ruling:
    return Ruling("undecided", kind, detail, verdict.score)


def _evidence_fault(verdict: Verdict, sources: Sequence[Source], answer: str) -> str:
    truth, given = Texts(source.text for source in sources), Texts([answer])
    in_source = [truth.hold(quote) for quote in verdict.evidence]
    for quote, found in zip(verdict.evidence, in_source, strict=True):
        if not found and not given.hold(quote):
            return f"the quote {shorten(quote, 120)} stands in neither the source nor the answer"
    if verdict.decision == "pass" and not any(in_source):
        return "a pass needs a quote from the source; all of them are from the answer"
    return ""


def _claim_fault(verdict: Verdict, sources: Sequence[Source], answer: str) -> str:
    truth, given = Texts(source.text for source in sources), Texts([answer])
    for claim in verdict.claims:
        if not given.hold(claim.answer_quote):
            return f"the claim {shorten(claim.answer_quote, 120)} does not stand in the answer"
        quote = claim.source_quote
        if quote is None or truth.hold(quote):
            continue
        if claim.status == "supported":
            return f"the quote {shorten(quote, 120)} does not stand in the source"
        if not given.hold(quote):
            return f"the quote {shorten(quote, 120)} stands in neither the source nor the answer"
    return ""


def _summary(verdict: Verdict) -> str:
    if verdict.decision == "pass":
        return verdict.critique
    if verdict.claims:
        bad = [claim for claim in verdict.claims if claim.status != "supported"]
        named = "; ".join(
            f"{claim.status}: {shorten(claim.answer_quote, 120)}" for claim in bad[:3]
        )
        more = f"; and {len(bad) - 3} more" if len(bad) > 3 else ""
        return f"{named}{more}. {verdict.critique}"
    failed = ", ".join(name for name, holds in verdict.criteria.items() if not holds)
    return f"not {failed}. {verdict.critique}"
