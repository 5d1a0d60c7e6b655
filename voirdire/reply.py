"""What a judge sent back, before anybody reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Usage(NamedTuple):
    """Tokens of one call; ``None`` where the API did not say.

    ``reasoning`` counts the hidden part of ``completion``. (A named tuple, as all records on the
    doors' way are: making a dataclass takes eight times as long, and promptfoo starts a new
    Python for every assertion.)
    """

    prompt: int | None = None
    completion: int | None = None
    reasoning: int | None = None

    def __add__(self, other: Usage) -> Usage:  # type: ignore[override]
        """Tokens of two calls together; what only one of them says stays."""
        return Usage(
            _add(self.prompt, other.prompt),
            _add(self.completion, other.completion),
            _add(self.reasoning, other.reasoning),
        )


NO_USAGE = Usage()
"""Where nothing is known of a call's tokens."""


class Reply(NamedTuple):
    """One raw reply of a judge.

    Attributes:
        text: the visible reply; ``None`` where the API sent none.
        finish_reason: as the API named it (``stop``, ``length``, ``end_turn``, …).
        refusal: the API's own refusal text, if it gave one.
        reasoning: thinking that the API sent in a field of its own.
        usage: token counts.
        latency_ms: wall time of the successful call, in milliseconds.
        raw: the body as received, or the recorded line.
        model: the model that the server says answered.
        max_tokens: the completion budget that was asked for, if any.
        canned: true when nobody was asked: a recorded reply, or one written by hand.
        attempts: HTTP requests made, failed ones included; 0 for a canned reply.
        notes: facts about the call (``structured output refused, asked again without``).
        failed: the requests that brought no answer: ``cause``, ``status``, ``raw`` (their bodies).
    """

    text: str | None
    finish_reason: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    usage: Usage = NO_USAGE
    latency_ms: float = 0.0
    raw: str = ""
    model: str | None = None
    max_tokens: int | None = None
    canned: bool = False
    attempts: int = 0
    notes: tuple[str, ...] = ()
    failed: tuple[Mapping[str, Any], ...] = ()


def _add(one: int | None, two: int | None) -> int | None:
    return two if one is None else one if two is None else one + two
