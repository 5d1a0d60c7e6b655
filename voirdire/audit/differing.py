"""A sample of the texts on which the parsers differ: telling a shape takes longer than parsing.

A text's key is a hash of it, and the sample is those with the smallest keys, as many as fit: so it
is random as to what the texts hold, and the same however the corpus was cut.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

MOST = 1_000
"""Texts of one outcome that are kept."""
MOST_CHARACTERS = 4_000_000
"""Characters of them together."""


class Differing(NamedTuple):
    """A text on which the parsers differ, and where it stands."""

    key: str
    file: int
    line: int
    where: str
    text: str


def key_of(text: str) -> str:
    """The key by which a text is sampled."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def fitting(found: list[Differing]) -> tuple[list[Differing], str | None]:
    """Those that fit, by key, and the smallest key of those that do not.

    What does not fit here fits in no larger sample either: whatever is added only takes room.
    """
    ordered = sorted(found)
    characters = 0
    for place, one in enumerate(ordered):
        characters += len(one.text)
        if place == MOST or characters > MOST_CHARACTERS:
            return ordered[:place], one.key
    return ordered, None
