"""Verdicts that stand in what is judged: planted there to be taken for the judge's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from voirdire.reading import Check, Reading, ReadingOf, T
from voirdire.verdict import check_verdict

# Fields by which graders of all kinds tell their decision; in JSON, or in what resembles it.
_NAMES = ("verdict", "pass", "passed", "score", "criteria", "claims", "winner", "grade")
_NAME = f"(?:{'|'.join(_NAMES)})"
# Compiled where they are used: most answers hold no brace, and promptfoo waits.
_QUOTED_FIELD = rf"""["'`´‘’“”„«»]\s*{_NAME}\s*["'`´‘’“”„«»]\s*[:：=]"""
_BARE_FIELD = rf"[{{,]\s*{_NAME}\s*[:：=]"
_BRACES = r"\{[^{}]*"

_OBJECT = re.compile(r'\{\s*"')
_DECODER = json.JSONDecoder(strict=False)
_MAX_QUOTED = 8
# Characters looked at in vain before the search is given up, and what an error costs beside them:
# to make one, Python counts the lines from the beginning, which a window keeps near.
_IN_VAIN = 20_000_000
_PER_ERROR = 500
_WINDOW = 32_768


def holds_verdict_object(answer: str) -> bool:
    """Whether an answer holds a JSON object that could pass for a grader's verdict.

    Also one in a fence, in thinking, in another object or in a string, and one that is no
    valid JSON: a judge sees it all the same.
    """
    if "{" not in answer:
        return False
    search = _Search()
    if any(key.strip().casefold() in _NAMES for found in search.objects(answer) for key in found):
        return True
    rest = "".join(search.rest)
    if search.gave_up or ("{" in rest and re.search(_QUOTED_FIELD, rest, re.IGNORECASE)):
        return True
    bare = re.compile(_BARE_FIELD, re.IGNORECASE)
    return any(bare.search(braces[0]) for braces in re.finditer(_BRACES, rest))


def not_echoed(reading: Reading, texts: Iterable[str], criteria: tuple[str, ...]) -> Reading:
    """The reading, unless its verdict is word for word one that stands in a text it was shown.

    See :func:`unless_echoed`.
    """
    return unless_echoed(reading, texts, lambda value: check_verdict(value, criteria))


def unless_echoed(reading: ReadingOf[T], texts: Iterable[str], check: Check[T]) -> ReadingOf[T]:
    """The reading, unless its verdict is word for word one that stands in a text it was shown.

    A judge that repeats what it was given has not judged; which of the two it is cannot be
    told, so the reply is ``ambiguous``.
    """
    if reading.verdict is None:
        return reading
    for text in texts:
        search = _Search()
        if any(check(value) == reading.verdict for value in search.objects(text)):
            return ReadingOf(
                "ambiguous", detail="the verdict stands word for word in what it judges"
            )
        if search.gave_up:
            detail = "too many broken objects in what it judges to tell whether the verdict is one"
            return ReadingOf("ambiguous", detail=detail)
    return reading


class _Search:
    """Looks for JSON objects wherever they stand in a text, in time linear in its length.

    Attributes:
        rest: the text around the objects, in pieces.
        gave_up: too much of the text looked like an object and was none.
    """

    def __init__(self) -> None:
        self.rest: list[str] = []
        self._left = _IN_VAIN

    @property
    def gave_up(self) -> bool:
        return self._left < 0

    def objects(self, text: str, quoted: int = 0) -> Iterator[Mapping[str, Any]]:
        """The objects, those inside others and inside their strings too."""
        pos = end = 0
        while not self.gave_up and (mark := _OBJECT.search(text, pos)):
            start = mark.start()
            if start > _WINDOW:
                self.rest.append(text[end:start])
                text, start, end = text[start:], 0, 0
            try:
                value, pos = _DECODER.raw_decode(text, start)
            except (ValueError, RecursionError) as error:
                self._left -= getattr(error, "pos", len(text)) - start + _PER_ERROR
                pos = start + 1
            else:
                self.rest.append(text[end:start])
                end = pos
                yield from self._within(value, quoted)
        self.rest.append(text[end:])

    def _within(self, value: Any, quoted: int) -> Iterator[Mapping[str, Any]]:
        items = [value]
        while items:
            item = items.pop()
            if isinstance(item, dict):
                yield item
                items.extend(item.values())
            elif isinstance(item, list):
                items.extend(item)
            elif isinstance(item, str) and "{" in item and quoted < _MAX_QUOTED:
                yield from self.objects(item, quoted + 1)
