"""The sentences of a text, each with the facts that stand in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.fold import STOP_WORDS, content, fold, stem, words
from voirdire.sentences import Piece, pieces

_PARTS = re.compile(r"[^\W_]+")


class Passage:
    """One sentence of a source (or of an answer) with the facts that stand in it."""

    def __init__(self, text: str, folded: str, piece: Piece, index: int, owner: int) -> None:
        self.text = text
        self.folded = folded
        self.piece = piece
        self.index = index  # its place among the sentences of its text
        self.owner = owner  # the index of its source
        self.place = index  # its place among the sentences of all sources
        self.facts: list[Fact] = []

    def in_table(self) -> bool:
        """Whether it is a row of a Markdown table."""
        return self.text.startswith("|", self.text.rfind("\n", 0, self.piece.start) + 1)

    @cached_property
    def words(self) -> set[str]:
        """Its words as they stand, lower case."""
        return set(words(self.folded[self.piece.start : self.piece.end]))

    @cached_property
    def terms(self) -> list[tuple[int, int, str, bool]]:
        """Its meaningful words: start, end, stem, and whether capitalised within it or digits."""
        found = []
        for match in _PARTS.finditer(self.folded, self.piece.start, self.piece.end):
            text = match.group()
            low = text.lower()
            if low not in STOP_WORDS:
                first = match.start() == self.piece.start
                marked = low.isdecimal() or (text[0].isupper() and not first)
                found.append((match.start(), match.end(), stem(low), marked))
        return found

    @cached_property
    def content(self) -> set[str]:
        """Stems of its meaningful words."""
        return content(self.folded[self.piece.start : self.piece.end])


def passages(text: str, facts: Sequence[Fact], owner: int = 0) -> list[Passage]:
    """The sentences of a text, each with its facts."""
    folded = fold(text)
    cut = [Passage(text, folded, piece, at, owner) for at, piece in enumerate(pieces(text))]
    starts = [passage.piece.start for passage in cut]
    for fact in facts:
        at = bisect_right(starts, fact.start) - 1
        if at >= 0:
            cut[at].facts.append(fact)
    return cut
