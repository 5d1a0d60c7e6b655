"""The sources of truth, indexed by their facts and their words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from voirdire.judges.rules.extract import extract
from voirdire.judges.rules.fact import Fact, Key
from voirdire.judges.rules.fold import fold, squeeze
from voirdire.judges.rules.passage import Passage, passages
from voirdire.judges.rules.units import CURRENCIES, UNITS
from voirdire.judges.rules.vocabulary import Vocabulary
from voirdire.source import Source

_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_EVERY: dict[str, Key] = {
    "hourly": UNITS["hour"], "daily": UNITS["day"], "weekly": UNITS["week"],
    "fortnightly": UNITS["fortnight"], "monthly": UNITS["month"],
    "quarterly": UNITS["quarter"], "yearly": UNITS["year"], "annually": UNITS["year"],
    "annual": UNITS["year"],
}  # fmt: skip
MOST_FACTS = 30_000  # of all sources together; a megabyte of prose has fewer
CROWDED = 200  # facts in one sentence; beyond that it is no sentence
_RANGE = re.compile(r"\s?(?:-|to|through|until|till)\s?", re.IGNORECASE)
_PARTS = re.compile(r"[^\W_]+")


class Ref(NamedTuple):
    """A fact of a source, and where it stands."""

    fact: Fact
    passage: Passage


class Truth(Vocabulary):
    """The sources: their passages, facts and words.

    Raises:
        TooManyFactsError: they hold more than 30,000 facts.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        super().__init__([source.text for source in sources] + [source.id for source in sources])
        self.sources = sources
        self.ids = {squeeze(source.id): index for index, source in enumerate(sources)}
        self.passages: list[Passage] = []
        self.by_key: dict[Key, list[Ref]] = {}
        self.by_group: dict[str, list[Ref]] = {}
        left = MOST_FACTS
        for index, source in enumerate(sources):
            facts = extract(source.text, left)
            left -= len(facts)
            found = passages(source.text, facts, index)
            for at, passage in enumerate(found, len(self.passages)):
                passage.place = at
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
        for word in passage.words & _EVERY.keys():
            key = _EVERY[word]
            length = Fact("duration", passage.piece.start, passage.piece.end, (key,), "every")
            self.by_key.setdefault(key, []).append(Ref(length, passage))
        for first, last in pairwise(days):
            if _RANGE.fullmatch(passage.folded[first.end : last.start]):
                for day in days_between(str(first.keys[0][1]), str(last.keys[0][1])):
                    self.by_key.setdefault(("weekday", day), []).append(Ref(first, passage))

    def beside(self, passage: Passage) -> set[str]:
        """Stems of the meaningful words of a passage's neighbours in its source."""
        places = self.passages[max(0, passage.place - 1) : passage.place + 2]
        return {
            word
            for place in places
            if place.owner == passage.owner and place is not passage
            for word in place.content
        }

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
        if not found and fact.kind == "time":
            found = self._bare_hours(fact)
        if not found and fact.group == "phone":
            found = self._dialled(fact)
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
        near = [place for word in sorted(wanted)[:8] for place in self._word_places.get(word, ())]
        if not near:
            words_beside = sorted(beside)[:20]
            near = [place for word in words_beside for place in self._word_places.get(word, ())]
        return max(
            near,
            key=lambda place: (len(wanted & place.content), len(beside & place.content)),
            default=None,
        )

    def _bare_hours(self, fact: Fact) -> list[Ref]:
        """``9 a.m.`` where the source says ``9-17``: hours without a sign that they are."""
        found: list[Ref] = []
        for _, minute in fact.keys:
            hour = int(str(minute)) / 60
            for ref in self.by_key.get(("number", hour), ())[:64]:
                if ref.fact.kind == "number" and not ref.fact.nouns:
                    found.append(ref)
        return found

    def _dialled(self, fact: Fact) -> list[Ref]:
        """A telephone number with or without its country's prefix."""
        digits = str(fact.keys[0][1]).lstrip("0")
        return [
            ref
            for ref in self.by_group.get("phone", ())[:500]
            if len(other := str(ref.fact.keys[0][1]).lstrip("0")) != len(digits)
            and min(len(other), len(digits)) >= 7
            and (other.endswith(digits) or digits.endswith(other))
        ]

    def _yearless(self, fact: Fact) -> list[Ref]:
        """``March 1, 2026`` where the source says ``March 1`` here and 2026 elsewhere."""
        if ("number", float(fact.year or 0)) not in self.by_key:
            return []
        found: list[Ref] = []
        for _, value in fact.keys:
            if isinstance(value, tuple):
                refs = self.by_key.get(("date", (None, *value[1:])), ())[:64]
                found.extend(ref for ref in refs if ref.fact.year is None)
        return found


def _implied(fact: Fact) -> list[Key]:
    """Further keys under which a source's fact can be met."""
    keys: list[Key] = []
    for dim, value in fact.keys:
        if dim == "name" and isinstance(value, tuple) and len(value) > 1:
            keys.append(("name part", value[-1]))
    if fact.rate in UNITS and fact.rate != "second":
        keys.append(UNITS[fact.rate])
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


def closest(refs: list[Ref], passage: Passage) -> Ref | None:
    """The ref whose sentence shares most words with the answer's."""
    if not refs:
        return None
    if len(passage.facts) > CROWDED:
        return refs[0]
    return max(refs[:64], key=lambda ref: len(ref.passage.content & passage.content))


@lru_cache(2)
def truth_of(sources: tuple[Source, ...]) -> Truth:
    """The sources, read once for all the cases that share them, one after the other.

    Raises:
        TooManyFactsError: they hold more than 30,000 facts.
    """
    return Truth(sources)
