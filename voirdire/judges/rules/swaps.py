"""Find facts that stand in the source, but of something else.

"Express parcels: up to 20 kg" is wrong where 20 kg is the limit of standard parcels. What a fact
is about is read from the words around it: a claim is called swapped only where another fact of
the same kind stands with every word that links the claim to its own fact, and with more besides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.fold import STOP_WORDS, stem
from voirdire.judges.rules.truth import CROWDED, Passage, Ref, Truth

_BREAK = re.compile(r"[,;:()|]|\b(?:and|but|while|whereas|or|to)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_ASIDE = re.compile(r"\s?\([^()]{0,80}\)")
_RIVALS = 48
_LONG = 4000  # characters in one sentence, likewise
_LINKED = re.compile(r"[\s,;-]*(?:(?:and|or|to|through|until)\s+)?(?:the\s+)?", re.IGNORECASE)


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
            if not _LINKED.fullmatch(passage.folded, other.end, edge):
                left = _break(passage.folded, other.end, edge)[1]
                break
            edge = other.start
        edge = fact.end
        for other in [other for other in others if other.start >= fact.end]:
            if not _LINKED.fullmatch(passage.folded, edge, other.start):
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
        if other.kind == "id" and start <= other.start and other.end <= end
    }
    found, strong = set(codes), set(codes)
    at = 0
    for match in _WORD.finditer(passage.folded, start, end):
        while at < len(covered) and covered[at][1] <= match.start():
            at += 1
        if at < len(covered) and covered[at][0] <= match.start():
            continue
        text = match.group()
        low = text.lower()
        if low in STOP_WORDS:
            continue
        word = stem(low)
        found.add(word)
        first = match.start() == passage.piece.start
        if low.isdecimal() or (text[0].isupper() and not first):
            strong.add(word)
    return frozenset(found), frozenset(strong)


def find_swap(fact: Fact, passage: Passage, same: list[Ref], truth: Truth) -> Ref | None:
    """The source's fact that stands where the claim puts this one, or ``None``.

    Args:
        fact: a fact of the answer that does stand in the source.
        passage: the answer's sentence with it.
        same: where it stands in the source.
        truth: the source.
    """
    if not same or len(same) >= _RIVALS or len(passage.facts) > CROWDED:
        return None
    if any(_crowded(ref) for ref in same):
        return None
    group = same[0].fact.group
    rivals = [ref for ref in truth.by_group.get(group, ())[:_RIVALS] if _rival(ref, fact, same)
              and not _crowded(ref)]  # fmt: skip
    if not rivals:
        return None
    claim = context(fact, passage, bounded=fact.kind != "name")
    if not claim.all:
        return None
    beside = {key for other in passage.facts if other is not fact for key in other.keys}
    for rival in rivals:
        told = any(key in beside for key in rival.fact.keys)
        if all(_fits_better(rival, own, claim, told=told) for own in same):
            return rival
    return None


def _crowded(ref: Ref) -> bool:
    piece = ref.passage.piece
    return len(ref.passage.facts) > CROWDED or piece.end - piece.start > _LONG


def _rival(ref: Ref, fact: Fact, same: list[Ref]) -> bool:
    if set(ref.fact.keys) & set(fact.keys) or any(
        set(ref.fact.keys) & set(own.fact.keys) for own in same
    ):
        return False
    if fact.kind == "number" and ref.fact.kind == "number":
        if not fact.nouns:
            return bool(ref.fact.nouns)
        return bool(ref.fact.nouns & fact.nouns) and not fact.soft
    if fact.kind == "name":
        return len(ref.fact.keys[0][1]) > 0 and any(_parallel(ref, own) for own in same)  # type: ignore[arg-type]
    return True


def _parallel(one: Ref, other: Ref) -> bool:
    """Whether two names stand beside the same word: ``ask Priya``, ``ask Tomas``."""
    return _beside(one) == _beside(other) != "" or _behind(one) == _behind(other) != ""


def _behind(ref: Ref) -> str:
    after = ref.passage.folded[ref.fact.end : ref.passage.piece.end][:40].lower().split()
    return after[0] if after and after[0].isalpha() else ""


def _beside(ref: Ref) -> str:
    before = ref.passage.folded[ref.passage.piece.start : ref.fact.start][-40:].lower().split()
    before = [word for word in before if word not in ("the", "a", "an", "mr", "ms", "dr.", "mrs")]
    return before[-1] if before else ""


def _fits_better(rival: Ref, own: Ref, claim: Context, *, told: bool) -> bool:
    """Whether the claim's words point to the rival rather than to the fact's own place."""
    theirs = context(rival.fact, rival.passage)
    if rival.passage is own.passage:
        return not told and _fits_better_within(rival, own, theirs, claim)
    mine = claim.all & whole(own.fact, own.passage)
    alone = sum(fact.group == rival.fact.group for fact in rival.passage.facts) == 1
    other = claim.all & (whole(rival.fact, rival.passage) if alone else theirs.all)
    more = other - mine
    strong = more & claim.strong
    lost = mine - other
    if lost:
        return bool(strong) and not told and not lost & claim.strong and len(more) > len(lost)
    if told:
        return bool(strong) and bool(mine)
    if len(more) >= 2 or strong or (more and mine):
        return True
    return _labels_differ(theirs, context(own.fact, own.passage), claim)


def _labels_differ(theirs: Context, mine: Context, claim: Context) -> bool:
    """Whether each fact has a label (``Silver: 50 GB``) and the claim names the rival's."""
    return (
        len(theirs.before) == 1
        and theirs.before <= claim.all
        and 1 <= len(mine.before) <= 2
        and not mine.before & claim.all
    )


def _fits_better_within(rival: Ref, own: Ref, theirs: Context, claim: Context) -> bool:
    """The same inside one sentence, where clauses share their subject or their end."""
    mine = context(own.fact, own.passage)
    between = sorted((own.fact.end, rival.fact.start, rival.fact.end, own.fact.start))[1:3]
    if _LINKED.fullmatch(own.passage.folded, *between):
        return False  # the two ends of a range
    here, there = mine.after & claim.all, theirs.after & claim.all
    if mine.after and here < there:
        return not theirs.before or not (mine.before & claim.all) - theirs.all
    if not mine.before or not theirs.before:
        return False
    later = rival.fact.start > own.fact.start
    if (
        later
        and len(theirs.before) == 1
        and theirs.before <= claim.all
        and (mine.before - claim.all)
    ):
        return True  # "cats at 9 weeks, dogs at 8 weeks": the second clause leaves out the rest
    links = mine.before & claim.all
    if theirs.after:
        links |= mine.after & claim.all
    more = (theirs.before & claim.all) - mine.all
    if links - theirs.all:
        return False
    return len(more) >= 2 or bool(more & claim.strong) or (bool(more) and bool(mine.before - links))
