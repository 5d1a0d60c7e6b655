"""Whether a cited source is the one that says so."""

from __future__ import annotations

from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.fold import content
from voirdire.judges.rules.passage import Passage
from voirdire.judges.rules.truth import Ref, Truth

_PASSAGES = 2000  # of the source that a citation is compared with
_FACTS = 300  # in one sentence; beyond that it is no sentence


def misattributed(passage: Passage, truth: Truth) -> list[tuple[Fact, Ref]]:
    """The citations of a sentence that point to the wrong source, with the right passage.

    A citation is called wrong only where another source says all that the cited ones say of the
    clause before it, and at least two words or facts more.
    """
    cites = [
        (fact, owner)
        for fact in passage.facts
        if fact.kind == "id" and (owner := truth.ids.get(str(fact.keys[0][1]))) is not None
    ]
    if not cites or len(truth.sources) < 2 or len(passage.facts) > _FACTS:
        return []
    wrong = []
    begin = passage.piece.start
    at = 0
    while at < len(cites):
        group = [cites[at]]
        while at + len(group) < len(cites) and _together(passage, group[-1][0],
                                                         cites[at + len(group)][0]):  # fmt: skip
            group.append(cites[at + len(group)])
        right = _truly_from(passage, begin, group, truth)
        if right:
            wrong += [(fact, right) for fact, _ in group]
        begin = group[-1][0].end
        at += len(group)
    return wrong


def _together(passage: Passage, one: Fact, other: Fact) -> bool:
    """Whether two citations stand side by side."""
    between = passage.folded[one.end : other.start]
    return len(between) < 8 and between.strip(" ,;()[]&") in ("", "and", "or")


def _truly_from(
    passage: Passage, begin: int, group: list[tuple[Fact, int]], truth: Truth
) -> Ref | None:
    first = group[0][0]
    cited = {owner for _, owner in group}
    clause = content(passage.folded[begin : first.start]) | {
        f"#{key}"
        for fact in passage.facts
        if begin <= fact.start < first.start and fact.kind not in ("id", "name", "quote")
        for key in fact.keys
    }
    mine: set[str] = set()
    others: list[tuple[set[str], Passage]] = []
    for place in truth.passages[:_PASSAGES]:
        said = clause & (place.content | {f"#{key}" for fact in place.facts for key in fact.keys})
        if place.owner in cited:
            mine |= said
        else:
            others.append((said, place))
    said, place = max(others, key=lambda other: len(other[0]), default=(set(), passage))
    if mine < said and len(said - mine) >= 2:
        return Ref(first, place)
    return None
