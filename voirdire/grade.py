"""One way through: case → prompt → judge → journal → reading → ruling → outcome."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from voirdire import call
from voirdire.call import Heard, excerpt, hear, visible
from voirdire.echo import holds_verdict_object, not_echoed
from voirdire.journal import Journal
from voirdire.judges.base import Ask, Judge
from voirdire.prompt import TEMPLATE_VERSION, Prompt, build_prompt
from voirdire.reading import Reading, read
from voirdire.reply import NO_USAGE, Reply, Usage
from voirdire.rubric import Rubric
from voirdire.ruling import rule
from voirdire.source import Source
from voirdire.verdict import Verdict, verdict_schema

if TYPE_CHECKING:  # loaded only where they are used: promptfoo waits for every import
    from voirdire.cache.recall import Memory
    from voirdire.quorum import Quorum

ORDERS = ("source_first", "both")


class Case(NamedTuple):
    """One answer to judge.

    Attributes:
        sources: the documents of truth, at least one.
        question: what the answer answers, if anything.
        answer: the text under judgement.
        id: the caller's name for it, if any.
    """

    sources: tuple[Source, ...]
    question: str | None
    answer: str
    id: str | None = None


class Outcome(NamedTuple):
    """What promptfoo, the CLI and the statistics see.

    Attributes:
        outcome: ``pass``, ``fail``, ``undecided`` or ``judge_error``.
        kind: the outcome again, or why it is undecided or an error.
        detail: one sentence for people.
        score: share of criteria or claims that hold; 0 where there is no verdict.
        verdict: the verdict, where the reply was readable.
        reply: the reply that was read; ``None`` where there was none.
        payload: all that was received for it, for a judge error.
        prompt: what the judge was shown.
        judge: the judge's spec.
        fingerprint: hash of all that makes this judge this judge.
        journal_id: where the journal holds the call.
        normalisations: what was set aside to read the reply.
        first_reply: the unreadable reply that was shown back, where the judge was asked twice.
        usage: tokens of all calls together.
        cache: ``hit`` (no call was made), ``miss`` or ``off``.
        marks: what is worth knowing of the case (``contains_verdict_object``: the answer holds
            an object that could pass for a verdict).
        samples: the outcomes that it was agreed from, where the judge was asked several times.
    """

    outcome: str
    kind: str
    detail: str
    score: float
    verdict: Verdict | None
    reply: Reply | None
    payload: str
    prompt: Prompt
    judge: str
    fingerprint: str
    journal_id: str
    normalisations: tuple[str, ...] = ()
    first_reply: str | None = None
    usage: Usage = NO_USAGE
    cache: str = "off"
    marks: tuple[str, ...] = ()
    samples: tuple[Outcome, ...] = ()

    @property
    def canned(self) -> bool:
        """Whether the reply was recorded rather than asked for."""
        return self.reply is not None and self.reply.canned

    @property
    def reason(self) -> str:
        """The outcome for people, on one line; says so where the reply is canned."""
        label = "[canned reply] " if self.canned else ""
        if self.outcome == "judge_error":
            return f"judge error ({self.kind}): {label}{self.detail}{excerpt(self.raw)}"
        if self.outcome == "undecided":
            return f"undecided: {label}{self.detail} ({self.kind})"
        return f"{label}{self.detail}"

    @property
    def raw(self) -> str | None:
        """The visible reply as received; the whole payload where nothing was visible."""
        return visible(self.reply, self.payload)


class Setup(NamedTuple):
    """All that makes a verdict what it is: another setup is another judge.

    Attributes:
        fingerprint: of the judge, its settings, the rubric, the prompt and the reading policy.
        samples, quorum: how often it is asked, and how many must agree.
        order: ``source_first`` or ``both``.
        precheck: whether the rules are asked first.
    """

    fingerprint: str
    samples: int = 1
    quorum: int = 1
    order: str = "source_first"
    precheck: bool = False


def fingerprint(judge: Judge, rubric: Rubric, policy: str) -> str:
    """SHA-256, hex, of all that makes a judge: another wording or setting is another judge."""
    schema = verdict_schema(rubric.criterion_names)
    return call.fingerprint(judge, rubric, policy, schema, TEMPLATE_VERSION)


def grade(
    case: Case,
    rubric: Rubric,
    judge: Judge,
    journal: Journal,
    *,
    policy: str = "strict",
    precheck: Judge | None = None,
    memory: Memory | None = None,
    quorum: Quorum | None = None,
    order: str = "source_first",
) -> Outcome:
    """Grade one answer.

    Args:
        case: the answer with its sources.
        rubric: what to decide.
        judge: who decides.
        journal: where every call is written before it is read.
        policy: ``strict`` or ``tolerant``.
        precheck: a judge that costs nothing, asked first; a fail of its own is final.
        memory: where verdicts are kept; ``None`` keeps none.
        quorum: how many samples are taken and must agree; ``None`` takes one.
        order: ``both`` asks with the source first and with the answer first, and keeps only
            a verdict that is the same.

    Raises:
        ConfigError: the judge's settings are wrong, or the journal cannot be written.
    """
    marks = ("contains_verdict_object",) if holds_verdict_object(case.answer) else ()

    def once(judge: Judge, policy: str, sample: int, order: str) -> Outcome:
        outcome = _grade_once(
            _ask(case, rubric, sample, order), case, rubric, judge, journal, policy, memory
        )
        return outcome._replace(marks=marks)

    def survivor(sample: int) -> Outcome:
        first = once(judge, policy, sample, "source_first")
        if order != "both" or first.outcome not in ("pass", "fail"):
            return first
        return _same_in_both(first, once(judge, policy, sample, "answer_first"))

    if precheck is not None:
        checked = once(precheck, "strict", 0, "source_first")
        if checked.outcome == "fail":
            return checked
    if quorum is None:
        return survivor(0)
    from voirdire.quorum import sampled

    return sampled(quorum, survivor)


def _ask(case: Case, rubric: Rubric, sample: int, order: str) -> Ask:
    return Ask(
        prompt=build_prompt(
            rubric, case.sources, case.question, case.answer, answer_first=order == "answer_first"
        ),
        schema=verdict_schema(rubric.criterion_names),
        rubric_criteria=rubric.criterion_names,
        sources=case.sources,
        question=case.question or "",
        answer=case.answer,
        case_id=case.id,
        ignore=rubric.ignore,
        sample=sample,
        order=order,
    )


def _same_in_both(one: Outcome, other: Outcome) -> Outcome:
    """The verdict that holds in both orders; else what kept it from holding."""
    both = together((one, other))
    if other.outcome == "judge_error":
        return other._replace(**both)
    if one.outcome == other.outcome:
        return one._replace(**both)
    detail = f"{one.outcome} with the source first, {other.outcome} with the answer first"
    return one._replace(outcome="undecided", kind="order_sensitive", detail=detail, **both)


def together(parts: Sequence[Outcome]) -> dict[str, Any]:
    """The fields of an outcome that come from all the askings behind it."""
    usage = parts[0].usage
    for part in parts[1:]:
        usage += part.usage
    caches = {part.cache for part in parts}
    return {
        "usage": usage,
        "cache": caches.pop() if len(caches) == 1 else "miss",  # a call was made
        "samples": tuple(parts),
    }


def _grade_once(
    ask: Ask,
    case: Case,
    rubric: Rubric,
    judge: Judge,
    journal: Journal,
    policy: str,
    memory: Memory | None,
) -> Outcome:
    mark = fingerprint(judge, rubric, policy)
    names = rubric.criterion_names
    shown = [case.answer, case.question or "", *(source.text for source in case.sources)]

    def reading(reply: Reply) -> Reading:
        return not_echoed(read(reply, names, policy), shown, names)

    heard: Heard[Verdict]
    if memory is None or not judge.cacheable:
        heard = hear(ask, rubric, judge, journal, mark, reading)
    else:
        from voirdire.cache.recall import recall

        heard = recall(ask, rubric, judge, journal, mark, reading, memory)
    base: dict[str, Any] = {
        "verdict": heard.verdict,
        "reply": heard.reply,
        "payload": heard.payload,
        "prompt": ask.prompt,
        "judge": judge.spec,
        "fingerprint": mark,
        "journal_id": heard.journal_id,
        "normalisations": heard.normalisations,
        "first_reply": heard.first_reply,
        "usage": heard.usage,
        "cache": heard.cache,
    }
    if heard.verdict is None:
        return Outcome("judge_error", heard.kind, heard.detail, 0.0, **base)
    ruling = rule(heard.verdict, rubric, case.sources, case.answer)
    return Outcome(ruling.outcome, ruling.kind, ruling.detail, ruling.score, **base)
