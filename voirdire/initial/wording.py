"""From the words of an ``llm-rubric`` to a rubric: a criterion for each of its sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from voirdire.lint.words import (
    NEEDS_SOURCE,
    QUALITIES,
    SCALE,
    SOURCE,
    VERDICT_FORM,
    first_span,
    is_english,
)
from voirdire.plaintext import one_line
from voirdire.sentences import pieces

TEMPLATE = re.compile(r"\{\{-?\s*([A-Za-z_]\w*)\s*-?\}\}")
"""A test var in a rubric, nothing done to it."""

TAG = re.compile(r"\{\{[^{}]*\}\}|\{%[^{}]*%\}")
"""Whatever promptfoo fills in."""

RULES = """\
The sources are the only truth here; what you know yourself does not count.
The same fact in other words or in other units is the same fact.
If the sources do not cover the question, an answer that says so is right.
Greetings, offers of help and general advice are not claims.
Length does not matter by itself.
"""

# How a sentence about the answer begins that leaves the answer out: "is polite", "only names …".
_OF_ANSWER = re.compile(
    r"(?:is|are|has|does|can|should|must|may|will|only|never|always|not|\w+ly)\b(?!['’])", re.I
)
_VERB = re.compile(r"(?!(?:this|its|his|us|as|plus|thus|always)\b)[a-z-]+s\s+(\S+)", re.IGNORECASE)
# What follows a plural, and no verb in the singular.
_OF_MANY = frozenset("are were must should may can have that of which do need".split())
_BARE_VERB = re.compile(
    r"(?:do|don['’]t|be|use|avoid|include|mention|answer|give|quote|cite|name|state|keep|stay|stick"
    r"|refer|say|tell|explain|list|describe|provide|follow|never)\b",
    re.IGNORECASE,
)
_MUST = re.compile(
    r"\b(?:must|should|shall|needs? to|has to|will)(?: not| never)?:\Z", re.IGNORECASE
)
_QUALITY = re.compile(rf"(?:\w+ly\s+)?{QUALITIES}\b", re.IGNORECASE)
_ASKS = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|can|could|will|would|should|may|must)\b.*\?\Z",
    re.IGNORECASE | re.DOTALL,
)
# An order to the answer's writer or to the judge.
_ORDER = re.compile(
    r"(?:please\s+)?(?:ensure|check|verify|make sure|confirm|see|judge|decide|assess|determine"
    r"|evaluate)\s+(?:that|whether|if)\s+",
    re.IGNORECASE,
)
_SMALL = frozenset(
    "a an the is are was were be been it its this that these those and or of in on at to for from "
    "by with as than then so does do did has have had can could will would should must may might "
    "answer response reply output any all every each there which who what where when not no only "
    "if they them their you your i we our about into made makes states stated true least "
    "most per hold".split()
)
# Names of sources that an answer may go by as well; those of the second kind mostly do.
_WEAK = frozenset("text texts page pages email e-mail emails data note notes".split())
_OWN = frozenset("text texts email e-mail emails".split())
_STATED_THERE = re.compile(
    r"\b(?:stated|written|found|said|says|given|listed|shown|mentioned|taken|quoted|printed|stands?"
    r"|according|contradicts?|matches|agrees?|consistent|based)\s+(?:(?:on|in|by|to|from|with|what)\s+)?"
    r"(?:the|this|that|our)\s+(?:[\w'’-]+\s+){0,3}?"
    r"(texts?|pages?|e-?mails?|data|notes?)\b",
    re.IGNORECASE,
)
# What YAML reads as no text.
_YAML_WORDS = frozenset("yes no on off true false null y n".split())


class Worded(NamedTuple):
    """The text of a rubric's file.

    Attributes:
        name: of the rubric.
        text: the file's text.
        left_out: sentences that say how to reply, which a rubric does not.
    """

    name: str
    text: str
    left_out: tuple[str, ...]


def needs_source(text: str, known: Iterable[str], *, given: bool = False) -> bool:
    """Whether the rubric asks what only a source can settle.

    Args:
        text: the rubric.
        known: words that a source at hand goes by.
        given: whether a person named the source; then "the text", too, may be it.
    """
    named = spoken_of(text)
    return (
        bool(NEEDS_SOURCE.search(text))
        or any(word not in _WEAK for word in named)
        or bool(set(named) & set(known))
        or any(given or found[1].lower() not in _OWN for found in _STATED_THERE.finditer(text))
    )


def spoken_of(text: str) -> list[str]:
    """The names of sources in a rubric, each once, in order; vars are no words."""
    bare = TAG.sub(" ", text)
    return list(dict.fromkeys(found[0].lower() for found in SOURCE.finditer(bare)))


def word_rubric(value: str, taken_from: str, metric: str, vars_: Mapping[str, str]) -> Worded:
    """Make a rubric out of a value's sentences.

    Args:
        value: the ``llm-rubric``'s words.
        taken_from: where they stand, for people.
        metric: what the assertion calls its metric; may be empty.
        vars_: test vars in the value, and what the judge knows them as.
    """
    plain = TEMPLATE.sub(lambda found: vars_.get(found[1], found[0]), value)
    sentences = _sentences(plain)
    orders = [text for text in sentences if first_span((*VERDICT_FORM, *SCALE), text)]
    kept = [text for text in sentences if text not in orders] or sentences
    english = _is_english(plain)
    criteria: dict[str, str] = {}
    for sentence in kept:
        question = _question(sentence) if english else sentence
        criteria[_unique(_name(sentence) or "criterion", criteria)] = question
    name = _name(metric) or next(iter(criteria))
    where = one_line(taken_from, 200)
    lines = [
        f"# The words of the llm-rubric at {where}, a question for each sentence.",
        "# `voirdire lint` says which of them a judge could misread.",
        f"name: {json.dumps(name)}",
        "criteria:",
        *(f"  {key}: {_quoted(text)}" for key, text in criteria.items()),
        "rules: |",
        *(f"  {line}" for line in RULES.splitlines()),
    ]
    left_out = tuple(text for text in orders if text not in kept)
    return Worded(name, "\n".join(lines) + "\n", left_out)


def _quoted(text: str) -> str:
    """In quotation marks, as JSON and YAML both read them; a mark for what cannot be shown."""
    shown = "".join(char if char.isprintable() else "\ufffd" for char in text)
    return json.dumps(shown, ensure_ascii=False)


def _sentences(text: str) -> list[str]:
    """The sentences and list items; what must be is said with each item of its list."""
    found: list[str] = []
    lead = ""
    for piece in pieces(text):
        words = " ".join(piece.body.split())
        if words.endswith(":"):
            lead = f"{words[:-1]} " if _MUST.search(words) else ""
            continue
        begin = text.rfind("\n", 0, piece.start) + 1
        is_item = piece.body != piece.text or text[begin : piece.start].strip() != ""
        lead = lead if is_item else ""
        found.append(lead + _lower(words) if lead else words)
    return found or [" ".join(text.split())]


def _is_english(text: str) -> bool:
    """Of a few words, the commonest ones may be missing."""
    begins = _OF_ANSWER.match(text) or _VERB.match(text) or _QUALITY.match(text)
    return is_english([text]) or (len(text.split()) <= 8 and begins is not None)


def _question(sentence: str) -> str:
    """A sentence as a yes/no question; one that is one stays."""
    if _ASKS.match(sentence):
        return sentence
    text = _ORDER.sub("", sentence, count=1).rstrip(".!;? ") or sentence
    verb = _VERB.match(text)
    if _QUALITY.match(text):
        asked = f"Does it hold that the answer is {_lower(text)}?"
    elif _OF_ANSWER.match(text) or (verb and verb[1].lower() not in _OF_MANY):
        asked = f"Does it hold that the answer {_lower(text)}?"
    elif _BARE_VERB.match(text):
        asked = f"Does the answer keep to this: {_lower(text)}?"
    else:
        asked = f"Does it hold that {_lower(text)}?"
    if NEEDS_SOURCE.search(text) and not SOURCE.search(text):
        return f"Held against the sources, {asked[0].lower()}{asked[1:]}"
    return asked


def _lower(text: str) -> str:
    """The text to go on a sentence with: its first letter small, unless its word has more."""
    first = text.split()[0]
    return text if any(map(str.isupper, first[1:])) or first == "I" else text[0].lower() + text[1:]


def _name(text: str) -> str:
    """Up to four of the words that say what it is about, as a name."""
    words = re.findall(r"[a-z0-9]+", TAG.sub(" ", text).replace("'", "").lower())
    telling = [word for word in words if word not in _SMALL] or words
    name = "_".join(telling[:4])[:60]
    if name and (not name[0].isalpha() or name in _YAML_WORDS):
        return f"criterion_{name}"
    return name


def _unique(name: str, taken: Iterable[str]) -> str:
    names, count = set(taken), 1
    fresh = name
    while fresh in names:
        count += 1
        fresh = f"{name}_{count}"
    return fresh
