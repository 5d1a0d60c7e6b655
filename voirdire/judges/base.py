"""What every judge offers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from voirdire.prompt import Prompt
from voirdire.reply import Reply
from voirdire.source import Source


class Ask(NamedTuple):
    """One question to a judge.

    Attributes:
        prompt: the rubric's prompt with the sources, the question and the answer in it.
        schema: the verdict's JSON schema, whole; a client trims it to its API's dialect.
        rubric_criteria: names of the rubric's criteria in order; empty in claim mode.
        sources: the documents of truth (the ``rules`` judge reads them directly).
        question: what the answer answers; may be empty.
        answer: the text under judgement.
        case_id: the caller's id for the case, if any (the ``replay`` judge looks it up).
        sample: which of several samples, from 0; they differ by seed.
        order: what stands first in the prompt, ``source_first`` or ``answer_first``.
        turns: messages that follow the prompt when an unreadable reply is shown back.
        ignore: lines of an answer that the rubric says make no claim (greetings, headings).
    """

    prompt: Prompt
    schema: Mapping[str, Any]
    rubric_criteria: tuple[str, ...]
    sources: tuple[Source, ...]
    question: str
    answer: str
    case_id: str | None = None
    turns: Sequence[Mapping[str, str]] = ()
    sample: int = 0
    order: str = "source_first"
    ignore: tuple[str, ...] = ()


class Judge(Protocol):
    """A judge: one call in, one raw reply out."""

    @property
    def spec(self) -> str:
        """The spec it was made from, free of secrets."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """What makes it this judge and no other: model, host, settings. JSON values, no secrets."""

    @property
    def can_reask(self) -> bool:
        """Whether an unreadable reply may be shown back for a second try."""

    @property
    def cacheable(self) -> bool:
        """Whether a verdict of it is worth keeping: asking costs time or money."""

    def ask(self, ask: Ask) -> Reply:
        """Ask once.

        Raises:
            JudgeCallError: no reply (``unreachable``, ``no_record``, ``budget``).
            ConfigError: the settings are wrong (a missing key, an unknown model form).
        """
