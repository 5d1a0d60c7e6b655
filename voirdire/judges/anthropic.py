"""Judges behind Anthropic's Messages API."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from voirdire.errors import ConfigError
from voirdire.judges.base import Ask
from voirdire.judges.dialect import Part, strict_schema
from voirdire.judges.model import (
    MalformedBodyError,
    ModelJudge,
    Service,
    count_or_none,
    mapping_or_empty,
    text_or_none,
)
from voirdire.judges.settings import JudgeSettings
from voirdire.reply import Reply, Usage

ANTHROPIC = Service("anthropic", "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY")

_VERSION = "2023-06-01"


class AnthropicJudge(ModelJudge):
    """A Claude model. The API takes no seed, and newer models take no temperature."""

    parts: ClassVar[tuple[Part, ...]] = (
        # First: a complaint about the temperature may name other fields beside it.
        Part("temperature", "temperature", re.compile("temperature")),
        Part(
            "structured output",
            "output_config",
            re.compile("output_config|output_format|json_schema|structured|schema|grammar"),
        ),
    )

    def __init__(
        self,
        service: Service,
        model: str,
        base_url: str | None,
        settings: JudgeSettings,
        sleep: Callable[[float], None] = time.sleep,
        *,
        of_parent: bool = False,
    ) -> None:
        super().__init__(service, model, base_url, settings, sleep, of_parent=of_parent)
        if settings.temperature is not None and settings.temperature > 1:
            raise ConfigError(
                "judge setting temperature must be a number from 0 to 1 for an anthropic judge,"
                f" not {settings.temperature!r}"
            )

    @property
    def identity(self) -> Mapping[str, Any]:
        """Model, place and every setting that can change a verdict."""
        return {name: value for name, value in super().identity.items() if name != "seed"}

    def path(self) -> str:
        """See ``ModelJudge``; a base URL is written with ``/v1`` or without."""
        return "/messages" if self.endpoint.shown.endswith("/v1") else "/v1/messages"

    def headers(self) -> dict[str, str]:
        """See ``ModelJudge``."""
        return {"anthropic-version": _VERSION}

    def signature(self, key: str) -> dict[str, str]:
        """See ``ModelJudge``."""
        return {"x-api-key": key}

    def body(self, ask: Ask) -> dict[str, Any]:
        """See ``ModelJudge``."""
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": self.settings.max_tokens,
            "system": ask.prompt.system,
            "messages": [
                {"role": "user", "content": ask.prompt.user},
                *(dict(turn) for turn in ask.turns),
            ],
            "output_config": {
                "format": {"type": "json_schema", "schema": strict_schema(ask.schema)}
            },
        }
        if self.settings.temperature is not None:
            body["temperature"] = self.settings.temperature
        return body

    def read(self, body: Mapping[str, Any]) -> Reply:
        """See ``ModelJudge``."""
        content = body.get("content")
        if not isinstance(content, list):
            raise MalformedBodyError("it has no content")
        texts, thoughts = [], []
        for block in content:
            if not isinstance(block, Mapping):
                raise MalformedBodyError("its content has a block that is no object")
            if block.get("type") == "text":
                texts.append(text_or_none(block.get("text"), "text block") or "")
            elif block.get("type") == "thinking":
                thoughts.append(text_or_none(block.get("thinking"), "thinking block") or "")
        usage = mapping_or_empty(body.get("usage"))
        return Reply(
            text="".join(texts) if texts else None,
            finish_reason=text_or_none(body.get("stop_reason"), "stop_reason"),
            reasoning="\n".join(thoughts) or None,
            usage=Usage(
                prompt=count_or_none(usage.get("input_tokens")),
                completion=count_or_none(usage.get("output_tokens")),
            ),
            model=text_or_none(body.get("model"), "model"),
            notes=() if self.settings.seed is None else ("seed not sent: the API takes none",),
        )
