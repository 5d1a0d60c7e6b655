"""From a judge's spec to a judge.

``openai:gpt-4.1-2025-04-14`` · ``openai:qwen@http://127.0.0.1:8080/v1`` ·
``openrouter:vendor/model`` · ``ollama:model`` · ``anthropic:claude-sonnet-5`` ·
``replay:path`` · ``rules``
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voirdire.errors import ConfigError
from voirdire.judges.base import Judge

if TYPE_CHECKING:
    from voirdire.judges.settings import JudgeSettings

_ACCEPTED = (
    "a judge is openai:MODEL, openrouter:MODEL, ollama:MODEL or anthropic:MODEL"
    " (each may end in @http://HOST/PATH), replay:FILE, or rules"
)
# promptfoo's ids name an API before the model; the services' own models have no such names.
_PROMPTFOO_API = ("chat", "completion", "completions", "responses", "messages")
# What follows the last @ and is meant as a place, its http:// forgotten.
_PLACE = r"(localhost|[\w.-]+:\d+|\d{1,3}(\.\d{1,3}){3})(/.*)?|\w+://.*"


def make_judge(
    spec: str,
    settings: Mapping[str, Any] | None = None,
    *,
    base_dir: Path | None = None,
    of_parent: bool = False,
) -> Judge:
    """Make the judge that a spec names; nothing is asked and no key is read yet.

    Args:
        spec: ``scheme:model[@base_url]``, ``replay:path`` or ``rules``.
        settings: fields of ``JudgeSettings``; checked for every judge, used by models.
        base_dir: where a relative ``replay`` path starts; the working directory if ``None``.
        of_parent: whether a budget is that of the parent process's run (promptfoo's).

    Raises:
        ConfigError: a spec or a setting that is not accepted, with what is.
    """
    if settings:
        _checked(settings)  # whatever the judge, though only models use them
    scheme, colon, rest = spec.strip().partition(":")
    if scheme == "rules" and not colon:
        from voirdire.judges.rules import RulesJudge

        return RulesJudge()
    if scheme == "replay" and rest:
        from voirdire.judges.replay import ReplayJudge

        return ReplayJudge(str((base_dir or Path()) / rest))
    if scheme == "anthropic":
        from voirdire.judges.anthropic import ANTHROPIC, AnthropicJudge

        return AnthropicJudge(
            ANTHROPIC, *_model_and_url(rest), _checked(settings), of_parent=of_parent
        )
    if scheme in ("openai", "openrouter", "ollama"):
        from voirdire.judges.openai import OLLAMA, OPENAI, OPENROUTER, OpenAIJudge

        service = {"openai": OPENAI, "openrouter": OPENROUTER, "ollama": OLLAMA}[scheme]
        return OpenAIJudge(service, *_model_and_url(rest), _checked(settings), of_parent=of_parent)
    # Not the spec whole: a key may have been pasted into it.
    raise ConfigError(f"unknown judge {scheme[:40]!r}: {_ACCEPTED}")


def _checked(settings: Mapping[str, Any] | None) -> JudgeSettings:
    from voirdire.judges.settings import read_settings  # a judge without settings waits for none

    return read_settings(settings)


def _model_and_url(text: str) -> tuple[str, str | None]:
    found = re.search(r"@(?=https?://)", text)
    model, url = (text[: found.start()], text[found.end() :]) if found else (text, None)
    if not model or model != model.strip() or not model.isprintable():
        raise ConfigError(f"the judge names no model: {_ACCEPTED}")
    if url is None and "@" in model and re.fullmatch(_PLACE, model.rpartition("@")[2]):
        raise ConfigError(f"the judge's base URL must begin with http:// or https://: {_ACCEPTED}")
    api, colon, name = model.partition(":")
    if url is None and colon and name and api in _PROMPTFOO_API:
        raise ConfigError(
            f"the judge's model {model[:40]!r} has promptfoo's `{api}:` before it: leave that out"
        )
    return model, url
