"""Numbers and versions that are told apart by the word before them: ``port 9100``, ``TLS 1.2``."""

from __future__ import annotations

import re

from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.fold import STOP_WORDS, stem
from voirdire.judges.rules.passage import Passage
from voirdire.judges.rules.truth import Ref, Truth

_BEFORE = re.compile(
    r"([^\W\d_][^\W_+#]*[+#]*)(?:[\s/]+(?:versions?|ver\.?|v\.?|release|number|no\.|#))?[\s/#]*\Z",
    re.IGNORECASE,
)
_NOUNS = frozenset(
    "port channel room gate platform track format line bus route section chapter article page "
    "table level class grade size model extension bay lot floor building form zone slot option "
    "rule paragraph clause box shelf aisle row seat terminal exit junction tram pier dock ward "
    "counter desk window door group locker".split()
)
_MOST = 200


def _before(fact: Fact, passage: Passage) -> str:
    """The word that a number stands behind, ``version`` and the like left aside."""
    found = _BEFORE.search(passage.folded, max(passage.piece.start, fact.start - 40), fact.start)
    return found.group(1) if found else ""


def label_of(fact: Fact, passage: Passage) -> tuple[str, bool]:
    """The stem of the word that a number stands behind, and whether that word is a name."""
    word = _before(fact, passage)
    low = word.lower()
    if not word or low in STOP_WORDS:
        return "", False
    named = word[0].isupper() and not passage.piece.text.startswith(word)
    if named or fact.kind == "version" or stem(low) in _NOUNS:
        return stem(low), named
    return "", False


def mislabelled(fact: Fact, passage: Passage, same: list[Ref], truth: Truth) -> Ref | None:
    """The source's number behind the same word, where the claim's own stands behind another."""
    if fact.kind not in ("number", "version") or fact.group not in ("number", "version"):
        return None
    label, named = label_of(fact, passage)
    if not label:
        return None
    right = None
    for group in ("number", "version"):
        for ref in truth.by_group.get(group, ())[:_MOST]:
            if label_of(ref.fact, ref.passage)[0] == label:
                if set(ref.fact.keys) & set(fact.keys) or ref.fact.value == fact.value is not None:
                    return None
                right = right or ref
    if right is None:
        return None
    for own in same:
        other, other_named = label_of(own.fact, own.passage)
        if not other and (label in own.passage.content or not (named or own.fact.nouns)):
            return None
        if named and not other_named and label in own.passage.content:
            return None
    return right


def released(fact: Fact, passage: Passage, truth: Truth) -> list[Ref]:
    """A version that the source writes as a bare number: ``Java 17`` for ``version 17``."""
    if fact.kind != "version" or fact.value is None:
        return []
    here = passage.content
    refs = truth.by_key.get(("number", fact.value), ())[:64]
    return [
        ref
        for ref in refs
        if ref.fact.group == "number"
        and (not (word := _before(ref.fact, ref.passage))[:1].isupper() or stem(word) in here)
    ]
