"""Minimal pairs: an answer that is right, and the same with one number or one verb changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, zip_longest
from typing import NamedTuple

from voirdire.evidence import Texts
from voirdire.grade import Case
from voirdire.source import Source

_NUMBER = re.compile(r"(?<![\w.,:/+-])\d{1,6}(?![\w,:/+-]|\.\d)")
_DENIALS = {
    "cannot": "can",
    "can't": "can",
    "can": "cannot",
    "must not": "must",
    "must": "must not",
    "will not": "will",
    "will": "will not",
    "does not": "does",
    "do not": "do",
    "is not": "is",
    "is": "is not",
    "are not": "are",
    "are": "are not",
}
_VERB = re.compile(rf"\b(?:{'|'.join(sorted(_DENIALS, key=len, reverse=True))})\b")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
# Where one of these stands, a verb that is denied may leave the statement as true as it was.
_HEDGE = re.compile(
    r"\b(?:if|when|unless|whether|only|not|no|nor|none|never|without|until)\b|\?", re.I
)


class Twin(NamedTuple):
    """A minimal pair.

    Attributes:
        id: its name; its answers are the cases ``ID:right`` and ``ID:wrong``.
        kind: ``number`` or ``negation``.
        question: what both answer, if anything.
        right: the answer that holds.
        wrong: the same with one thing changed, so that it does not.
        sources: the documents of truth.
    """

    id: str
    kind: str
    question: str | None
    right: str
    wrong: str
    sources: tuple[Source, ...]

    @property
    def cases(self) -> tuple[Case, Case]:
        """The right answer and the wrong one as cases."""
        right, wrong = (
            Case(self.sources, self.question, answer, f"{self.id}:{name}")
            for name, answer in (("right", self.right), ("wrong", self.wrong))
        )
        return right, wrong


def twins_of(cases: Sequence[Case], most: int) -> Iterator[Twin]:
    """Minimal pairs from answers that are right, of both kinds in turn.

    Args:
        cases: answers that a person passed; have ids.
        most: no more than so many.
    """
    numbers = (
        Twin(f"{case.id}~number", "number", case.question, case.answer, wrong, case.sources)
        for case in cases
        if (wrong := _other_number(case))
    )
    denials = (
        Twin(f"{case.id}~negation", "negation", case.question, case.answer, wrong, case.sources)
        for case in cases
        if (wrong := _denied(case.answer))
    )
    mixed = chain.from_iterable(zip_longest(numbers, denials))
    yield from [twin for twin in mixed if twin is not None][:most]


def _other_number(case: Case) -> str:
    """The answer with a number of the source's replaced by one that stands nowhere; or empty."""
    truth = Texts(source.text for source in case.sources)
    known = Texts([case.answer, case.question or "", *(source.text for source in case.sources)])
    for found in _NUMBER.finditer(case.answer):
        if truth.hold(found[0]):
            value = int(found[0]) * 3 + 1
            while known.hold(str(value)):
                value += 1
            return case.answer[: found.start()] + str(value) + case.answer[found.end() :]
    return ""


def _denied(answer: str) -> str:
    """The answer with its first plain verb denied, or its denial taken back; or empty."""
    for sentence in _SENTENCE.finditer(answer):
        verb = _VERB.search(sentence[0])
        if verb is None or _HEDGE.search(sentence[0].replace(verb[0], "", 1)):
            continue
        start, end = (sentence.start() + place for place in verb.span())
        return answer[:start] + _DENIALS[verb[0]] + answer[end:]
    return ""
