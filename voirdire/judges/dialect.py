"""How the APIs differ: the schema each takes, the parts each refuses, how each words an error."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from voirdire.errors import JudgeCallError

_KEPT = frozenset({"type", "enum", "const", "description"})
_MESSAGE_CHARS = 300
# Some servers answer a request that they cannot serve as if they had failed themselves.
_REFUSING_STATUSES = frozenset({400, 404, 422, 500, 501})

_T = TypeVar("_T")


def strict_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema in the part of JSON Schema that strict structured output takes.

    OpenAI and Anthropic agree on it: every object closed, every property required, no
    lengths, ranges or conditions. The whole schema is applied to the reply all the same.
    """
    trimmed = {name: value for name, value in schema.items() if name in _KEPT}
    properties = schema.get("properties")
    if isinstance(properties, Mapping):
        trimmed["properties"] = {name: strict_schema(item) for name, item in properties.items()}
        trimmed["required"] = list(properties)
        trimmed["additionalProperties"] = False
    items = schema.get("items")
    if isinstance(items, Mapping):
        trimmed["items"] = strict_schema(items)
    return trimmed


@dataclass(frozen=True)
class Part:
    """A part of the request that a server may refuse and a judge can do without.

    Attributes:
        name: for people.
        field: its field in the body.
        signs: what a refusal's body mentions, in lower case.
    """

    name: str
    field: str
    signs: re.Pattern[str]

    def refused_by(self, status: int | None, body: str) -> bool:
        """Whether an error says that this part is what the server will not take."""
        return status in _REFUSING_STATUSES and bool(self.signs.search(body.lower()))


# (host, model, part): what a server refused is not offered again in this process.
_refused: set[tuple[str, str, str]] = set()


def ask_without_refused(
    post: Callable[[Mapping[str, Any], Callable[[int, str], bool]], _T],
    body: Mapping[str, Any],
    parts: tuple[Part, ...],
    host: str,
) -> tuple[_T, tuple[str, ...]]:
    """Post a body, and again without a part that the server refuses.

    Args:
        post: sends a body; told which errors are refusals, so that it does not retry them.
        parts: the parts that may be left out.
        host: where; what a host refuses for a model is remembered for this process.

    Returns:
        The answer, and a note for each part that was left out.

    Raises:
        JudgeCallError: as ``post`` raises it, where no part is to blame.
    """
    model = str(body["model"])
    body = dict(body)
    notes = []
    for part in parts:
        if part.field in body and (host, model, part.name) in _refused:
            del body[part.field]
            notes.append(f"{part.name} left out: refused before")
    dropped: list[Part] = []
    while True:
        offered = [part for part in parts if part.field in body]

        def is_refusal(status: int, text: str, offered: list[Part] = offered) -> bool:
            return any(part.refused_by(status, text) for part in offered)

        try:
            answer = post(body, is_refusal)
        except JudgeCallError as error:
            blamed = [part for part in offered if part.refused_by(error.status, error.raw)]
            if not blamed:
                raise
            del body[blamed[0].field]
            dropped.append(blamed[0])
            notes.append(f"{blamed[0].name} refused, asked again without")
            continue
        # Remembered only now: the error that mentioned it may have had another cause.
        _refused.update((host, model, part.name) for part in dropped)
        return answer, tuple(notes)


def error_message(body: str) -> str:
    """What an error body says, on one line and shortened; its first words where it is no JSON."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return _one_line(body)
    return _one_line(describe_error(value) or body)


def describe_error(value: Any, depth: int = 3) -> str:
    """The message in an error object of any of the shapes that the APIs use; may be empty."""
    if isinstance(value, str):
        return _one_line(value)
    if not isinstance(value, Mapping) or depth == 0:
        return ""
    inner = (describe_error(value.get(name), depth - 1) for name in ("error", "message", "detail"))
    found = next((text for text in inner if text), "")
    # OpenRouter's own message says no more than that the provider failed.
    metadata = value.get("metadata")
    if isinstance(metadata, Mapping) and isinstance(metadata.get("raw"), str):
        found = f"{found} ({metadata['raw']})"
    return _one_line(found)


def _one_line(text: str) -> str:
    line = " ".join(text[: 4 * _MESSAGE_CHARS].split())
    return line if len(line) <= _MESSAGE_CHARS else f"{line[: _MESSAGE_CHARS - 1]}…"
