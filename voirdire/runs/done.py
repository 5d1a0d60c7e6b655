"""What came of one question to one model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from voirdire.reply import Reply, Usage
from voirdire.runs.questions import Question

_CUT_OFF = ("length", "max_tokens")


class Answer(NamedTuple):
    """What a model said.

    Attributes:
        text: the visible answer, or its refusal; blank where it said nothing.
        refused: whether the API named it a refusal.
        finish_reason: as the API named it.
        reasoning: thinking that the API sent in a field of its own.
        served: the model that the server says answered.
        prompt_tokens, completion_tokens, reasoning_tokens: ``None`` where the API did not say.
        cost: US dollars; ``None`` where the price or the tokens are not known.
        latency_ms: of the call.
        attempts: HTTP requests made; 0 for a recorded answer.
        notes: facts about the call.
        recorded: whether it stood in a file, and nobody was asked.
    """

    text: str
    refused: bool = False
    finish_reason: str | None = None
    reasoning: str | None = None
    served: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    latency_ms: float = 0.0
    attempts: int = 0
    notes: tuple[str, ...] = ()
    recorded: bool = False

    @property
    def usage(self) -> Usage:
        """Its tokens."""
        return Usage(self.prompt_tokens, self.completion_tokens, self.reasoning_tokens)

    @property
    def cut_off(self) -> bool:
        """Whether it ended with the tokens that it had."""
        return self.finish_reason in _CUT_OFF


class Fault(NamedTuple):
    """Why there is no answer: ``unreachable``, ``no_answer``, ``no_record`` or ``budget``."""

    kind: str
    detail: str
    raw: str = ""


class Done(NamedTuple):
    """One question to one model.

    Attributes:
        model: its spec.
        question: what was asked.
        answer: what it said; ``None`` where it said nothing that can be judged.
        fault: why not; ``None`` where there is an answer.
        verdict: voirdire's record of the grade; ``None`` where nothing was graded.
        judge_prompt: what the judge was shown; empty where it was not asked.
        asked: calls made for it now; 0 where all of it was kept.
    """

    model: str
    question: Question
    answer: Answer | None
    fault: Fault | None
    verdict: Mapping[str, Any] | None
    judge_prompt: str
    asked: int

    @property
    def outcome(self) -> str:
        """The verdict's outcome, or ``model_error``."""
        return str(self.verdict["outcome"]) if self.verdict else "model_error"

    @property
    def ended_by_budget(self) -> bool:
        """Whether the money was spent before it was answered and judged."""
        kind = self.fault.kind if self.fault else self.verdict["kind"] if self.verdict else ""
        return bool(kind == "budget")

    @property
    def cost(self) -> float | None:
        """US dollars of the answer and its verdict; ``None`` where one is not known."""
        parts = [self.answer.cost if self.answer else 0.0]
        parts.append(cost_of(self.verdict) if self.verdict else 0.0)
        known = [part for part in parts if part is not None]
        return sum(known) if len(known) == len(parts) else None


def cost_of(verdict: Mapping[str, Any]) -> float | None:
    """US dollars of a verdict: none where the money was spent before the judge was asked."""
    if verdict["kind"] == "budget" and not verdict.get("attempts"):
        return 0.0
    cost: float | None = verdict.get("cost")
    return cost


def answer_of(reply: Reply, cost: float | None) -> Answer:
    """What a reply says, for people: a refusal is an answer too."""
    return Answer(
        text=reply.text or reply.refusal or "",
        refused=bool(reply.refusal),
        finish_reason=reply.finish_reason,
        reasoning=reply.reasoning,
        served=reply.model,
        prompt_tokens=reply.usage.prompt,
        completion_tokens=reply.usage.completion,
        reasoning_tokens=reply.usage.reasoning,
        cost=cost,
        latency_ms=round(reply.latency_ms, 1),
        attempts=reply.attempts,
        notes=reply.notes,
        recorded=reply.canned,
    )


def read_answer(kept: Mapping[str, Any] | None) -> Answer | None:
    """A kept answer; ``None`` for what is none (another version may have written it)."""
    if kept is None or kept.keys() != set(Answer._fields) or not _is_ours(kept):
        return None
    return Answer(**{**kept, "notes": tuple(kept["notes"])})


def _is_ours(kept: Mapping[str, Any]) -> bool:
    texts = ("finish_reason", "reasoning", "served")
    counts = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cost")
    return (
        isinstance(kept["text"], str)
        and all(isinstance(kept[name], (str, type(None))) for name in texts)
        and all(kept[name] is None or _is_amount(kept[name]) for name in counts)
        and all(_is_amount(kept[name]) for name in ("latency_ms", "attempts"))
        and all(isinstance(kept[name], bool) for name in ("refused", "recorded"))
        and isinstance(kept["notes"], list)
        and all(isinstance(note, str) for note in kept["notes"])
    )


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and value >= 0
