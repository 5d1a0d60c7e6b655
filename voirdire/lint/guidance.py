"""What is wrong with a rubric's rules, and what they leave unsaid."""

from __future__ import annotations

import re
from collections.abc import Iterator

from voirdire.lint.question import Span
from voirdire.lint.words import (
    CONDITION,
    EARNS_NOTHING,
    EVERY_STATEMENT,
    LENGTH,
    NO_CLAIM,
    NOT_COVERED,
    ONLY_FACTS,
    SCALE,
    VAGUE,
    VERDICT_FORM,
    first_span,
    without_quotes,
)
from voirdire.rubric import Rubric

_SENTENCE = re.compile(r"[^.?!\n]+(?:\n(?!\s*[-*])[^.?!\n]+)*[.?!]?")


def wording_faults(text: str) -> Iterator[Span]:
    """Scales, vague words and orders about the reply in a question or in the rules."""
    bare = without_quotes(text)
    for pattern in VERDICT_FORM:
        for found in pattern.finditer(text):
            yield "verdict-twice", *_trimmed(text, *found.span())
    scaled = first_span(SCALE, bare)
    if scaled:
        yield "scale", *_trimmed(text, *scaled)
    for sentence in _SENTENCE.finditer(bare):
        if EARNS_NOTHING.search(sentence[0]):
            continue
        for pattern in VAGUE:
            for found in pattern.finditer(bare, *sentence.span()):
                yield "vague", *found.span()


def left_unsaid(rubric: Rubric) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """What no rule says: the kind, the field that it belongs to, and its words.

    Nothing in claim mode: there the judge's prompt says it.
    """
    if not rubric.criteria:
        return
    sentences = [found[0] for found in _SENTENCE.finditer(rubric.rules)]
    asked = list(rubric.criteria.values())
    if not (
        any(first_span(NOT_COVERED, text) and CONDITION.search(text) for text in sentences)
        or any(first_span(NOT_COVERED, text) and _is_conditional(text) for text in asked)
    ):
        yield "not-covered", ("rules",), ""
    if not any(first_span(LENGTH, text) for text in [rubric.rules, *asked]):
        yield "length", ("rules",), ""
    if not NO_CLAIM.search(rubric.rules):
        for name, text in rubric.criteria.items():
            every = EVERY_STATEMENT.search(text)
            if every and not ONLY_FACTS.search(text):
                yield "no-claim", ("criteria", name), every[0]


def _is_conditional(question: str) -> bool:
    return re.match(r"\s*(?:if|where|when|whenever|should)\b", question, re.I) is not None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the mark or the space before its first word."""
    while start < end and not text[start].isalnum():
        start += 1
    return start, end
