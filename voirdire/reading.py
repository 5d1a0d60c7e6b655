"""Read a judge's reply: a whole valid verdict, or the kind of fault that it has.

The policy is strict unless told otherwise. No text makes :func:`read` raise, none makes
it slow, and none but one whole valid verdict makes it say ``verdict``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from voirdire.reply import Reply
from voirdire.scan import BLANK, Part, Scan, scan
from voirdire.strictjson import parse
from voirdire.verdict import Verdict, check_verdict

POLICIES = ("strict", "tolerant")
UNREADABLE = (
    "unreachable",
    "refused",
    "silent",
    "truncated",
    "unexpected_stop",
    "ambiguous",
    "prose",
    "malformed",
    "schema",
)
"""Kinds of unreadable reply, in the order in which they are looked for."""

_STOPPED = {
    "stop",
    "end_turn",
    "stop_sequence",
    "eos",
    "eos_token",
    "complete",
    "completed",
    "finish",
    "finished",
}
_CUT = {
    "length",
    "max_tokens",
    "max_output_tokens",
    "model_length",
    "model_context_window_exceeded",
}
_REFUSED = {
    "content_filter",
    "content_filtered",
    "refusal",
    "safety",
    "image_safety",
    "error_toxic",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "guardrail_intervened",
}
# Compiled where they are used: a plain reply needs neither, and promptfoo waits for both.
_FENCE_OPEN = r"(`{3,}|~{3,})[ \t]*[\w.+-]{0,30}"
_SPARE_CLOSERS = r"[\]},;\s]*\Z"
_REASONING_SHARE = 0.8


T = TypeVar("T")
Check = Callable[[Any], T | str]
"""The verdict that a parsed JSON value is, or one sentence that says why it is none."""


class ReadingOf(Generic[T]):
    """What a reply says, for verdicts of type ``T``.

    Attributes:
        kind: ``verdict``, or one of :data:`UNREADABLE`.
        verdict: the verdict, for ``verdict`` only.
        normalisations: what was set aside to read it (``fence``, ``think_block``,
            ``think_prefix``, ``reasoning_field``, ``prose``, ``no_finish_reason``).
        detail: why it is unreadable, one sentence; empty for a verdict.
    """

    # Written out: a named tuple takes no type parameter in Python 3.10, and to make a dataclass
    # takes time that promptfoo waits for at every assertion.
    def __init__(
        self,
        kind: str,
        verdict: T | None = None,
        normalisations: tuple[str, ...] = (),
        detail: str = "",
    ) -> None:
        self.kind = kind
        self.verdict = verdict
        self.normalisations = normalisations
        self.detail = detail


Reading = ReadingOf[Verdict]
"""A reading of a verdict on one answer."""


def read(reply: Reply, criteria: tuple[str, ...], policy: str = "strict") -> Reading:
    """Read a reply under the rubric's criteria: :func:`read_as`, for a verdict on one answer.

    Args:
        reply: the raw reply.
        criteria: names of the rubric's criteria; empty in claim mode.
        policy: ``strict`` or ``tolerant``.
    """
    return read_as(reply, lambda value: check_verdict(value, criteria), policy)


def read_as(reply: Reply, check: Check[T], policy: str = "strict") -> ReadingOf[T]:
    """Read a reply as whatever ``check`` accepts. Pure and total; linear in the text.

    Args:
        reply: the raw reply.
        check: called once, with the value of the reply's one JSON object; must not raise.
        policy: ``strict``, or ``tolerant`` (prose around exactly one object is set aside).
    """
    reason = (reply.finish_reason or "").strip().lower().replace("-", "_")
    if reply.refusal:
        return ReadingOf("refused", detail=f"the judge refused: {reply.refusal[:200]}")
    if reason in _REFUSED:
        return ReadingOf("refused", detail=f"the API stopped the reply ({reply.finish_reason})")
    text = reply.text or ""
    found = scan(text)
    outside = [stretch.strip(BLANK) for stretch in found.outside]
    silence = _silence(reply, found, outside)
    if silence:
        return ReadingOf("silent", detail=silence)
    cut = _cut(reply, reason, found, text)
    if cut:
        return ReadingOf("truncated", detail=cut)
    if reason and reason not in _STOPPED:
        return ReadingOf(
            "unexpected_stop",
            detail=f"the judge stopped with {reply.finish_reason[:60]!r}",  # type: ignore[index]
        )
    notes = list(found.notes)
    if reply.reasoning:
        notes.append("reasoning_field")
    if not reason:
        notes.append("no_finish_reason")
    return _read_visible(found, outside, check, policy, notes)


def _silence(reply: Reply, found: Scan, outside: list[str]) -> str:
    """How the judge said nothing, or an empty string where it said something."""
    if found.parts or found.stray_open or found.overrun or found.unclosed_think:
        return ""
    visible = _unfenced(outside[0])
    if any(_speaks(char) for char in set(visible)):
        return ""
    if _overthought(reply):
        how = "reasoning tokens took over 80 % of the budget"
    elif reply.reasoning or found.notes:
        how = "nothing after the thinking"
    elif visible:
        how = "dots" if set(visible) <= set(".… \t\r\n") else "punctuation only"
    else:
        how = "empty"
    return f"{how}; use a judge that does not reason, or raise max_tokens"


def _speaks(char: str) -> bool:
    """Whether a character carries meaning: not punctuation, symbol of ASCII, space or control."""
    category = unicodedata.category(char)
    return not (category[0] in "PZC" or category in ("Sm", "Sc", "Sk"))


def _overthought(reply: Reply) -> bool:
    thought = reply.usage.reasoning
    budget = reply.max_tokens or reply.usage.completion
    return bool(thought and budget and thought > _REASONING_SHARE * budget)


def _unfenced(text: str) -> str:
    """The inside of a fence that is the whole text; any other text as it is."""
    opening = re.match(_FENCE_OPEN, text)
    if opening is None or not text.endswith(opening[1], opening.end()):
        return text
    rest_of_line, _, body = text[opening.end() : -len(opening[1])].partition("\n")
    return text if rest_of_line.strip() else body.strip(BLANK)


def _cut(reply: Reply, reason: str, found: Scan, text: str) -> str:
    if reason in _CUT:
        return f"the API cut the reply ({reply.finish_reason}); raise max_tokens"
    if found.unclosed_think:
        return "a <think> block never ends"
    if any(part.kind == "open" for part in found.parts):
        return "the JSON is not closed"
    if found.overrun and found.unbalanced:
        return "more brackets open than close"
    if found.stray_open and text.lstrip(BLANK).startswith("{"):
        return "the JSON is not closed"
    return ""


def _read_visible(
    found: Scan,
    outside: list[str],
    check: Check[T],
    policy: str,
    notes: list[str],
) -> ReadingOf[T]:
    objects = [part for part in found.parts if part.kind == "object"]
    with_arrays = objects + [part for part in found.parts if part.holds_object]
    if len(objects) > 1 or (objects and len(with_arrays) > 1):
        return ReadingOf("ambiguous", detail=f"{len(with_arrays)} JSON objects in one reply")
    if found.overrun:
        return ReadingOf("malformed", detail="longer and deeper than any verdict")
    candidates = objects or found.parts
    if not candidates:
        return _read_bare(outside[0], check)
    part = candidates[0]
    index = found.parts.index(part)
    around = [*outside[: index + 1], *outside[index + 1 :]]
    alone = len(found.parts) == 1 and not found.late_think
    if alone and not any(around):
        return _read_part(part, check, notes)
    if alone and _is_fence(around):
        return _read_part(part, check, ["fence", *notes])
    if alone and not around[0] and re.match(_SPARE_CLOSERS, around[1]):
        return ReadingOf("malformed", detail="a bracket too many after the JSON")
    if policy != "tolerant" or not objects or found.unsure:
        return ReadingOf("prose", detail="text around the JSON object")
    if _opens_less_than_it_closes("".join(around[index + 1 :])):
        return ReadingOf("malformed", detail="the JSON object stands inside another that is broken")
    return _read_part(part, check, ["prose", *notes])


def _opens_less_than_it_closes(text: str) -> bool:
    return text.count("{") < text.count("}") or text.count("[") < text.count("]")


def _is_fence(around: list[str]) -> bool:
    opening = re.fullmatch(_FENCE_OPEN, around[0])
    return opening is not None and opening[1] == around[1]


def _read_bare(text: str, check: Check[T]) -> ReadingOf[T]:
    """A reply without any JSON object or array: a lone JSON scalar, or prose."""
    value, fault = parse(_unfenced(text))
    if fault:
        return ReadingOf("prose", detail="no JSON object in the reply")
    return ReadingOf("schema", detail=str(check(value)))


def _read_part(part: Part, check: Check[T], notes: list[str]) -> ReadingOf[T]:
    if part.fault:
        return ReadingOf("malformed", detail=part.fault)
    verdict = check(part.value)
    if isinstance(verdict, str):
        return ReadingOf("schema", detail=verdict)
    return ReadingOf("verdict", verdict, tuple(notes))
