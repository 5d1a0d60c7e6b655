"""Words and phrases that the lint knows; English only."""

from __future__ import annotations

import re
from collections.abc import Iterable

QUALITIES = (
    r"(?:accurate|actionable|appropriate|brief|clear|coherent|complete|comprehensive|concise"
    r"|consistent|correct|easy|empathetic|factual|faithful|fluent|friendly|good|grounded|helpful"
    r"|honest|neutral|objective|polite|precise|professional|readable|relevant|respectful|safe"
    r"|specific|supported|truthful|up-to-date|useful|well-written)"
)
"""What an answer may be said to be; two of them in a question are two questions."""

FAULTS = (
    r"(?:errors?|mistakes?|hallucinations?|hallucinated|contradictions?|inaccurac(?:y|ies)"
    r"|falsehoods?|inventions?|invented|fabricated|fabrications?|unsupported|misleading|irrelevant"
    r"|incorrect|wrong|untrue|toxic|harmful|offensive|bias)\b(?!\s+(?:codes?|messages?|pages?))"
)
"""What an answer should not have; an error code is none."""

SOURCE = re.compile(
    r"\b(?:sources?|excerpts?|documents?|documentation|docs|passages?|articles?|pages?|r[eé]sum[eé]s?"
    r"|cv|manuals?|context|polic(?:y|ies)|handbooks?|references?|materials?|texts?|guides?"
    r"|guidelines?|knowledge base|help[- ]cent(?:re|er)|faqs?|transcripts?|records?|data|tables?"
    r"|files?|contracts?|postings?|notes?|reports?|catalogues?|catalogs?|menus?|leaflets?"
    r"|statutes?|specifications?|spec|e-?mails?|tickets?|database|wiki)\b",
    re.IGNORECASE,
)
"""Names that a source of truth goes by."""

_SOURCE = SOURCE.pattern

NEEDS_SOURCE = re.compile(
    r"\b(?:grounded|supported(?=\s*(?:by|in|\?|,|and|$))|backed|substantiated|verifiable|hallucinat\w*|faithful(?:ly)?"
    r"|factual(?:ly)?|accurate(?:ly)?|correct(?:ly)?|true|truthful(?:ly)?|invented|fabricated)\b",
    re.IGNORECASE,
)
"""What only a source can settle."""

JUDGED_ALONE = re.compile(
    r"^\s*(?:is|are)\s+(?:every|each|all)\s+(?:\w+\s+)?(?:statements?|claims?|facts?|figures?"
    r"|numbers?|sentences?)\s+(?:(?:of|in)\s+the\s+(?:answer|response|reply)\s+)?(?:right|so)\s*\?",
    re.IGNORECASE,
)

EVERY_STATEMENT = re.compile(
    r"\b(?:every|each|all)\s+(?:of\s+)?(?:the\s+|its\s+)?(?:\w+\s+)?(?:statements?|claims?"
    r"|sentences?|assertions?)\b|\beverything\s+(?:that\s+)?(?:the\s+answer|it)\s+\w+"
    r"|\bnothing\s+(?:that|but)\b|\bonly\s+what\b",
    re.IGNORECASE,
)
"""A question about all that an answer says: greetings and advice would count."""

ONLY_FACTS = re.compile(r"\b(?:factual|verifiable|checkable)\b", re.IGNORECASE)
"""A question that leaves greetings and advice out by itself."""

_VAGUE_ALWAYS = (
    r"high[- ]quality|good[- ]quality|low[- ]quality|helpful(?:ly|ness)?|appropriate(?:ly|ness)?"
    r"|user[- ]friendly|well[- ]written|well[- ]structured|adequate(?:ly)?|satisfactory"
    r"|reasonabl[ey]|useful(?:ly|ness)?|professional(?:ly|ism)?|engaging|makes? sense|sounds? right"
    r"|as needed|as necessary|best practices?|state of the art"
)
_VAGUE_OF_ANSWER = (
    r"good|bad|great|excellent|nice|fine|perfect|poor|better|best|decent|solid|strong|weak"
    r"|acceptable|suitable|relevant|clear|natural|pleasant|comprehensive|easy to (?:read|follow)"
)
_THING = (
    r"(?:answers?|responses?|reply|replies|explanations?|summar(?:y|ies)|quality|jobs?|advice"
    r"|language|tone|style|manner|level|writing|wording|output|results?|text)"
)
VAGUE = (
    re.compile(rf"\b(?:{_VAGUE_ALWAYS})\b", re.IGNORECASE),
    re.compile(rf"\b(?:{_VAGUE_OF_ANSWER})\s+{_THING}\b", re.IGNORECASE),
    # "Is the tone of the answer clear": the subject, then nothing but the word.
    re.compile(
        rf"\b(?:is|are)\s+(?:the|this|its|that)\s+(?:{_THING}|overall)(?:\s+of\s+the\s+{_THING})?"
        rf"\s+(?:(?:very|really|quite|sufficiently|clearly|overall)\s+)?(?:{_VAGUE_OF_ANSWER})\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:sounds?|seems?|looks?|feels?|reads?)\s+(?:{_VAGUE_OF_ANSWER}|right|well)\b", re.I
    ),
    re.compile(r"\bwell\s+(?:enough|answered|written|explained)\b", re.IGNORECASE),
)
"""Words with a bar of each reader's own."""

_POINTS = r"[01]\s*(?:-|–|—|to|through|and)\s*(?:[3-9]|10|100)\b"
SCALE = (
    re.compile(rf"\b(?:scale|scores?|ratings?|grades?)\b[^.?!]{{0,40}}?\b{_POINTS}", re.I),
    re.compile(rf"\b{_POINTS}\s*(?:scale|points?|stars?|rating|score)\b", re.I),
    re.compile(r"\bon a scale\b|\blikert\b|\b(?:\d+|three|five|seven|ten)[- ]point scale\b", re.I),
    re.compile(
        r"(?:^|[.;:!?\n]\s*|\b(?:please|and|then)\s+)(?:rate|score|grade)\s+"
        r"(?:the|each|every|this|its|how|it)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:scores?|rating|rate|grade)\b[^.?!]{0,40}?"
        r"(?:\bout of (?:5|10|100)\b|/\s?(?:5|10|100)\b)",
        re.IGNORECASE,
    ),
    re.compile(r"\bto (?:what|which) (?:extent|degree)\b", re.IGNORECASE),
)
"""Scores and degrees instead of yes or no."""

VERDICT_FORM = (
    re.compile(
        r"(?:^|[.;:!?\n]\s*|\b(?:and|then|please|must|always|only|you should)\s+)"
        r"(?:reply|respond|answer|return|output|print|say|write|provide|conclude|finish|end)\b"
        r"[^.\n]{0,60}?(?:\bjson\b|\bpass or fail\b|\bpass/fail\b|\byes or no\b|\byes/no\b"
        r"|\btrue or false\b|\b(?:your|a|the|final) (?:verdict|score|rating|confidence|critique)\b"
        r"|\bverdict\b|[\"'`“](?:pass|fail|yes|no)[\"'`”])",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?i:reply|respond|answer|return|output|print|say|write)\s+(?i:with\s+|only\s+)*"
        r"(?:PASS|FAIL|YES|NO|TRUE|FALSE)\b"
    ),
    re.compile(
        r"\b(?:give|state)\s+(?:your|a|the|me)\s+(?:final\s+)?(?:verdict|score|rating)\b", re.I
    ),
)
"""Orders about the form of the reply."""

NOT_COVERED = (
    re.compile(
        rf"\b(?:no|none of the|neither|outside|beyond|missing from)\s+(?:\w+\s+){{0,2}}?{_SOURCE}",
        re.IGNORECASE,
    ),
    re.compile(
        rf"{_SOURCE}\s+(?:\w+\s+){{0,3}}?(?:not|don['’]t|doesn['’]t|cannot|can['’]t|never|nothing|no"
        r"|silent|lacks?|leaves?)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:not|n['’]t|never|nowhere)\s+(?:\w+\s+){0,2}?(?:covered|mentioned|stated|found|answered"
        r"|contained|given|listed|described|addressed|available|in the)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:uncovered|unanswerable|unanswered|out of scope|out-of-scope|off-topic"
        r"|cannot be answered|(?:do|does) not know)\b",
        re.IGNORECASE,
    ),
)
"""What an answer should do where the source is silent."""

CONDITION = re.compile(
    r"\b(?:if|where|when|whenever|should|unless|what|whatever|anything|something|questions?)\b",
    re.I,
)
"""Of which answers or questions a rule speaks."""

_LENGTH = r"(?:length|long|longer|short|shorter|brief|brevity|verbos\w+|padding|wordiness)"
_NOTHING = (
    r"(?:not|n['’]t|nothing|no|never|neither|nor|ignore[ds]?|irrelevant|regardless|disregard"
    r"|equal(?:ly)?|alike)"
)
LENGTH = (
    re.compile(rf"\b{_LENGTH}\b[^.?!;]{{0,80}}?\b{_NOTHING}\b", re.IGNORECASE),
    re.compile(rf"\b{_NOTHING}\b[^.?!;]{{0,80}}?\b{_LENGTH}\b", re.IGNORECASE),
)
"""That length earns nothing."""

NO_CLAIM = re.compile(
    r"\b(?:greetings?|pleasantr\w+|courtes\w+|politeness|advice|offers?|opinions?|small talk"
    r"|sign-offs?|(?:no|not|nor) (?:an? )?(?:\w+ )?claims?|factual|verifiable|checkable)\b",
    re.IGNORECASE,
)
"""What makes no claim."""

EARNS_NOTHING = re.compile(rf"\b{_NOTHING}\b|n['’]t\b", re.IGNORECASE)
"""A sentence that may name a vague word to say that it does not count."""

# None of them is as common a word in another language.
_ENGLISH = re.compile(
    r"\b(?:the|does|every|each|and|that|which|with|from|answer|are|it|this)\b", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+")
# Straight single quotes are apostrophes too: only those that stand around words count.
_QUOTED = re.compile(
    r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|`[^`\n]{1,300}`|(?<!\w)'[^'\n]{1,300}'(?!\w)"
)


def is_english(texts: Iterable[str]) -> bool:
    """Whether enough of the words are among English's commonest."""
    text = " ".join(texts)
    words = len(_WORD.findall(text))
    return words > 0 and len(_ENGLISH.findall(text)) * 8 >= words


def without_quotes(text: str) -> str:
    """The text with what stands in quotation marks made blank, every place kept."""
    return _QUOTED.sub(lambda match: " " * len(match[0]), text)


def first_span(patterns: Iterable[re.Pattern[str]], text: str) -> tuple[int, int] | None:
    """Where the first of the patterns that is found begins and ends."""
    for pattern in patterns:
        found = pattern.search(text)
        if found:
            return found.span()
    return None
