"""What a checkable fact is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from voirdire.judges.rules.fold import MASK

Key = tuple[str, object]
"""Canonical value with its dimension: ``("time", 1800.0)`` is 30 minutes however it is written."""


@dataclass(frozen=True)
class Fact:
    """One checkable fact as it stands in a text.

    Attributes:
        kind: as named to people: ``number``, ``duration``, ``money``, ``date``, ``name`` …
        start: where its phrase begins in the text.
        end: where its phrase ends (exclusive).
        keys: canonical values; more than one where the writing is ambiguous. Two facts are the
            same where they share one.
        group: facts of one group can contradict each other.
        value: the number as it was written, unit left aside, where there is one.
        nouns: stems of the words that a bare number counts.
        rate: the period that the value is per (``month``), or empty.
        soft: only a contradiction counts: the writing is too vague to call it missing.
        year: the year of a date, where one was given.
    """

    kind: str
    start: int
    end: int
    keys: tuple[Key, ...]
    group: str
    value: float | None = None
    nouns: frozenset[str] = field(default_factory=frozenset)
    rate: str = ""
    soft: bool = False
    year: int | None = None


def spelled(fact: Fact) -> tuple[Key, ...]:
    """A fact's keys, and those it has when written shorter.

    A version may be written as a bare number, and a date without its year.
    """
    if fact.kind == "date":
        bare = [(dim, (None, *value[1:])) for dim, value in fact.keys
                if dim == "date" and isinstance(value, tuple) and value[2]]  # fmt: skip
        return (*fact.keys, *bare)
    if fact.kind == "version" and fact.value is not None:
        return (*fact.keys, ("number", fact.value))
    return fact.keys


def rounded(value: float) -> float:
    """A number to 12 significant digits, so that 2.3 million is 2,300,000."""
    return float(f"{value:.12g}")


def blank(text: str, facts: Iterable[Fact]) -> str:
    """The text with the facts' phrases masked, so that no other rule reads them again."""
    parts = []
    at = 0
    for fact in sorted(facts, key=lambda fact: fact.start):
        if fact.start >= at:
            parts += [text[at : fact.start], MASK * (fact.end - fact.start)]
            at = fact.end
    parts.append(text[at:])
    return "".join(parts)
