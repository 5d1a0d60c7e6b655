"""One way through: case → prompt → judge → journal → reading → ruling → outcome."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from typing import Any

from voirdire.errors import JudgeCallError
from voirdire.journal import Journal, new_id
from voirdire.judges.base import Ask, Judge
from voirdire.prompt import TEMPLATE_VERSION, Prompt, build_prompt
from voirdire.reading import Reading, read
from voirdire.reply import Reply, Usage
from voirdire.rubric import Rubric
from voirdire.ruling import rule
from voirdire.source import Source
from voirdire.verdict import Verdict, verdict_schema

_REASK = ("prose", "schema", "malformed")


@dataclass(frozen=True)
class Case:
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


@dataclass(frozen=True)
class Outcome:
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
    usage: Usage = field(default_factory=Usage)

    @property
    def canned(self) -> bool:
        """Whether the reply was recorded rather than asked for."""
        return self.reply is not None and self.reply.canned

    @property
    def reason(self) -> str:
        """The outcome for people, on one line; says so where the reply is canned."""
        label = "[canned reply] " if self.canned else ""
        if self.outcome == "judge_error":
            return f"judge error ({self.kind}): {label}{self.detail}{self._excerpt()}"
        if self.outcome == "undecided":
            return f"undecided: {label}{self.detail} ({self.kind})"
        return f"{label}{self.detail}"

    @property
    def raw(self) -> str | None:
        """The visible reply as received; the whole payload where nothing was visible."""
        text = self.reply.text if self.reply else None
        return text or self.payload or text

    def _excerpt(self) -> str:
        raw = " ".join((self.raw or "").split())
        if not raw:
            return ""
        return f" · raw reply: {raw[:300]}{'…' if len(raw) > 300 else ''}"


def fingerprint(judge: Judge, rubric: Rubric, policy: str) -> str:
    """SHA-256, hex, of all that makes a judge: another wording or setting is another judge."""
    parts = {
        "judge": dict(judge.identity),
        "rubric": rubric.version,
        "schema": verdict_schema(rubric.criterion_names),
        "template": TEMPLATE_VERSION,
        "policy": policy,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def grade(
    case: Case,
    rubric: Rubric,
    judge: Judge,
    journal: Journal,
    *,
    policy: str = "strict",
    precheck: Judge | None = None,
) -> Outcome:
    """Grade one answer.

    Args:
        case: the answer with its sources.
        rubric: what to decide.
        judge: who decides.
        journal: where every call is written before it is read.
        policy: ``strict`` or ``tolerant``.
        precheck: a judge that costs nothing, asked first; a fail of its own is final.

    Raises:
        ConfigError: the judge's settings are wrong, or the journal cannot be written.
    """
    prompt = build_prompt(rubric, case.sources, case.question, case.answer)
    ask = Ask(
        prompt=prompt,
        schema=verdict_schema(rubric.criterion_names),
        rubric_criteria=rubric.criterion_names,
        sources=case.sources,
        question=case.question or "",
        answer=case.answer,
        case_id=case.id,
        ignore=rubric.ignore,
    )
    if precheck is not None:
        first = _grade_once(ask, case, rubric, precheck, journal, "strict")
        if first.outcome == "fail":
            return first
    return _grade_once(ask, case, rubric, judge, journal, policy)


def _grade_once(
    ask: Ask, case: Case, rubric: Rubric, judge: Judge, journal: Journal, policy: str
) -> Outcome:
    mark = fingerprint(judge, rubric, policy)
    call = _Call(ask, rubric, judge, journal, mark, policy)
    base: dict[str, Any] = {"prompt": ask.prompt, "judge": judge.spec, "fingerprint": mark}
    try:
        reply, reading, identity = call.make(ask)
    except JudgeCallError as error:
        return _unanswered(error, base, call.last_id)
    first_reply = None
    usage = reply.usage
    if reading.kind in _REASK and judge.can_reask:
        first_reply = reply.text
        try:
            reply, reading, identity = call.make(_shown_back(ask, reply, reading))
        except JudgeCallError as error:
            # The first reply stays the one that was read: it is what there is.
            first_reply = None
            reading = replace(reading, detail=f"{reading.detail}; asked again: {error.detail}")
        else:
            usage = _sum(usage, reply.usage)
    common = {
        **base,
        "verdict": reading.verdict,
        "reply": reply,
        "journal_id": identity,
        "normalisations": reading.normalisations,
        "first_reply": first_reply,
        "usage": usage,
    }
    if reading.verdict is None:
        return Outcome(
            "judge_error", reading.kind, reading.detail, 0.0, payload=reply.raw, **common
        )
    ruling = rule(reading.verdict, rubric, case.sources, case.answer)
    return Outcome(ruling.outcome, ruling.kind, ruling.detail, ruling.score, payload="", **common)


class _Call:
    """One judge call with its two lines in the journal."""

    def __init__(
        self, ask: Ask, rubric: Rubric, judge: Judge, journal: Journal, mark: str, policy: str
    ) -> None:
        self._judge = judge
        self._journal = journal
        self._criteria = rubric.criterion_names
        self._policy = policy
        self._fields = {
            "judge": judge.spec,
            "identity": dict(judge.identity),
            "fingerprint": mark,
            "rubric": {"name": rubric.name, "version": rubric.version},
            "case_id": ask.case_id,
            "prompt_sha256": ask.prompt.sha256,
            "source_sha256": list(ask.prompt.source_hashes),
        }
        self.last_id = ""

    def make(self, ask: Ask) -> tuple[Reply, Reading, str]:
        """Ask, write the reply down, read it, write the reading down."""
        self.last_id = new_id()
        request = {"messages": [*ask.prompt.messages, *map(dict, ask.turns)]}
        try:
            reply = self._judge.ask(ask)
        except JudgeCallError as error:
            fault = {"kind": error.kind, "detail": error.detail, "status": error.status}
            self._write(
                "call", {**self._fields, "request": request, "error": fault, "raw": error.raw}
            )
            self._write("reading", {"reading": error.kind, "detail": error.detail})
            raise
        self._write("call", {**self._fields, "request": request, **_reply_fields(reply)})
        reading = read(reply, self._criteria, self._policy)
        self._write(
            "reading",
            {
                "reading": reading.kind,
                "detail": reading.detail,
                "normalisations": list(reading.normalisations),
                "verdict": reading.verdict.to_json() if reading.verdict else None,
            },
        )
        return reply, reading, self.last_id

    def _write(self, kind: str, fields: dict[str, Any]) -> None:
        self._journal.record(kind, self.last_id, fields)


def _reply_fields(reply: Reply) -> dict[str, Any]:
    return {
        "reply": reply.text,
        "finish_reason": reply.finish_reason,
        "refusal": reply.refusal,
        "reasoning": reply.reasoning,
        "usage": vars(reply.usage),
        "model": reply.model,
        "max_tokens": reply.max_tokens,
        "latency_ms": round(reply.latency_ms, 1),
        "attempts": reply.attempts,
        "canned": reply.canned,
        "notes": list(reply.notes),
        "raw": reply.raw,
    }


def _unanswered(error: JudgeCallError, base: dict[str, Any], identity: str) -> Outcome:
    return Outcome(
        "judge_error",
        error.kind,
        error.detail,
        0.0,
        verdict=None,
        reply=None,
        payload=error.raw,
        journal_id=identity,
        **base,
    )


def _shown_back(ask: Ask, reply: Reply, reading: Reading) -> Ask:
    fault = (
        f"Your reply could not be read ({reading.kind}: {reading.detail}). "
        "Reply again with the one JSON object that was asked for, and nothing else."
    )
    turns = [
        {"role": "assistant", "content": reply.text or ""},
        {"role": "user", "content": fault},
    ]
    return replace(ask, turns=turns)


def _sum(one: Usage, two: Usage) -> Usage:
    def add(a: int | None, b: int | None) -> int | None:
        return b if a is None else a if b is None else a + b

    return Usage(
        add(one.prompt, two.prompt),
        add(one.completion, two.completion),
        add(one.reasoning, two.reasoning),
    )
