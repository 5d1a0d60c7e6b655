"""A case that a person has labelled, and the same case judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from voirdire.grade import Case, Outcome

LABELS = ("pass", "fail")


class Labelled(NamedTuple):
    """A case with what people decided.

    Attributes:
        case: the answer, its question and its sources; has an id.
        label: ``pass`` or ``fail``.
        criteria: what the person said of each criterion; empty where they gave only the label.
        note: why, in the person's words; may be empty.
        second: another person's label; empty where there is none.
        tags: what kind of case it is.
        model: who wrote the answer; empty where nobody knows.
        where: ``file:line``.
    """

    case: Case
    label: str
    criteria: Mapping[str, bool]
    note: str
    second: str
    tags: tuple[str, ...]
    model: str
    where: str


class Judged(NamedTuple):
    """A labelled case and what the judge made of it."""

    labelled: Labelled
    outcome: Outcome
