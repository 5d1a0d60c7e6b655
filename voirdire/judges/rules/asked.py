"""What the question already says: an answer may repeat it, but not vouch for it."""

from __future__ import annotations

import re

from voirdire.judges.rules.extract import extract
from voirdire.judges.rules.fact import Key
from voirdire.judges.rules.fold import content, fold
from voirdire.judges.rules.vocabulary import Vocabulary

_CLAUSE = re.compile(r"[^.,;!?\n]+(?:[.,](?=\d)[^.,;!?\n]+)*")
_OWN = re.compile(
    r"(?i:\s*(?:(?:and|but|so|since|as|because|if|when|hi|hello)\s+)?"
    r"(?:i|we|i'm|we're|i've|we've|my|our|i'd|we'd)\b)"
)
_HEARSAY = re.compile(
    r"\b(?:heard|hear|read|think|thought|told|believe|understand|understood|saw|see|assume|guess|"
    r"know|remember|suppose|say|says|said|right|correct|true)\b",
    re.IGNORECASE,
)


class Asked(Vocabulary):
    """The question's words and facts.

    Attributes:
        content: stems of its meaningful words.
        keys: the facts that stand in it.
        years: the years that it names, and its other numbers.
        given: those that the asker states of themselves (``We are 18 people, …``): nobody else
            could know them, so that repeating one is no claim about the source.
    """

    def __init__(self, question: str, most: int) -> None:
        super().__init__([question])
        folded = fold(question)
        self.content = content(folded)
        facts = extract(question, most)
        self.years = {fact.year or int(fact.value or 0) for fact in facts}
        self.keys: set[Key] = {key for fact in facts for key in fact.keys}
        self.given: set[Key] = set()
        clauses = [
            found.span()
            for found in _CLAUSE.finditer(folded)
            if _OWN.match(found.group()) and not _HEARSAY.search(found.group())
        ]
        at = 0
        for fact in facts:
            while at < len(clauses) and clauses[at][1] <= fact.start:
                at += 1
            if at < len(clauses) and clauses[at][0] <= fact.start:
                self.given.update(fact.keys)
