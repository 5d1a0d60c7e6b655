"""Find facts that stand in the source, but of something else.

"Express parcels: up to 20 kg" is wrong where 20 kg is the limit of standard parcels. What a fact
is about is read from the words around it: a claim is called swapped only where another fact of
the same kind stands with every word that links the claim to its own fact, and with more besides.
"""

from __future__ import annotations

from voirdire.judges.rules.case import Case
from voirdire.judges.rules.fact import Fact, spelled
from voirdire.judges.rules.passage import Passage
from voirdire.judges.rules.topics import (
    LINKED,
    Context,
    asked_of_other,
    context,
    denied,
    excused,
    whole,
)
from voirdire.judges.rules.truth import CROWDED, Ref

_RIVALS = 48
_LONG = 4000  # characters in one sentence, likewise


def find_swap(fact: Fact, passage: Passage, same: list[Ref], case: Case) -> Ref | None:
    """The source's fact that stands where the claim puts this one, or ``None``.

    Args:
        fact: a fact of the answer that does stand in the source.
        passage: the answer's sentence with it.
        same: where it stands in the source.
        case: the answer with its sources and its question.
    """
    truth = case.truth
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
    if denied(fact, passage):
        return None
    beside = {key for other in passage.facts if other is not fact for key in spelled(other)}
    for rival in rivals:
        told = any(key in beside for key in spelled(rival.fact))
        if (
            claim.all
            and all(_fits_better(rival, own, claim, told=told) for own in same)
            and not any(excused(own, rival, passage, case) for own in same)
        ):
            return rival
    for rival in rivals:
        if not (case.keys | case.question.keys).intersection(spelled(rival.fact)) and all(
            asked_of_other(own, rival, claim.all, case) for own in same
        ):
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
    if LINKED.fullmatch(own.passage.folded, *between):
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
