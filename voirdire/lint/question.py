"""What is wrong with the wording of one criterion's question."""

from __future__ import annotations

import re
from collections.abc import Iterator

from voirdire.lint.words import (
    FAULTS,
    JUDGED_ALONE,
    NEEDS_SOURCE,
    QUALITIES,
    SOURCE,
    first_span,
    without_quotes,
)

Span = tuple[str, int, int]
"""A kind of finding, and where its words begin and end."""

_AUX = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might"
    r"|must)"
)
_DOES = r"(?:do|does|did|can|could|will|would|shall|should|may|might|must)"
_SUBJECT = r"(?:it|its|the|this|that|these|those|each|every|there|they|all|any|a|an)"
# A clause may stand before the question: "If the source is silent, does the answer say so?"
_LEAD = re.compile(rf"(?:[^?.]{{1,300}}?,\s*)?{_AUX}(?:n?['’]t)?\b", re.IGNORECASE)
_ASKS_HOW = re.compile(
    r"(?:how|why|what|which|who|whom|whose|to (?:what|which)|rate|score|grade)\b", re.IGNORECASE
)
# What follows one of these is said by the answer or the source, and is not asked.
_INNER = re.compile(r"\b(?:that|which|who|whom|whose|whether|where|when|how|what|why|if)\b", re.I)

_SECOND = (
    re.compile(rf"\b(?:and|or|but)\s+(?:also\s+|then\s+)?{_AUX}\s+{_SUBJECT}\b", re.I),
    re.compile(r"\b(?:and|or)\s+whether\b", re.I),
)
_AND_VERB = re.compile(
    r"\band\s+(?:also\s+|then\s+|clearly\s+|correctly\s+|directly\s+)?"
    r"(?:answer|cite|name|give|tell|say|explain|include|mention|use|avoid|state|quote|follow"
    r"|provide|contain|offer|address|refer|keep|stay|remain|list|describe|link|warn|greet|ask"
    r"|thank|cover|match|respect)\s+"
    r"(?:the|an?|its|their|every|all|each|no|any|how|what|where|why|when|that|only|it|them)\b",
    re.IGNORECASE,
)
_AND_QUALITY = re.compile(rf"\b(?:and|or)\s+(?:\w+ly\s+)?{QUALITIES}\b", re.I)

# The words between the helping verb and what is asked of the answer, nothing reported.
_MAIN = (
    r"(?:(?!(?:that|which|who|whether|where|when|how|what|why|if|say|tell|explain|state|mention"
    r"|give|name|describe|list)\b)[\w'’-]+\s+)"
)
_NEGATED = (
    re.compile(rf"\s*{_AUX}n?['’]t\b", re.I),
    re.compile(
        rf"\s*{_AUX}\s+{_MAIN}{{1,6}}?(?:not|never|avoid|refrain\s+from|lack|fail\s+to"
        r"|free\s+(?:of|from)(?!\s+charge))\b",
        re.I,
    ),
    re.compile(
        rf"\s*{_DOES}\s+{_MAIN}{{1,6}}?(?:(?:contain|include|have|make|add|use|leave|hold|introduce)"
        r"\s+(?:no|nothing|none)|(?:say|state|claim|mention)\s+nothing)\b",
        re.I,
    ),
    re.compile(r"\s*(?:is|are)\s+there\s+(?:no|nothing|none)\b", re.I),
    re.compile(r"\s*(?:is|are)\s+(?:no|nothing|none)\b", re.I),
)
_FAULT_VERB = re.compile(
    rf"\s*{_DOES}\s+{_MAIN}{{1,4}}?"
    r"(?:hallucinate|fabricate|invent|contradict|mislead|misstate|misrepresent|distort|exaggerate"
    r"|omit|violate|make\s+(?:up|things\s+up))\b",
    re.IGNORECASE,
)
_FAULT_NOUN = re.compile(
    rf"\s*{_DOES}\s+{_MAIN}{{1,4}}?"
    r"(?:contain|include|have|make|add|introduce|present|give|use|show)\s+"
    rf"(?:any\s+|an?\s+|some\s+)?(?:[\w'’-]+\s+){{0,2}}?{FAULTS}",
    re.IGNORECASE,
)
_FAULT_THERE = re.compile(
    rf"\s*(?:is|are)\s+there\s+(?:any\s+|an?\s+|some\s+)?(?:[\w'’-]+\s+){{0,2}}?{FAULTS}", re.I
)


def question_faults(question: str, *, english: bool) -> Iterator[Span]:
    """What is wrong with a question, each with the span of its words.

    Args:
        question: the criterion's text.
        english: whether the words themselves can be looked at, and not only the marks.
    """
    text = without_quotes(question)
    marks = [match.end() for match in re.finditer(r"\?", text)]
    if len(marks) > 1:
        yield "two-questions", 0, marks[1]
    if not english:
        return
    if not _is_yes_no(text):
        yield "no-yes-no", 0, len(text)
    elif len(marks) < 2:
        span = _second_question(text)
        if span:
            yield "two-questions", *span
    negation = first_span(_NEGATED, text)
    if negation:
        yield "negated", *negation
    else:
        fault = first_span((_FAULT_VERB, _FAULT_NOUN, _FAULT_THERE), text)
        if fault:
            yield "yes-is-bad", *fault
    needs = NEEDS_SOURCE.search(text)
    if needs and not SOURCE.search(text):
        yield "source-unnamed", *needs.span()
    elif not needs and JUDGED_ALONE.search(text):
        yield "source-unnamed", 0, len(text)


def _is_yes_no(text: str) -> bool:
    text = text.strip()
    if _ASKS_HOW.match(text):
        return False
    return _LEAD.match(text) is not None


def _second_question(text: str) -> tuple[int, int] | None:
    inner = _INNER.search(text)
    outer = text[: inner.start()] if inner else text
    span = first_span(_SECOND, text)
    if span:
        return span
    if re.match(rf"\s*{_DOES}\b", text, re.I):
        return first_span((_AND_VERB,), outer)
    if re.match(r"\s*(?:is|are|was|were)\b", text, re.I):
        return first_span((_AND_QUALITY,), outer)
    return None
