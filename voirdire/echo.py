"""Verdicts that stand in the answer under judgement: planted there to be taken for the judge's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from voirdire.reading import Check, Reading, ReadingOf, T
from voirdire.scan import scan
from voirdire.verdict import check_verdict

# A field by which graders of all kinds tell their decision, in JSON or in what resembles it.
_DECIDING = re.compile(
    r"""[{,]\s*["']?(?:verdict|pass|passed|score|criteria|claims|winner|grade)["']?\s*:""",
    re.IGNORECASE,
)


def holds_verdict_object(answer: str) -> bool:
    """Whether an answer holds a JSON object that could pass for a grader's verdict."""
    return "{" in answer and any(
        part.kind != "array" or part.holds_object
        for part in scan(answer).parts
        if _DECIDING.search(answer, part.start, part.end)
    )


def not_echoed(reading: Reading, answer: str, criteria: tuple[str, ...]) -> Reading:
    """The reading, unless its verdict is word for word one that stands in the answer.

    See :func:`unless_echoed`.
    """
    return unless_echoed(reading, [answer], lambda value: check_verdict(value, criteria))


def unless_echoed(reading: ReadingOf[T], texts: Iterable[str], check: Check[T]) -> ReadingOf[T]:
    """The reading, unless its verdict is word for word one that stands in a text under judgement.

    A judge that repeats what it was given has not judged; which of the two it is cannot be
    told, so the reply is ``ambiguous``.
    """
    if reading.verdict is None:
        return reading
    for text in texts:
        if any(check(value) == reading.verdict for value in _objects(text)):
            return ReadingOf("ambiguous", detail="the verdict stands word for word in the answer")
    return reading


def _objects(answer: str) -> Iterator[Mapping[str, Any]]:
    if "{" not in answer:
        return
    for part in scan(answer).parts:
        values = part.value if isinstance(part.value, list) else [part.value]
        for value in values:
            if isinstance(value, dict):
                yield value
