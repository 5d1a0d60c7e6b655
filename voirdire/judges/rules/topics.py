"""What a fact is about, read from the words around it and from the question."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass

from voirdire.judges.rules.case import Case
from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.fold import STOP_WORDS, content, stem
from voirdire.judges.rules.passage import Passage
from voirdire.judges.rules.truth import Ref

_BREAK = re.compile(r"[,;:()|]|\b(?:and|but|while|whereas|or|to)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_ASIDE = re.compile(r"\s?\([^()]{0,80}\)")
LINKED = re.compile(r"[\s,;-]*(?:(?:and|or|to|through|until)\s+)?(?:the\s+)?", re.IGNORECASE)
# A clause for whatever the one before it leaves over takes its subject from there.
_RESIDUAL = re.compile(
    r"\b(?:after|afterwards?|thereafter|then|later|otherwise|others?|else|rest|remaining|"
    r"everyone|everybody|all|instead|unless|except|following)\b",
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\b(?:not|never|nor|neither|no longer|rather than|instead of|cannot)\b|n't\b",
                     re.IGNORECASE)  # fmt: skip


@dataclass(frozen=True)
class Context:
    """The meaningful words around a fact: before it and after it in its own clause, and all."""

    before: frozenset[str]
    after: frozenset[str]
    strong: frozenset[str]  # those that are capitalised in mid-sentence, or numbers

    @property
    def all(self) -> frozenset[str]:
        return self.before | self.after


def context(fact: Fact, passage: Passage, *, bounded: bool = True) -> Context:
    """The words around a fact, up to the next fact of its group on either side.

    Facts that are merely listed together (``Zurich and Geneva``) share their surroundings.
    """
    left, right = passage.piece.start, passage.piece.end
    if bounded and not passage.in_table():
        others = [
            other
            for other in passage.facts
            if other.group == fact.group and (other.end <= fact.start or other.start >= fact.end)
        ]
        edge = fact.start
        for other in reversed([other for other in others if other.end <= fact.start]):
            if not LINKED.fullmatch(passage.folded, other.end, edge):
                left = _break(passage.folded, other.end, edge)[1]
                break
            edge = other.start
        edge = fact.end
        for other in [other for other in others if other.start >= fact.end]:
            if not LINKED.fullmatch(passage.folded, edge, other.start):
                right = _break(passage.folded, edge, other.start)[0]
                break
            edge = other.end
    before, strong_before = _words(passage, left, fact.start, fact)
    after, strong_after = _words(passage, fact.end, right, fact)
    return Context(before, after, strong_before | strong_after)


def _break(folded: str, start: int, end: int) -> tuple[int, int]:
    """Where one clause stops and the next begins between two facts."""
    aside = _ASIDE.match(folded, start, end)  # "25 MB (free), 2 GB (pro)"
    if aside:
        return aside.end(), aside.end()
    cut = _BREAK.search(folded, start, end)
    return cut.span() if cut else (start, start)


def whole(fact: Fact, passage: Passage) -> frozenset[str]:
    """All meaningful words of the sentence that a fact stands in."""
    return (
        _words(passage, passage.piece.start, fact.start, fact)[0]
        | _words(passage, fact.end, passage.piece.end, fact)[0]
    )


def _words(
    passage: Passage, start: int, end: int, fact: Fact
) -> tuple[frozenset[str], frozenset[str]]:
    """Stems in a stretch, and which of them are strong. Other facts' units are left out."""
    covered = [
        (other.start, other.end)
        for other in passage.facts
        if other.end > start and other.start < end and other.kind not in ("name", "quote", "number")
    ]
    codes = {
        str(other.keys[0][1])
        for other in passage.facts
        if (other.kind == "id" or (other.group == "quarter" and fact.kind != "date"))
        and start <= other.start
        and other.end <= end
    }
    found, strong = set(codes), set(codes)
    at = 0
    terms = passage.terms
    for place in range(bisect_left(terms, (start,)), len(terms)):
        begin, stop, word, marked = terms[place]
        if stop > end:
            break
        while at < len(covered) and covered[at][1] <= begin:
            at += 1
        if at < len(covered) and covered[at][0] <= begin:
            continue
        found.add(word)
        if marked:
            strong.add(word)
    return frozenset(found), frozenset(strong)


def denied(fact: Fact, passage: Passage) -> bool:
    """Whether the words before a fact in its sentence deny something: of what, no rule tells."""
    return _DENIAL.search(passage.folded, max(passage.piece.start, fact.start - 80), fact.start) \
        is not None  # fmt: skip


def _topic(one: Ref, other: Ref) -> frozenset[str]:
    """The words that say what a fact of the source is about, where another may stand near."""
    alone = one.fact.kind == "name" and one.passage is not other.passage
    alone = alone or sum(fact.group == one.fact.group for fact in one.passage.facts[:100]) == 1
    words = whole(one.fact, one.passage) if alone else context(one.fact, one.passage).all
    return words | _own_words(one)


def _own_words(ref: Ref) -> frozenset[str]:
    """The words of an address, which often say whose it is."""
    if ref.fact.kind not in ("url", "email"):
        return frozenset()
    return frozenset(content(ref.passage.folded[ref.fact.start : ref.fact.end]))


def _left_over(own: Ref, rival: Ref) -> bool:
    """Whether the later of two clauses of one sentence is for all that the first is not."""
    if own.passage is not rival.passage:
        return False
    first, last = sorted((own.fact, rival.fact), key=lambda fact: fact.start)
    end = min(own.passage.piece.end, last.end + 30)
    return _RESIDUAL.search(own.passage.folded, first.end, end) is not None


def _contrast(own: Ref, rival: Ref) -> tuple[frozenset[str], frozenset[str]]:
    """The words that only the one and only the other is about.

    "The north gate is shut from the 3rd, the south gate from the 24th": what follows the first
    subject is said of both clauses of a sentence.
    """
    mine, theirs = _topic(own, rival), _topic(rival, own)
    only_mine, only_theirs = mine - theirs, theirs - mine
    if own.passage is rival.passage:
        here, there = context(own.fact, own.passage), context(rival.fact, rival.passage)
        if own.fact.start < rival.fact.start:
            only_mine &= _first(own, len(there.before)) | here.after
        else:
            only_theirs &= _first(rival, len(here.before)) | there.after
    return only_mine, only_theirs


def excused(own: Ref, rival: Ref, passage: Passage, case: Case) -> bool:
    """Whether something else than the claim's own clause ties a fact to its place."""
    if _left_over(own, rival):
        return True
    only_mine, only_theirs = _contrast(own, rival)
    if case.question.content & only_mine and not case.question.content & only_theirs:
        return True
    if own.passage is rival.passage or own.passage.in_table():
        return False
    near = _near(own, rival, case) & passage.content
    return len(near) > len(passage.content & only_theirs)


def _near(own: Ref, rival: Ref, case: Case) -> set[str]:
    """Words beside a fact's sentence that are not of the rival's."""
    near = case.truth.beside(own.passage) - case.truth.beside(rival.passage)
    return near - rival.passage.content - own.passage.content


def asked_of_other(own: Ref, rival: Ref, claim: frozenset[str], case: Case) -> bool:
    """Whether the question is about the rival, and nothing in the answer about the fact's place.

    Only between places that are built alike (``Small boxes: 5 kg``, ``Large boxes: 25 kg``), and
    where the answer gives one value, or both are in one sentence.
    """
    only_mine, only_theirs = _contrast(own, rival)
    if not (case.question.content | claim) & only_theirs or _left_over(own, rival):
        return False
    if own.passage is not rival.passage:
        if case.groups[own.fact.group] > 1 and own.fact.kind != "name":
            return False
        only_mine = only_mine | case.truth.beside(own.passage) - case.truth.beside(rival.passage)
        only_mine -= _topic(rival, own)
    elif (_topic(own, rival) - _topic(rival, own)) & claim - case.question.content:
        return False
    if case.question.content & only_mine or case.words & (only_mine - _own_words(own)):
        return False
    mine, theirs = _topic(own, rival), _topic(rival, own)
    shared = mine & theirs
    alike = bool(shared) and 3 * len(shared) >= min(len(mine), len(theirs))
    return alike or _labelled(own, rival)


def _first(ref: Ref, count: int) -> frozenset[str]:
    """The first meaningful words of a fact's sentence."""
    start = ref.passage.piece.start
    start = max(start, ref.passage.folded.rfind(":", start, ref.fact.start))
    found = [
        stem(match.group())
        for match in _WORD.finditer(ref.passage.folded, start, ref.fact.start)
        if match.group().lower() not in STOP_WORDS
    ]
    return frozenset(found[: max(count, 1)])


def _labelled(own: Ref, rival: Ref) -> bool:
    """Whether both stand behind a label: ``Billing: a@b.example``."""
    return all(
        ref.passage.folded[ref.passage.piece.start : ref.fact.start].rstrip(" <\"'`").endswith(":")
        for ref in (own, rival)
    )
