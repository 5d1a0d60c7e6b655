"""Numbers that count what the answer itself lists (``There are three ways: …``)."""

from __future__ import annotations

import re

from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.passage import Passage

_BETWEEN_ITEMS = re.compile(
    r"['\"`*_\s]*(?:,\s*(?:and|or)?|;|and|or|&|/)['\"`*_\s]*", re.IGNORECASE
)
_SEPARATOR = re.compile(r",\s*(?:and|or)\s|[,;]|\s(?:and|or)\s", re.IGNORECASE)
_ITEM = re.compile(r"[ \t>]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\Z")
_MOST = 12  # items that a sentence is taken to count


def counts_itself(fact: Fact, passage: Passage, everything: list[Passage]) -> bool:
    """Whether a number says how many items the answer lists, which are checked one by one."""
    if fact.value is None or not 2 <= fact.value <= _MOST or len(passage.facts) > 200:
        return False
    count = int(fact.value)
    if fact.value != count:
        return False
    rest = passage.folded[fact.end : min(passage.piece.end, fact.end + 2000)]
    _, colon, listed = rest.partition(":")
    if colon and listed.strip():
        return len(_SEPARATOR.split(listed.strip(" .!"))) == count
    if colon or rest.rstrip().endswith(":"):
        return _items_after(passage, everything) == count
    return count in _runs(fact, passage)


def _runs(fact: Fact, passage: Passage) -> set[int]:
    """How many names or quotes stand side by side after the number, in each run of them."""
    runs, length, end = set(), 0, 0
    for other in passage.facts:
        if other.start < fact.end or other.kind not in ("name", "quote", "id") or other.start < end:
            continue
        if length and _BETWEEN_ITEMS.fullmatch(passage.folded, end, other.start):
            length += 1
        else:
            runs.add(length)
            length = 1
        end = other.end
    runs.add(length)
    return runs


def _items_after(passage: Passage, everything: list[Passage]) -> int:
    """The number of list items that follow a sentence."""
    items = 0
    for other in everything[passage.index + 1 : passage.index + 2 + 4 * _MOST]:
        line = other.text.rfind("\n", 0, other.piece.start) + 1
        numbered = re.match(r"\d{1,3}[.)]\s", other.piece.text)
        if numbered or _ITEM.match(other.text[line : other.piece.start]):
            items += 1
    return items
