"""Models under test: asked in plain words, with no schema and no instructions of ours."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from voirdire.errors import ConfigError, JudgeCallError
from voirdire.jsonl import objects
from voirdire.judges.anthropic import ANTHROPIC, AnthropicJudge
from voirdire.judges.base import Ask
from voirdire.judges.model import ModelJudge
from voirdire.judges.openai import OLLAMA, OPENAI, OPENROUTER, OpenAIJudge
from voirdire.judges.prices import Price
from voirdire.judges.settings import read_settings
from voirdire.judges.spec import make_judge
from voirdire.prompt import Prompt
from voirdire.reply import Reply
from voirdire.source import text_hash

_ACCEPTED = (
    "a model is openai:MODEL, openrouter:MODEL, ollama:MODEL or anthropic:MODEL (each may end in"
    " @http://HOST/PATH), or recorded:FILE.jsonl"
)
_SERVICES = {"openai": OPENAI, "openrouter": OPENROUTER, "ollama": OLLAMA, "anthropic": ANTHROPIC}


class Model(Protocol):
    """A model under test: one prompt in, one raw reply out."""

    @property
    def spec(self) -> str:
        """The spec it was made from, free of secrets."""

    @property
    def identity(self) -> Mapping[str, Any]:
        """What makes it this model and no other: model, host, settings. JSON values, no secrets."""

    @property
    def price(self) -> Price | None:
        """What its tokens cost; ``None`` where that is not known."""

    @property
    def is_recorded(self) -> bool:
        """Whether nobody is asked."""

    def ask(self, ask: Ask) -> Reply:
        """Ask once.

        Raises:
            JudgeCallError: no reply (``unreachable``, ``no_record``, ``budget``).
            ConfigError: the settings are wrong (a missing key).
        """


class _OpenAIModel(OpenAIJudge):
    is_recorded = False

    def body(self, ask: Ask) -> dict[str, Any]:
        body = super().body(ask)
        del body["response_format"]
        return {**body, "messages": [{"role": "user", "content": ask.prompt.user}]}


class _AnthropicModel(AnthropicJudge):
    is_recorded = False

    def body(self, ask: Ask) -> dict[str, Any]:
        body = super().body(ask)
        del body["output_config"], body["system"]
        return body


class RecordedModel:
    """Answers that stand in a file, found by the case's id.

    Args:
        path: JSONL, ``{"id": …, "answer": …}`` a line.

    Raises:
        ConfigError: the file is missing or empty, or a line is damaged or stands twice.
    """

    is_recorded = True

    def __init__(self, path: Path) -> None:
        self._path = path
        self._answers: dict[str, str] = {}
        for where, value in objects(path):
            identity, answer = value.get("id"), value.get("answer")
            if not isinstance(identity, str) or not isinstance(answer, str):
                raise ConfigError(f'{where}: a recorded answer is {{"id": "…", "answer": "…"}}')
            if identity in self._answers:
                raise ConfigError(f"{where}: the id {identity!r} stands twice; keep one")
            self._answers[identity] = answer

    @property
    def spec(self) -> str:
        """See ``Model``."""
        return f"recorded:{self._path.as_posix()}"

    @property
    def identity(self) -> Mapping[str, Any]:
        """See ``Model``."""
        hashed = text_hash("\0".join(f"{key}\0{text}" for key, text in self._answers.items()))
        return {"scheme": "recorded", "answers_sha256": hashed}

    @property
    def price(self) -> Price:
        """Nothing."""
        return Price(0, 0, "recorded")

    def ask(self, ask: Ask) -> Reply:
        """See ``Model``."""
        answer = self._answers.get(ask.case_id or "")
        if answer is None:
            raise JudgeCallError(
                "no_record", f"{self._path}: no answer is recorded for the case {ask.case_id!r}"
            )
        return Reply(text=answer, canned=True)


def make_model(spec: str, settings: Mapping[str, Any]) -> Model:
    """Make the model that a spec names; nothing is asked and no key is read yet.

    A name that fixes no version is taken: what is in production often goes by one.

    Args:
        spec: ``scheme:model[@base_url]``, or ``recorded:path``.
        settings: fields of ``JudgeSettings``; a recorded model takes none of them.

    Raises:
        ConfigError: a spec or a setting that is not accepted, with what is.
    """
    scheme, _, rest = spec.strip().partition(":")
    if scheme == "recorded" and rest:
        return RecordedModel(Path(rest))
    if scheme not in _SERVICES:
        # Not the spec whole: a key may have been pasted into it.
        raise ConfigError(f"unknown model {scheme[:40]!r}: {_ACCEPTED}")
    given = {"allow_floating": True, **settings}
    judge = make_judge(spec, given)  # it knows what a spec may say
    assert isinstance(judge, ModelJudge)
    url = rest[len(judge.model) + 1 :] or None
    kind = _AnthropicModel if scheme == "anthropic" else _OpenAIModel
    return kind(_SERVICES[scheme], judge.model, url, read_settings(given))


def asking(prompt: str, case_id: str) -> Ask:
    """A prompt in the shape that the clients take."""
    return Ask(
        prompt=Prompt("", prompt, ()),
        schema={},
        rubric_criteria=(),
        sources=(),
        question="",
        answer="",
        case_id=case_id,
    )
