"""Hold names, quotations and ids of an answer against the sources."""

from __future__ import annotations

import re

from voirdire.judges.rules.case import ECHO, FOUND, IGNORED, MISSING, WRONG, Case, Finding
from voirdire.judges.rules.common import COMMON_WORDS
from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.fold import squeeze, words
from voirdire.judges.rules.passage import Passage
from voirdire.judges.rules.renaming import mixed, replaces_name
from voirdire.judges.rules.swaps import find_swap
from voirdire.judges.rules.truth import CROWDED, closest

_ABSENT = "is not in the source"
_ELSEWHERE = "belongs to something else in the source"
_WORD = re.compile(r"[^\W\d_]+")
_GAPS = re.compile(r"\.{3,}|…|\[|\]")


def check_name(fact: Fact, passage: Passage, case: Case) -> Finding:
    """A name must stand in the sources word by word, in some form, and not for something else."""
    truth = case.truth
    parts = fact.keys[0][1]
    assert isinstance(parts, tuple)
    unknown = [part for part in parts if not _knows(part, case)]
    if unknown and (fact.keys[0] in truth.by_key or squeeze("".join(parts)) in truth.codes):
        unknown = []
    if unknown:
        return _unknown_name(fact, passage, parts, unknown, case)
    same = (
        truth.by_key.get(fact.keys[0]) or truth.by_key.get(("name part", parts[-1]), [])
    )[:64]  # fmt: skip
    if same and case.may_compare():
        other = find_swap(fact, passage, same, case)
        if other:
            return Finding(fact, passage, WRONG, other, _ELSEWHERE)
    if (
        fact.keys[0] not in truth.by_key
        and len(parts) == 2
        and case.may_compare()
        and (other := mixed(parts, truth))
    ):
        return Finding(fact, passage, WRONG, other, "mixes two names of the source")
    return Finding(fact, passage, FOUND, closest(same, passage) if same else None)


def _unknown_name(
    fact: Fact, passage: Passage, parts: tuple[str, ...], unknown: list[str], case: Case
) -> Finding:
    initials = "".join(part[0] for part in parts)
    if len(parts) > 1 and initials in case.truth.words:
        return Finding(fact, passage, FOUND)
    if all(case.question.knows(part) or part in case.lower for part in unknown):
        return Finding(fact, passage, ECHO)
    if len(unknown) == len(parts) and _plain_words(fact, passage, parts, case):
        return Finding(fact, passage, IGNORED)
    if fact.soft and not (
        case.may_compare()
        and len(passage.facts) < CROWDED
        and replaces_name(fact, passage, case.truth)
    ):
        return Finding(fact, passage, IGNORED)
    return Finding(fact, passage, MISSING, None, _ABSENT)


def _plain_words(fact: Fact, passage: Passage, parts: tuple[str, ...], case: Case) -> bool:
    """Whether capitals are all that makes a name of ordinary words (``the Support Team``).

    One such word stands for a name where the word after it follows names of the source
    (``the Business plan`` for ``the Team plan``).
    """
    if not all(part in COMMON_WORDS for part in parts):
        return False
    if passage.folded[fact.start : fact.end].isupper() or replaces_name(fact, passage, case.truth):
        return False
    after = _WORD.match(passage.folded, fact.end + 1)
    return len(parts) > 1 or after is None or after.group().lower() not in case.truth.words


def _knows(part: str, case: Case) -> bool:
    if case.truth.knows(part) or case.truth.spells(part):
        return True
    return part.endswith("s") and case.truth.spells(part[:-1])


def check_quote(fact: Fact, passage: Passage, case: Case) -> Finding:
    """A quotation must stand in the sources word for word; gaps (``…``) may be left."""
    truth = case.truth
    status = FOUND
    segments = [words(part) for part in _GAPS.split(passage.folded[fact.start : fact.end])]
    for segment in filter(None, segments):
        needle = " " + " ".join(segment) + " "
        if not case.may_search():
            return Finding(fact, passage, IGNORED)
        if needle in truth.joined:
            continue
        if needle in case.question.joined:
            status = ECHO
            continue
        if len(segment) <= 3 and squeeze("".join(segment)) in truth.codes:
            continue
        if len(segment) == 1 and truth.knows(segment[0]):
            continue
        if _hedged(fact, passage, segment, case):
            status = IGNORED
            continue
        return Finding(fact, passage, MISSING, None, "is quoted, but not in the source")
    return Finding(fact, passage, status)


def _hedged(fact: Fact, passage: Passage, segment: list[str], case: Case) -> bool:
    """Whether one word is in quotes for its tone: ``the "late" fee``."""
    before = passage.folded[max(0, fact.start - 12) : max(0, fact.start - 1)].split()
    after = _WORD.match(passage.folded, fact.end + 2)
    return (
        len(segment) == 1
        and passage.folded[fact.start : fact.end].islower()
        and bool(before)
        and before[-1].lower() in ("a", "an", "the", "your", "our", "this", "any", "so-called")
        and after is not None
        and after.group() not in case.truth.words
    )


def check_code(fact: Fact, passage: Passage, case: Case) -> Finding:
    """An id or a code must stand in the sources, or be the number of one."""
    truth = case.truth
    code = str(fact.keys[0][1])
    if code in truth.ids or code in truth.codes or fact.keys[0] in truth.by_key:
        same = truth.by_key.get(fact.keys[0], [])
        return Finding(fact, passage, FOUND, closest(same, passage))
    if fact.group == "cited" and code.isdecimal() and len(code) < 6:
        if 1 <= int(code) <= len(truth.sources):
            return Finding(fact, passage, FOUND)
    elif code in case.question.codes:
        return Finding(fact, passage, ECHO)
    return Finding(fact, passage, MISSING, None, _ABSENT)
