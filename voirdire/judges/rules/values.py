"""Hold the numbers, dates, links and the like of an answer against the sources."""

from __future__ import annotations

import re

from voirdire.judges.rules.case import ECHO, FOUND, IGNORED, MISSING, WRONG, Case, Finding
from voirdire.judges.rules.counting import counts_itself
from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.fold import squeeze, stem
from voirdire.judges.rules.labels import mislabelled
from voirdire.judges.rules.passage import Passage
from voirdire.judges.rules.swaps import find_swap
from voirdire.judges.rules.truth import Ref, closest
from voirdire.judges.rules.units import ORDINAL_WORDS, PERIODS

_LETTERS = re.compile(r"[a-z]+")
_VAGUE = re.compile(r"(?:\b(?:about|around|roughly|some|circa|approximately)|~|≈)\s*\Z")
_OF_THEM = re.compile(r" of (?:them|these|those|which)\b")
_ELSEWHERE = "belongs to something else in the source"
_ABSENT, _OTHERWISE = "is not in the source", "contradicts the source"
# What an answer counts of itself: whether the source has that many cannot be read off it.
_PARTS_OF_ANSWERS = frozenset(
    stem(word)
    for word in "option way step thing point kind case possibility method choice condition reason "
    "part category tip note question answer example item exception side alternative".split()
)
_NTH = {**ORDINAL_WORDS, "first": 1, "second": 2}


def found_value(fact: Fact, passage: Passage, same: list[Ref], case: Case) -> Finding:
    """A value that does stand in the sources: of the same thing, by the same period?"""
    if fact.rate and (other := _other_rate(fact, same)):
        return Finding(fact, passage, WRONG, other, f"is not per {fact.rate} in the source")
    if fact.kind == "number" and fact.nouns and (other := _other_noun(fact, same, passage, case)):
        if _worked_out(fact, passage, case):
            return Finding(fact, passage, IGNORED)
        return Finding(fact, passage, WRONG, other, "counts something else in the source")
    if case.may_compare():
        other = mislabelled(fact, passage, same, case.truth) or find_swap(
            fact, passage, same, case
        )  # fmt: skip
        if other:
            return Finding(fact, passage, WRONG, other, _ELSEWHERE)
    return Finding(fact, passage, FOUND, closest(same, passage))


def _other_rate(fact: Fact, same: list[Ref]) -> Ref | None:
    for ref in same:
        if ref.fact.rate in ("", fact.rate):
            left = max(ref.passage.piece.start, ref.fact.start - 300)
            right = min(ref.passage.piece.end, ref.fact.end + 300)
            near = ref.passage.folded[left:right].lower()
            told = {PERIODS[word] for word in _LETTERS.findall(near) if word in PERIODS}
            if ref.fact.rate or not told or fact.rate in told:
                return None
    return same[0]


def _other_noun(fact: Fact, same: list[Ref], passage: Passage, case: Case) -> Ref | None:
    counted = [
        ref
        for ref in case.truth.by_group.get("number", ())[:500]
        if ref.fact.nouns & fact.nouns
    ]  # fmt: skip
    words_here = passage.content
    if len(words_here) >= 3 and all(not own.passage.content & words_here for own in same):
        return counted[0] if counted else None  # the same digits in quite another matter
    for ref in same:
        if ref.fact.kind != "number" or not ref.fact.nouns or ref.fact.nouns & fact.nouns:
            return None
    return next(
        (
            ref
            for ref in counted
            if any(
                ref.passage is own.passage or not own.passage.content & fact.nouns for own in same
            )
        ),
        None,
    )


def absent_value(fact: Fact, passage: Passage, case: Case) -> Finding:
    """A value that no source states: a contradiction, an invention, an echo, or no claim."""
    rival = _rival(fact, passage, case)
    if fact.soft:
        if fact.value != 1 and fact.group == "number" and rival and rival.fact.nouns & fact.nouns:
            if _worked_out(fact, passage, case):
                return Finding(fact, passage, IGNORED)
            return Finding(fact, passage, WRONG, rival, _OTHERWISE)
        return Finding(fact, passage, IGNORED)
    if any(key in case.question.keys for key in fact.keys):
        # Kept apart until the rest of the sentence is known: see _weigh_echoes in compare.
        return Finding(fact, passage, ECHO, rival)
    if fact.kind == "money" and fact.value == 0 and "free" in case.truth.words:
        return Finding(fact, passage, FOUND)
    if fact.kind == "number" and _stands_in_code(fact, passage, case):
        return Finding(fact, passage, FOUND)
    if fact.kind == "date" and _year_from_question(fact, case):
        return Finding(fact, passage, FOUND)
    if (fact.kind == "number" and _no_claim(fact, passage, rival, case)) or _worked_out(
        fact, passage, case
    ):
        return Finding(fact, passage, IGNORED)
    return Finding(fact, passage, WRONG if rival else MISSING, rival,
                   _OTHERWISE if rival else _ABSENT)  # fmt: skip


def _rival(fact: Fact, passage: Passage, case: Case) -> Ref | None:
    """The source's fact of the same kind that is about the same, as far as words tell."""
    refs = case.truth.by_group.get(fact.group, ())[:200]
    if fact.group in ("number", "ordinal"):
        refs = [ref for ref in refs if ref.fact.nouns & fact.nouns]
    return closest(refs, passage) if refs else None


def _no_claim(fact: Fact, passage: Passage, rival: Ref | None, case: Case) -> bool:
    """Whether a bare number that no source has says nothing about them, as far as rules tell."""
    if fact.group == "ordinal":
        return _ordinal_unsaid(fact, rival, case)
    if fact.value == 1:
        return bool(case.truth.words & {"one", "single", "once"}) or not rival
    if passage.folded[fact.start : fact.start + 4] == "24/7" or (
        passage.folded[max(0, fact.start - 3) : fact.end] == "24/7"
    ):
        return True
    if rival:
        return False
    before = passage.folded[max(passage.piece.start, fact.start - 16) : fact.start].lower()
    if fact.value is not None and (0 < fact.value < 1 or _VAGUE.search(before)):
        return True
    if (
        fact.value is not None
        and 2 <= fact.value <= 6
        and (
            fact.nouns & _PARTS_OF_ANSWERS
            or _OF_THEM.match(passage.folded, fact.end)
            or ":" in passage.folded[fact.end : passage.piece.end]
        )
    ):
        return True
    return counts_itself(fact, passage, case.passages)


def _ordinal_unsaid(fact: Fact, rival: Ref | None, case: Case) -> bool:
    """``the 2nd step``: only a count of the same thing, or a date's day, can be contradicted."""
    value = fact.keys[0][1]
    if any(number == value and word in case.truth.words for word, number in _NTH.items()):
        return True
    if rival:
        return False
    days = any(
        isinstance(key[1], tuple) and key[0] == "date" and key[1][2]
        for ref in case.truth.by_group.get("date", ())[:50]
        for key in ref.fact.keys
    )
    return not days and not case.truth.by_group.get("ordinal")


def _year_from_question(fact: Fact, case: Case) -> bool:
    """``March 1, 2026`` where the source says ``March 1`` and the question 2026."""
    if not fact.year or fact.year not in case.question.years:
        return False
    return any(
        isinstance(value, tuple)
        and any(
            ref.fact.year is None
            for ref in case.truth.by_key.get(("date", (None, *value[1:])), ())[:64]
        )
        for _, value in fact.keys
    )


def _stands_in_code(fact: Fact, passage: Passage, case: Case) -> bool:
    """Whether the number and the word before it are a code of the source (``AES 256``)."""
    before = passage.folded[max(0, fact.start - 30) : fact.start].split()
    text = passage.folded[fact.start : fact.end]
    return bool(before) and squeeze(f"{before[-1]} {text}") in case.truth.tokens


def _worked_out(fact: Fact, passage: Passage, case: Case) -> bool:
    # Needed for absent values alone, and the judge may start once per assertion.
    from voirdire.judges.rules.derived import worked_out

    return worked_out(fact, passage, case)
