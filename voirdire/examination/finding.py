"""A question of the examination, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from voirdire import intervals
from voirdire.pairwise.tally import Share

if TYPE_CHECKING:
    from voirdire.examination.room import Room

PASS, FAIL, NOT_SHOWN = "pass", "fail", "not shown"
RESULTS = (PASS, FAIL, NOT_SHOWN)

FEW = 4
"""Fewer cases than this show nothing."""
RIGHT = 0.8
"""Share of cases that a judge must get right."""
STEADY = 0.9
"""Share of cases that must stay as they were where nothing that matters was changed."""
_EXAMPLES = 5


class Finding(NamedTuple):
    """What came of one question.

    Attributes:
        name: the question's.
        result: ``pass``, ``fail``, or ``not shown``: too few cases, or not for this judge.
        asked: the question, in one sentence.
        answered: what was found, in one sentence.
        figures: counts, shares and examples; JSON values.
        advice: what to do; empty where there is nothing.
    """

    name: str
    result: str
    asked: str
    answered: str
    figures: Mapping[str, Any]
    advice: str


class Question(NamedTuple):
    """A question that a judge is examined with.

    Attributes:
        name: one word.
        asked: the question, in one sentence.
        examine: finds the answer in a room with the judge.
        asks: whether it needs calls beside those for the cases as they are.
    """

    name: str
    asked: str
    examine: Callable[[Room], Finding]
    asks: bool = True

    def put(self, room: Room) -> Finding:
        """What comes of it."""
        return self.examine(room)._replace(name=self.name, asked=self.asked)


def found(
    is_good: bool | None, answered: str, advice: str = "", figures: Mapping[str, Any] | None = None
) -> Finding:
    """A finding whose question fills in its name.

    Args:
        is_good: ``None`` where nothing could be shown.
        answered: what was found, in one sentence.
        advice: what to do.
        figures: JSON values.
    """
    result = NOT_SHOWN if is_good is None else PASS if is_good else FAIL
    return Finding("", result, "", answered, figures or {}, advice)


def figure(share: Share) -> dict[str, Any]:
    """A share as JSON values, with its 95 % interval; null without any case."""
    bounds = list(intervals.wilson(share.count, share.of)) if share.of else None
    return {"count": share.count, "of": share.of, "rate": share.rate, "interval": bounds}


def shows(share: Share) -> bool:
    """Whether a share rests on enough cases."""
    return share.of >= FEW


def reaches(share: Share, least: float) -> bool:
    """Whether a share with cases is at least so large."""
    return share.rate is not None and share.rate >= least


def some(examples: list[dict[str, str]]) -> list[dict[str, str]]:
    """The first few examples: enough to see what is meant."""
    return examples[:_EXAMPLES]
