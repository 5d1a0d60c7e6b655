"""Cut an answer into its sentences and list items.

Claims are made sentence by sentence, so this is what "the whole answer was covered" is measured
against: no letter and no digit of the text falls between two pieces. Linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Piece(NamedTuple):
    """One sentence, list item, heading, table row or code block.

    Attributes:
        start: where it begins in the text it was cut from.
        end: where it ends (exclusive).
        text: exactly the characters between them; holds at least one letter or digit.
    """

    start: int
    end: int
    text: str

    @property
    def body(self) -> str:
        """The text without its list number (``2. Open it`` gives ``Open it``)."""
        marker = _LIST_NUMBER.match(self.text)
        return self.text[marker.end() :] if marker else self.text


_LIST_NUMBER = re.compile(r"(?:\d{1,3}[.)]|\(?[A-Za-z]\)|\(\d{1,3}\))[ \t]+(?=\S)")
# What opens a line: quote marks, then a heading's or a bullet's mark. A list number stays in the
# piece, since its digits are text that somebody may ask about.
_LEAD = re.compile(r"[ \t>]*(?:#{1,6}[ \t]+|[-*+•‣◦·–—][ \t]+)?")
_NUMBERED = re.compile(r"[ \t>]*" + _LIST_NUMBER.pattern)
_FENCE = re.compile(r"[ \t>]*(```|~~~)")
_STOPS = re.compile(r"[.!?…]+|[。！？]+")
_CLOSERS = "\"')]}*_”’»›`"
_OPENERS = "\"'([{*_“‘«‹`"
# A line this long was probably wrapped by an editor rather than ended by its writer.
_WRAPPED = 60

_ALWAYS_INSIDE = frozenset(
    "dr mr mrs ms prof rev gen sen hon capt lt col sgt messrs mme "
    "vs cf viz approx ca e.g i.e eg ie a.k.a resp".split()
)
_MAY_END = frozenset(
    "min max sec hr hrs tel ext incl excl st ed eds "
    "inc ltd co corp llc plc gmbh bros etc al jr sr u.s u.k u.n e.u u.s.a d.c p.m a.m ph.d "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun".split()
)
_NUMBER_FOLLOWS = frozenset(
    ["no", "nos", "nr", "art", "sec", "ch", "vol", "pp", "fig", "figs", "eq"]
)
_OPENING_WORDS = frozenset(
    "the this that these those it its they their there here he she we you your i my our a an "
    "if when while after before for from in on at to by with as and but or so yet however "
    "please note also see all any each every no not only both once what who how why where "
    "to use open click contact then next finally first".split()
)


def pieces(text: str) -> list[Piece]:
    """Cut a text into sentences, list items, headings, table rows and code blocks.

    Args:
        text: any text; Markdown is understood, not required.

    Returns:
        The pieces in order, without overlap. None is empty or punctuation only, and every
        letter or digit of the text stands in one of them.
    """
    found = []
    for start, end, whole in _blocks(text):
        spans = [(start, end)] if whole else _sentences(text, start, end)
        for left, right in spans:
            part = text[left:right]
            left += len(part) - len(part.lstrip())
            part = part.strip()
            if any(char.isalnum() for char in part):
                found.append(Piece(left, left + len(part), part))
    return found


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """The spans of a text's lines, without their line breaks."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        yield start, end
        start = end + 1


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Paragraphs, items and the like as ``(start, end, whole)``; a whole one is not cut further."""
    fence = ""
    fence_start = 0
    open_start = -1  # the block that the next line may continue
    open_end = 0
    for start, end in _lines(text):
        mark = _FENCE.match(text, start, end)
        if fence:
            if mark and mark.group(1) == fence:
                yield fence_start, end, True
                fence = ""
            continue
        lead = _LEAD.match(text, start, end)
        body = lead.end() if lead else start
        special = body > start and text[start:body].strip(" \t>") != ""
        numbered = _NUMBERED.match(text, start, end) is not None
        row = text.startswith("|", body)
        continues = (
            open_start >= 0
            and not (mark or special or numbered or row)
            and _continues(text, open_start, open_end, body, end)
        )
        if continues:
            open_end = end
            continue
        if open_start >= 0:
            yield open_start, open_end, False
            open_start = -1
        if mark:
            fence, fence_start = mark.group(1), start
        elif row:
            yield from _row(text, body, end)
        elif body < end:
            open_start, open_end = body, end
            if text[start:body].lstrip(" \t>").startswith("#"):
                yield open_start, open_end, False  # a heading never runs on
                open_start = -1
    if open_start >= 0:
        yield open_start, open_end, False
    if fence:
        yield fence_start, len(text), True


def _row(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """A table row without its outer bars."""
    row = text[start:end]
    left = start + len(row) - len(row.lstrip("| \t"))
    right = start + len(row.rstrip("| \t\r"))
    if left < right:
        yield left, right, True


def _continues(text: str, open_start: int, open_end: int, body: int, end: int) -> bool:
    """Whether a line goes on with the sentence of the line before it."""
    if body >= end or not text[body:end].strip():
        return False
    if text[body].islower():
        return True
    before = text[max(open_start, open_end - _WRAPPED - 2) : open_end].rstrip()
    last_line = before.rsplit("\n", 1)[-1]
    return len(last_line) >= _WRAPPED - 2 and before[-1:] not in ".!?…:;。"


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The spans of a block's sentences."""
    numbered = _LIST_NUMBER.match(text, start, end)
    begin = start
    for stop in _STOPS.finditer(text, numbered.end() if numbered else start, end):
        after = stop.end()
        while after < end and text[after] in _CLOSERS:
            after += 1
        if _ends_sentence(text, begin, stop.start(), stop.group(), after, end):
            yield begin, after
            begin = after
    yield begin, end


def _ends_sentence(text: str, begin: int, stop: int, mark: str, after: int, end: int) -> bool:
    """Whether a stop at ``stop`` ends the sentence that runs from ``begin``."""
    if mark[0] in "。！？":
        return True
    if after >= end or not text[after].isspace():
        return False
    following = after
    # A window keeps a mile of white space from being walked at every stop.
    while following < min(end, after + 200) and (
        text[following].isspace() or text[following] in _OPENERS
    ):
        following += 1
    if following < end and text[following].islower():
        return False
    if mark != ".":
        return True
    word_start = stop
    while word_start > max(begin, stop - 12) and (
        text[word_start - 1].isalnum() or text[word_start - 1] == "."
    ):
        word_start -= 1
    word = text[word_start:stop]
    lowered = word.lower()
    if lowered in _NUMBER_FOLLOWS:
        return not (following < end and text[following].isdigit())
    if lowered in _ALWAYS_INSIDE:
        return False
    if lowered in _MAY_END or (len(word) == 1 and word.isupper()):
        return _next_word(text, following, end) in _OPENING_WORDS
    return True


def _next_word(text: str, start: int, end: int) -> str:
    """The word at a position, lower case, at most 12 characters of it."""
    stop = start
    while stop < min(end, start + 12) and text[stop].isalpha():
        stop += 1
    return text[start:stop].lower()
