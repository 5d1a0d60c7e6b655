"""Judges behind OpenAI's chat completions API, or one that speaks it.

OpenAI, OpenRouter, vLLM, Ollama, llama.cpp and others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

from voirdire.errors import JudgeCallError
from voirdire.judges.base import Ask
from voirdire.judges.dialect import Part, describe_error, strict_schema
from voirdire.judges.model import (
    MalformedBodyError,
    ModelJudge,
    Service,
    count_or_none,
    mapping_or_empty,
    text_or_none,
)
from voirdire.reply import Reply, Usage

OPENAI = Service("openai", "https://api.openai.com/v1", "OPENAI_API_KEY")
OPENROUTER = Service("openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")
OLLAMA = Service("ollama", "http://127.0.0.1:11434/v1", "OLLAMA_API_KEY")


class OpenAIJudge(ModelJudge):
    """A model behind a chat completions API."""

    parts: ClassVar[tuple[Part, ...]] = (
        Part(
            "structured output",
            "response_format",
            re.compile("response_format|json_schema|structured|schema|grammar"),
        ),
    )

    def ask(self, ask: Ask) -> Reply:
        """Ask the model once; see ``ModelJudge``."""
        try:
            return super().ask(ask)
        except JudgeCallError as error:
            if self.settings.reasoning or not _wants_reasoning(error):
                raise
            advice = f"{error.detail}; a reasoning model is asked with the setting reasoning: true"
            raise JudgeCallError(
                error.kind, advice, error.raw, error.status, error.failed
            ) from None

    def path(self) -> str:
        """See ``ModelJudge``."""
        return "/chat/completions"

    def headers(self) -> dict[str, str]:
        """See ``ModelJudge``."""
        return {}

    def signature(self, key: str) -> dict[str, str]:
        """See ``ModelJudge``."""
        return {"Authorization": f"Bearer {key}"}

    def body(self, ask: Ask) -> dict[str, Any]:
        """See ``ModelJudge``."""
        settings = self.settings
        body: dict[str, Any] = {
            "model": self.model,
            "messages": [*ask.prompt.messages, *(dict(turn) for turn in ask.turns)],
            # Reasoning models refuse the older name, most other servers know no newer one.
            "max_completion_tokens" if settings.reasoning else "max_tokens": settings.max_tokens,
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": "verdict",
                    "strict": True,
                    "schema": strict_schema(ask.schema),
                },
            },
        }
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.seed is not None or ask.sample:
            body["seed"] = (settings.seed or 0) + ask.sample
        return body

    def read(self, body: Mapping[str, Any]) -> Reply:
        """See ``ModelJudge``."""
        choices = body.get("choices")
        if not isinstance(choices, list) or not choices:
            raise MalformedBodyError("it has no choices")
        if len(choices) > 1:
            raise MalformedBodyError(f"it has {len(choices)} choices, of which none is the verdict")
        choice = mapping_or_empty(choices[0])
        if choice.get("error"):
            raise MalformedBodyError(describe_error(choice) or "its choice is an error")
        message = choice.get("message")
        if not isinstance(message, Mapping):
            raise MalformedBodyError("its choice has no message")
        usage = mapping_or_empty(body.get("usage"))
        details = mapping_or_empty(usage.get("completion_tokens_details"))
        return Reply(
            text=_content(message.get("content")),
            finish_reason=text_or_none(choice.get("finish_reason"), "finish_reason"),
            # Of whatever type: what is said in this field is never a verdict.
            refusal=_as_text(message.get("refusal")),
            reasoning=_as_text(message.get("reasoning") or message.get("reasoning_content")),
            usage=Usage(
                prompt=count_or_none(usage.get("prompt_tokens")),
                completion=count_or_none(usage.get("completion_tokens")),
                reasoning=count_or_none(details.get("reasoning_tokens")),
            ),
            model=text_or_none(body.get("model"), "model"),
        )


def _content(content: Any) -> str | None:
    if not isinstance(content, list):
        return text_or_none(content, "content")
    texts = []
    for part in content:
        if not isinstance(part, Mapping):
            raise MalformedBodyError("its content has a part that is no object")
        if part.get("type") == "text":
            texts.append(text_or_none(part.get("text"), "content") or "")
    return "".join(texts) if texts else None


def _as_text(value: Any) -> str | None:
    if not value:
        return None
    return value if isinstance(value, str) else json.dumps(value)


def _wants_reasoning(error: JudgeCallError) -> bool:
    return error.status == 400 and bool(re.search("max_completion_tokens|'temperature'", error.raw))
