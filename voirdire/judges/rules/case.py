"""One answer with its sources and its question, read for facts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from voirdire.judges.rules.asked import Asked
from voirdire.judges.rules.extract import TooManyFactsError, extract
from voirdire.judges.rules.fact import Fact, Key, spelled
from voirdire.judges.rules.fold import content, fold
from voirdire.judges.rules.passage import Passage, passages
from voirdire.judges.rules.truth import Ref, Truth, truth_of
from voirdire.source import Source

FOUND, ECHO, MISSING, WRONG, IGNORED = "found", "echo", "missing", "wrong", "ignored"
MOST_FACTS = 3000  # of an answer or a question
MOST_CHARACTERS = 100_000  # of an answer
_LOOKUPS = 400_000_000  # characters of source that quotes may be searched in
_SWAPS = 2000  # facts whose surroundings are compared


class Finding(NamedTuple):
    """What became of one fact of the answer.

    Attributes:
        fact: the fact.
        passage: the answer's sentence with it.
        status: ``found``, ``echo`` (of the question), ``missing``, ``wrong`` or ``ignored``.
        ref: where the source says so, or what it says instead, if anything.
        why: for ``missing`` and ``wrong``, in words.
    """

    fact: Fact
    passage: Passage
    status: str
    ref: Ref | None = None
    why: str = ""


class Case:
    """One answer, what it is held against, and how much may still be looked at.

    Attributes:
        truth: the sources.
        question: what was asked.
        passages: the answer's sentences with their facts.
        exhausted: why not all of it was checked, or empty.
    """

    def __init__(self, sources: Sequence[Source], question: str, answer: str) -> None:
        self.exhausted = ""
        self.passages: list[Passage] = []
        self.answer = answer
        try:
            if len(answer) > MOST_CHARACTERS:
                raise TooManyFactsError
            self.truth = truth_of(tuple(sources))
            self.question = Asked(question, MOST_FACTS)
            self.passages = passages(answer, extract(answer, MOST_FACTS))
        except TooManyFactsError:
            self.exhausted = "more text or more facts than can be checked by rule"
            self.truth = Truth(())
            self.question = Asked("", MOST_FACTS)
            self.passages = passages(answer, ())
        self._lookups = _LOOKUPS
        self._swaps = _SWAPS

    def may_compare(self, cost: int = 1) -> bool:
        """Whether surroundings may still be compared; keeps a hostile answer from taking hours."""
        self._swaps -= cost
        return self._swaps >= 0

    def may_search(self) -> bool:
        """Whether the sources may still be searched for a quotation; remembers where not."""
        self._lookups -= len(self.truth.joined)
        if self._lookups < 0:
            self.exhausted = "more quotations than can be looked up"
        return self._lookups >= 0

    @cached_property
    def lower(self) -> set[str]:
        """The answer's words that stand in lower case somewhere."""
        return {word for word in re.findall(r"\w+", self.answer) if word.islower()}

    @cached_property
    def words(self) -> set[str]:
        """Stems of the answer's meaningful words."""
        return content(fold(self.answer))

    @cached_property
    def keys(self) -> set[Key]:
        """All values of the answer."""
        return {key for passage in self.passages for fact in passage.facts for key in spelled(fact)}

    @cached_property
    def groups(self) -> Counter[str]:
        """How many facts of each group the answer has."""
        return Counter(fact.group for passage in self.passages for fact in passage.facts)
