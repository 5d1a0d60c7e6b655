"""What a mutation starts from, and what it says of itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

from voirdire.audit.value import same
from voirdire.scan import MAX_DEPTH
from voirdire.strictjson import parse

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}\[\],:]|[ \t\r\n]+', re.DOTALL
)
LITERALS = ("true", "false", "null")


class Intends(Enum):
    """Which value a mutated text intends."""

    BASE = "the value it was made from"
    AS_WRITTEN = "the value that stands there, control characters in strings allowed"
    NOTHING = "no value should be read"
    UNKNOWN = "opinions differ"


class Base:
    """A text that is one strict JSON object or array, and its value."""

    def __init__(self, text: str, value: Any) -> None:
        self.text = text
        self.value = value

    @cached_property
    def tokens(self) -> list[str]:
        """The text in pieces: strings, numbers, words, single marks, and blanks."""
        return _TOKEN.findall(self.text)

    def _next(self, index: int) -> str:
        """The first token behind ``index`` that is not blank."""
        return next((token for token in self.tokens[index + 1 :] if not token.isspace()), "")

    @cached_property
    def keys(self) -> list[int]:
        """Places of the keys among the tokens."""
        return [
            i for i, token in enumerate(self.tokens) if token[0] == '"' and self._next(i) == ":"
        ]

    @cached_property
    def strings(self) -> list[int]:
        """Places of the strings that are no keys."""
        keys = set(self.keys)
        return [i for i, token in enumerate(self.tokens) if token[0] == '"' and i not in keys]

    @cached_property
    def numbers(self) -> list[int]:
        """Places of the numbers."""
        return [i for i, token in enumerate(self.tokens) if token[0] in "-0123456789"]

    def places(self, *tokens: str) -> list[int]:
        """Places of certain tokens."""
        return [i for i, token in enumerate(self.tokens) if token in tokens]

    def edited(self, changes: dict[int, str]) -> str:
        """The text with other tokens at some places."""
        return "".join(changes.get(i, token) for i, token in enumerate(self.tokens))


class Mutation(NamedTuple):
    """A way in which models write what they should not.

    Attributes:
        intends: which value the text intends.
        why: one clause that says why it does.
        make: the mutated text; ``None`` where the base has nothing to be mutated, whatever is
            drawn.
    """

    intends: Intends
    why: str
    make: Callable[[Base, Random], str | None]


MUTATIONS: dict[str, Mutation] = {}
"""Every mutation by name."""


def mutation(
    name: str, intends: Intends, why: str
) -> Callable[[Callable[[Base, Random], str | None]], None]:
    """Add a function to ``MUTATIONS``."""

    def add(make: Callable[[Base, Random], str | None]) -> None:
        if name in MUTATIONS:
            raise ValueError(f"two mutations are named {name!r}")
        MUTATIONS[name] = Mutation(intends, why, make)

    return add


def sound_base(text: str, value: Any) -> Base | None:
    """A base, if the text is one strict JSON object or array of that value, and not too deep."""
    if not text.lstrip(" \t\r\n").startswith(("{", "[")):
        return None
    read, fault = parse(text)
    if fault or not same(read, value):
        return None
    depth = deepest = 0
    base = Base(text, value)
    for token in base.tokens:
        depth += (token in "{[") - (token in "}]")
        deepest = max(deepest, depth)
    return base if deepest <= MAX_DEPTH else None
