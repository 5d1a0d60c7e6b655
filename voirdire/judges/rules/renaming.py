"""Names of the answer that were put in the place of the source's."""

from __future__ import annotations

from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.passage import Passage
from voirdire.judges.rules.truth import Ref, Truth

_AUXILIARIES = frozenset("is was has had will can may must does did do were are".split())


def replaces_name(fact: Fact, passage: Passage, truth: Truth) -> bool:
    """Whether an opening word that may be ordinary stands where the source has a name."""
    following = passage.folded[fact.end : fact.end + 40].split()
    verb = following[0].strip(".,:;").lower() if following else ""
    if verb not in _AUXILIARIES and not (verb.endswith(("s", "ed")) and len(verb) > 2):
        return False
    place = truth.likeliest(passage.content, set())
    return place is not None and any(
        other.kind == "name" and not set(map(str, words_of(other))) & passage.words
        for other in place.facts
    )


def mixed(parts: tuple[str, ...], truth: Truth) -> Ref | None:
    """A source's name, where a two-word name is put together from two of the source's.

    Only where the source gives either word to other pairs and never to this one.
    """
    either = [
        ref
        for ref in truth.by_group.get("name", ())[:2000]
        if not set(parts).isdisjoint(words_of(ref.fact))
    ]
    first = [ref for ref in either if parts[0] in words_of(ref.fact)]
    last = [ref for ref in either if parts[1] in words_of(ref.fact)]
    paired = all(len(words_of(ref.fact)) == 2 for ref in either)
    if first and last and paired and f" {parts[0]} {parts[1]} " not in truth.joined:
        return last[0]
    return None


def words_of(fact: Fact) -> tuple[str, ...]:
    """The words of a name or a quotation; empty for other facts."""
    value = fact.keys[0][1]
    return value if isinstance(value, tuple) else ()
