"""The answer under check, and what a check is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from voirdire.source import Source
from voirdire.strictjson import parse

_FENCE = re.compile(r"(`{3,}|~{3,})[ \t]*[\w.+-]{0,30}[ \t]*\r?\n")


class Subject:
    """One answer, with what it is held against.

    Args:
        answer: its text.
        sources: gives the sources of truth; called once, and only if a check asks for them.
        fence_allowed: whether the answer's JSON may stand in a code fence that is all of it.
    """

    def __init__(
        self, answer: str, sources: Callable[[], Sequence[Source]], *, fence_allowed: bool = False
    ) -> None:
        self.answer = answer
        self._sources = sources
        self._fence_allowed = fence_allowed

    @cached_property
    def sources(self) -> Sequence[Source]:
        """The sources of truth.

        Raises:
            ConfigError: there are none, or they cannot be read.
        """
        return self._sources()

    @cached_property
    def is_json(self) -> bool:
        """Whether the answer, or the code fence that is all of it, holds a JSON object or array."""
        return isinstance(self._parsed[0], (dict, list))

    @cached_property
    def prose(self) -> str:
        """What the answer says: its text, but of JSON the strings as they are meant.

        Escapes may hide a phrase or a link (``https:\\/\\/…``) and may make words of numbers.
        """
        return "\n".join(_lines(self._parsed[0])) if self.is_json else self.answer

    @cached_property
    def json(self) -> tuple[Any, str]:
        """The answer's JSON: ``(value, "")`` or ``(None, what is wrong)``."""
        if _unfenced(self.answer) is not None and not self._fence_allowed:
            return None, "stands in a code fence; answer bare JSON, or set `fence: allowed`"
        value, fault = self._parsed
        return value, f"is not JSON: {fault}" if fault else ""

    @cached_property
    def _parsed(self) -> tuple[Any, str]:
        inside = _unfenced(self.answer)
        return parse(self.answer if inside is None else inside)


class Check(NamedTuple):
    """A configured check.

    Attributes:
        name: as in the configuration.
        faults: what is wrong with an answer, one sentence each; none where it passes. Raises
            ConfigError where the configuration's fault shows only now.
    """

    name: str
    faults: Callable[[Subject], list[str]]


def _unfenced(text: str) -> str | None:
    """The inside of a code fence that is the whole text."""
    text = text.strip()
    opening = _FENCE.match(text)
    if opening is None or not text.endswith(opening[1], opening.end()):
        return None
    return text[opening.end() : -len(opening[1])]


def _lines(value: Any) -> Iterator[str]:
    """The keys and values of JSON, one pair a line, in order."""
    left: list[tuple[str, Any]] = [("", value)]
    while left:  # no recursion: the answer decides how deep it goes
        label, value = left.pop()
        if isinstance(value, dict):
            yield label
            left += [(f"{key}: ", item) for key, item in reversed(value.items())]
        elif isinstance(value, list):
            yield label
            left += [("", item) for item in reversed(value)]
        elif isinstance(value, str):
            yield label + value
        else:
            yield label + json.dumps(value)
