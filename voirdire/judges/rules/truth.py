"""The sources of truth, indexed by their facts and their words."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from voirdire.judges.rules.extract import extract
from voirdire.judges.rules.fact import Fact, Key
from voirdire.judges.rules.fold import content, fold, squeeze, stem, words
from voirdire.judges.rules.units import CURRENCIES, UNITS
from voirdire.sentences import Piece, pieces
from voirdire.source import Source

_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_RANGE = re.compile(r"\s?(?:-|to|through|until|till)\s?", re.IGNORECASE)
_SUFFIXES = frozenset("s es y n an ian ing ed er ers ly istrator istrators ization".split())
_PARTS = re.compile(r"[^\W_]+")


class Passage:
    """One sentence of a source (or of an answer) with the facts that stand in it."""

    def __init__(self, text: str, folded: str, piece: Piece, index: int, owner: int) -> None:
        self.text = text
        self.folded = folded
        self.piece = piece
        self.index = index  # its place among the sentences of its text
        self.owner = owner  # the index of its source
        self.facts: list[Fact] = []

    @cached_property
    def words(self) -> set[str]:
        """Its words as they stand, lower case."""
        return set(words(self.folded[self.piece.start : self.piece.end]))

    @cached_property
    def content(self) -> set[str]:
        """Stems of its meaningful words."""
        return content(self.folded[self.piece.start : self.piece.end])


class Ref(NamedTuple):
    """A fact of a source, and where it stands."""

    fact: Fact
    passage: Passage


def passages(text: str, facts: Sequence[Fact], owner: int = 0) -> list[Passage]:
    """The sentences of a text, each with its facts."""
    folded = fold(text)
    cut = [Passage(text, folded, piece, at, owner) for at, piece in enumerate(pieces(text))]
    starts = [passage.piece.start for passage in cut]
    for fact in facts:
        at = bisect_right(starts, fact.start) - 1
        if at >= 0:
            cut[at].facts.append(fact)
    return cut


class Vocabulary:
    """The words of some texts, under every form in which they may be met again."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._folded = [fold(text) for text in texts]

    @cached_property
    def parts(self) -> list[str]:
        """Runs of letters and digits, in order, lower case."""
        return [part.lower() for text in self._folded for part in _PARTS.findall(text)]

    @cached_property
    def words(self) -> set[str]:
        """Every word as it stands."""
        return set(self.parts)

    @cached_property
    def _stems(self) -> set[str]:
        return {stem(word) for word in self.words}

    @cached_property
    def codes(self) -> set[str]:
        """Words squeezed together, one to three at a time."""
        found = set()
        for text in self._folded:
            run = [squeeze(token) for token in re.findall(r"\w+(?:[-.:/]\w+)*", text)]
            found.update(run)
            found.update(_PARTS.findall(text.lower()))
            for size in (2, 3):
                found.update(squeeze(" ".join(run[i : i + size])) for i in range(len(run) - size + 1))
        return found

    @cached_property
    def _initials(self) -> set[str]:
        first = "".join(part[0] for part in self.parts)
        return {first[i : i + size] for size in range(2, 6) for i in range(len(first) - size + 1)}

    @cached_property
    def joined(self) -> str:
        """All words with one space around each."""
        return " " + " ".join(word for text in self._folded for word in words(text)) + " "

    @cached_property
    def _prefixes(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for word in self.words:
            if len(word) >= 5:
                found.setdefault(word[:5], set()).add(word)
        return found

    def knows(self, word: str) -> bool:
        """Whether a word of a name (lower case) stands here in some form."""
        if word in self.words or stem(word) in self._stems or squeeze(word) in self.codes:
            return True
        if "-" in word or "'" in word or "&" in word:
            return all(self.knows(part) for part in re.split("[-'&]", word) if len(part) > 1)
        return any(
            word.startswith(other) and word[len(other) :] in _SUFFIXES
            or other.startswith(word) and other[len(word) :] in _SUFFIXES
            for other in self._prefixes.get(word[:5], ())
        )  # fmt: skip

    def spells(self, acronym: str) -> bool:
        """Whether the letters are the first letters of words that stand here in a row."""
        return 2 <= len(acronym) <= 5 and acronym in self._initials


class Truth(Vocabulary):
    """The sources: their passages, facts and words."""

    def __init__(self, sources: Sequence[Source]) -> None:
        super().__init__([source.text for source in sources] + [source.id for source in sources])
        self.sources = sources
        self.ids = {squeeze(source.id): index for index, source in enumerate(sources)}
        self.passages: list[Passage] = []
        self.by_key: dict[Key, list[Ref]] = {}
        self.by_group: dict[str, list[Ref]] = {}
        for index, source in enumerate(sources):
            found = passages(source.text, extract(source.text), index)
            self.passages.extend(found)
            for passage in found:
                self._index(passage)

    def _index(self, passage: Passage) -> None:
        days: list[Fact] = []
        for fact in passage.facts:
            ref = Ref(fact, passage)
            self.by_group.setdefault(fact.group, []).append(ref)
            for key in dict.fromkeys((*fact.keys, *_implied(fact))):
                self.by_key.setdefault(key, []).append(ref)
            if fact.group == "weekday":
                days.append(fact)
        for first, last in zip(days, days[1:], strict=False):
            if _RANGE.fullmatch(passage.folded[first.end : last.start]):
                for day in days_between(str(first.keys[0][1]), str(last.keys[0][1])):
                    self.by_key.setdefault(("weekday", day), []).append(Ref(first, passage))

    def find(self, fact: Fact) -> list[Ref]:
        """The source's facts that are the same as this one, at most 64."""
        found: list[Ref] = []
        for key in fact.keys:
            found.extend(self.by_key.get(key, ())[:64])
        if not found and fact.value is not None and fact.kind in ("duration", "money", "quantity",
                                                                  "percentage"):  # fmt: skip
            found = [
                ref
                for ref in self.by_key.get(("number", fact.value), ())[:64]
                if ref.fact.kind == "number"
                and (_unit_stands_near(fact, ref.passage) or self._in_currency(fact, ref))
            ]
        if not found and fact.kind == "date" and fact.year:
            found = self._yearless(fact)
        return found[:64]

    def _in_currency(self, fact: Fact, ref: Ref) -> bool:
        """Whether a bare price is in the one currency that the sources name anywhere."""
        if fact.kind != "money" or ref.fact.nouns & {"gb", "mb"}:
            return False
        codes = {code for word in self.words for code, _ in CURRENCIES.get(word, ())}
        return bool(codes) and all(dim[6:] in codes for dim, _ in fact.keys if dim[0:6] == "money:")

    @cached_property
    def _word_places(self) -> dict[str, list[Passage]]:
        places: dict[str, list[Passage]] = {}
        for passage in self.passages:
            for word in passage.content:
                found = places.setdefault(word, [])
                if len(found) < 50:
                    found.append(passage)
        return places

    def likeliest(self, wanted: set[str], beside: set[str]) -> Passage | None:
        """The passage with most of the wanted words, then with most of those beside them."""
        near = [place for word in list(wanted)[:8] for place in self._word_places.get(word, ())]
        if not near:
            near = [place for word in list(beside)[:20] for place in self._word_places.get(word, ())]
        return max(
            near,
            key=lambda place: (len(wanted & place.content), len(beside & place.content)),
            default=None,
        )

    def _yearless(self, fact: Fact) -> list[Ref]:
        """``March 1, 2026`` where the source says ``March 1`` here and 2026 elsewhere."""
        if ("number", float(fact.year or 0)) not in self.by_key:
            return []
        found = []
        for _, value in fact.keys:
            if isinstance(value, tuple):
                refs = self.by_key.get(("date", (None, *value[1:])), ())[:64]
                found.extend(ref for ref in refs if ref.fact.year is None)
        return found


def _implied(fact: Fact) -> list[Key]:
    """Further keys under which a source's fact can be met."""
    keys: list[Key] = []
    if fact.value is not None and fact.kind != "number":
        keys.append(("number", fact.value))
    for dim, value in fact.keys:
        if dim == "date" and isinstance(value, tuple):
            year, month, day = value
            keys += [("date", (None, month, day)), ("date", (year, month, None))]
            keys += [("date", (None, month, None))]
            if year:
                keys.append(("number", float(year)))
            if year and day:
                keys.append(("weekday", weekday(year, month, day)))
            if day:
                keys.append(("ordinal", float(day)))
        elif dim == "quarter":
            keys.append(("code", f"q{value}"))
        elif dim == "number" and fact.kind == "number" and isinstance(value, float):
            keys.append(("ordinal", value))
    return keys


def weekday(year: int, month: int, day: int) -> str:
    """The name of the day that a date falls on (Sakamoto's method)."""
    shifts = (0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4)
    if month < 3:
        year -= 1
    return _WEEK[(year + year // 4 - year // 100 + year // 400 + shifts[month - 1] + day - 1) % 7]


def days_between(first: str, last: str) -> list[str]:
    """The weekdays strictly between two."""
    start, stop = _WEEK.index(first), _WEEK.index(last)
    return [_WEEK[day % 7] for day in range(start + 1, stop if stop > start else stop + 7)]


def _unit_stands_near(fact: Fact, passage: Passage) -> bool:
    """Whether a bare number's sentence, key or table header names the fact's unit."""
    near = passage.folded[passage.piece.start : passage.piece.end][:4000] + " " + _header(passage)
    for word in _PARTS.findall(near.lower()):
        unit = UNITS.get(word) if len(word) > 1 else None
        if unit and fact.value is not None:
            wanted = (unit[0], float(f"{fact.value * unit[1]:.12g}"))
            if wanted in fact.keys:
                return True
        if fact.kind == "money" and any(
            ("money:" + code) == dim for code, _ in CURRENCIES.get(word, ()) for dim, _ in fact.keys
        ):
            return True
    signs = {"money:USD": "$", "money:EUR": "€", "money:GBP": "£", "percent": "%"}
    return any(signs.get(dim, "\0") in near for dim, _ in fact.keys)


def _header(passage: Passage) -> str:
    """The head of the table that a passage is a row of, or nothing."""
    start = passage.text.rfind("\n", 0, passage.piece.start) + 1
    if not passage.text.startswith("|", start):
        return ""
    for _ in range(200):
        before = passage.text.rfind("\n", 0, max(0, start - 1)) + 1
        if start == 0 or not passage.text.startswith("|", before):
            break
        start = before
    end = passage.text.find("\n", start)
    return fold(passage.text[start : end if end >= 0 else len(passage.text)])[:2000]

