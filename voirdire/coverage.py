"""Whether a judge's claims cover the whole answer: one claim of twenty is no examination."""

from __future__ import annotations

import re
from collections.abc import Iterable

from voirdire.evidence import fold, fold_quote, occurrences
from voirdire.sentences import pieces

_WORDS = re.compile(r"[^\W_]+")
# Words that carry no claim of their own; a claim may leave them out of its quote.
_LINKS = frozenset(
    "a also an and as at but by for from i in it its my of on or our so that the their then "
    "they this to was we were which while with you your is are has have had he she".split()
)


def skipped(answer: str, quotes: Iterable[str], ignore: Iterable[str] = ()) -> list[str]:
    """The sentences and list items of an answer that no quote covers.

    Args:
        answer: the text under judgement.
        quotes: what the claims quote of it; several may cover a sentence together.
        ignore: lines that make no claim, taken whole.
    """
    # pieces() may cut a line in two, as it cuts the answer.
    dropped = claimless(ignore)
    wanted = {fold_quote(quote) for quote in quotes}
    wanted.discard("")
    missing = []
    cursor = 0
    text = fold(answer)
    covered = _covered(text, wanted)
    for piece in pieces(answer):
        folded = fold(piece.body)
        start = text.find(folded, cursor)
        if start < 0:  # folding across the edge of a piece changed it: look at it alone
            marks, start = _covered(folded, wanted), 0
            source = folded
        else:
            marks, source = covered, text
            cursor = start + len(folded)
        if bare(folded) not in dropped and not _is_covered(source, start, len(folded), marks):
            missing.append(piece.text)
    return missing


def claimless(ignore: Iterable[str]) -> set[str]:
    """The bare forms of lines that make no claim, with and without their list numbers."""
    return {bare(text) for line in ignore for text in (line, *(p.body for p in pieces(line)))}


def bare(text: str) -> str:
    """The words of a line alone, folded: what ignored lines are compared by."""
    return " ".join(_WORDS.findall(fold(text)))


def _covered(text: str, wanted: set[str]) -> bytearray:
    marks = bytearray(len(text))
    for quote in wanted:
        for start in occurrences(quote, text):
            marks[start : start + len(quote)] = b"\x01" * len(quote)
    return marks


def _is_covered(text: str, start: int, length: int, marks: bytearray) -> bool:
    return all(
        marks[word.start()] or word[0] in _LINKS
        for word in _WORDS.finditer(text, start, start + length)
    ) and any(marks[start : start + length])
