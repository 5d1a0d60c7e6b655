"""A judge call: asked, written to the journal before it is read, read, and once asked again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any, Generic, Protocol, TypeVar

from voirdire.errors import ConfigError, JudgeCallError
from voirdire.journal import Journal, new_id
from voirdire.judges.base import Ask, Judge
from voirdire.reading import ReadingOf
from voirdire.reply import NO_USAGE, Reply, Usage
from voirdire.rubric import Rubric

_REASK = ("prose", "schema", "malformed")


class Readable(Protocol):
    """A verdict of any kind."""

    def to_json(self) -> dict[str, Any]:
        """The verdict as the judge's own schema has it."""


V = TypeVar("V", bound=Readable)


class Heard(Generic[V]):
    """What came of a question to a judge.

    Attributes:
        kind: ``verdict``, or the kind of judge error.
        detail: one sentence on a judge error; empty for a verdict.
        verdict: the verdict, where the reply was readable.
        reply: the reply that was read; ``None`` where there was none.
        payload: all that was received for it, for a judge error.
        journal_id: where the journal holds the call.
        normalisations: what was set aside to read the reply.
        first_reply: the unreadable reply that was shown back, where the judge was asked twice.
        usage: tokens of all calls together.
        cache: ``hit`` (no call was made), ``miss`` or ``off``.
    """

    # Written out for the same reason as ReadingOf.
    def __init__(
        self,
        kind: str,
        detail: str,
        verdict: V | None,
        reply: Reply | None,
        payload: str,
        journal_id: str,
        normalisations: tuple[str, ...] = (),
        first_reply: str | None = None,
        usage: Usage = NO_USAGE,
        cache: str = "off",
    ) -> None:
        self.kind = kind
        self.detail = detail
        self.verdict = verdict
        self.reply = reply
        self.payload = payload
        self.journal_id = journal_id
        self.normalisations = normalisations
        self.first_reply = first_reply
        self.usage = usage
        self.cache = cache

    @property
    def raw(self) -> str | None:
        """See :func:`visible`."""
        return visible(self.reply, self.payload)


def visible(reply: Reply | None, payload: str) -> str | None:
    """The visible reply as received; the whole payload where nothing was visible."""
    text = reply.text if reply else None
    return text or payload or text


def excerpt(raw: str | None) -> str:
    """What a reply says, on one line and shortened, to stand after a judge error's detail."""
    line = " ".join((raw or "").split())
    return f" · raw reply: {line[:300]}{'…' if len(line) > 300 else ''}" if line else ""


def fingerprint(
    judge: Judge, rubric: Rubric, policy: str, schema: Mapping[str, Any], template: str
) -> str:
    """SHA-256, hex, of all that makes a judge: another wording or setting is another judge.

    Args:
        judge: who is asked.
        rubric: what to decide.
        policy: how replies are read.
        schema: the verdict's JSON schema.
        template: the hash of the prompt's wording.
    """
    parts = {
        "judge": dict(judge.identity),
        "rubric": rubric.version,
        "schema": schema,
        "template": template,
        "policy": policy,
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def hear(
    ask: Ask,
    rubric: Rubric,
    judge: Judge,
    journal: Journal,
    mark: str,
    read: Callable[[Reply], ReadingOf[V]],
) -> Heard[V]:
    """Ask a judge, and once more where its reply is unreadable and it may be asked again.

    Args:
        ask: the question.
        rubric: what to decide; the journal names it.
        judge: who decides.
        journal: where every call is written before it is read.
        mark: the judge's fingerprint.
        read: reads a reply; must not raise.

    Raises:
        ConfigError: the judge's settings are wrong, or the journal cannot be written.
    """
    call = _Call(ask, rubric, judge, journal, mark, read)
    try:
        reply, reading, identity = call.make(ask)
    except JudgeCallError as error:
        return Heard(error.kind, error.detail, None, None, error.raw, call.last_id)
    first_reply = None
    usage = reply.usage
    if reading.kind in _REASK and judge.can_reask:
        first_reply = reply.text
        try:
            reply, reading, identity = call.make(_shown_back(ask, reply, reading))
        except JudgeCallError as error:
            # The first reply stays the one that was read: it is what there is.
            first_reply = None
            reading.detail = f"{reading.detail}; asked again: {error.detail}"
        else:
            usage += reply.usage
    return Heard(
        reading.kind,
        reading.detail,
        reading.verdict,
        reply,
        "" if reading.verdict is not None else reply.raw,
        identity,
        reading.normalisations,
        first_reply,
        usage,
    )


class _Call(Generic[V]):
    """One judge call with its two lines in the journal."""

    def __init__(
        self,
        ask: Ask,
        rubric: Rubric,
        judge: Judge,
        journal: Journal,
        mark: str,
        read: Callable[[Reply], ReadingOf[V]],
    ) -> None:
        self._judge = judge
        self._journal = journal
        self._read = read
        self._fields = {
            "judge": judge.spec,
            "identity": dict(judge.identity),
            "fingerprint": mark,
            "rubric": {"name": rubric.name, "version": rubric.version},
            "case_id": ask.case_id,
            "sample": ask.sample,
            "prompt_sha256": ask.prompt.sha256,
            "source_sha256": list(ask.prompt.source_hashes),
        }
        self.last_id = ""

    def make(self, ask: Ask) -> tuple[Reply, ReadingOf[V], str]:
        """Ask, write the reply down, read it, write the reading down."""
        self.last_id = new_id()
        request = {"messages": [*ask.prompt.messages, *map(dict, ask.turns)]}
        try:
            reply = self._judge.ask(ask)
        except JudgeCallError as error:
            fault = {
                "error": {"kind": error.kind, "detail": error.detail, "status": error.status},
                "raw": error.raw,
                "failed": list(error.failed),
            }
            self._write("call", {**self._fields, "request": request, **fault})
            self._write("reading", {"reading": error.kind, "detail": error.detail})
            raise
        try:
            self._write("call", {**self._fields, "request": request, **reply_fields(reply)})
        except ConfigError as error:
            # The disk filled up behind a call that was paid for: the message is all that is left.
            raise ConfigError(f"{error}; the reply that it could not keep: {reply.raw}") from None
        reading = self._read(reply)
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


def reply_fields(reply: Reply) -> dict[str, Any]:
    """What the journal keeps of a reply."""
    return {
        "reply": reply.text,
        "finish_reason": reply.finish_reason,
        "refusal": reply.refusal,
        "reasoning": reply.reasoning,
        "usage": reply.usage._asdict(),
        "model": reply.model,
        "max_tokens": reply.max_tokens,
        "latency_ms": round(reply.latency_ms, 1),
        "attempts": reply.attempts,
        "canned": reply.canned,
        "notes": list(reply.notes),
        "raw": reply.raw,
        "failed": list(reply.failed),
    }


def _shown_back(ask: Ask, reply: Reply, reading: ReadingOf[V]) -> Ask:
    fault = (
        f"Your reply could not be read ({reading.kind}: {reading.detail}). "
        "Reply again with the one JSON object that was asked for, and nothing else."
    )
    turns = [
        {"role": "assistant", "content": reply.text or ""},
        {"role": "user", "content": fault},
    ]
    return ask._replace(turns=turns)
