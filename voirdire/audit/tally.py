"""Counts that add up in any order: over blocks, over processes, over machines.

Whatever is kept of the texts themselves (the smallest of a group, a sample) is chosen by the text
and its place in the corpus alone, so that the same corpus gives the same tally however it was cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from voirdire.audit.corpus.item import Damage
from voirdire.audit.differing import MOST, MOST_CHARACTERS, Differing, fitting, key_of
from voirdire.audit.outcome import OUTCOMES

DAMAGES_NAMED = 20
"""Damaged places that are named; the others are only counted."""


class Example(NamedTuple):
    """A text that stands for others: the shortest, of these the first in the alphabet."""

    size: int
    text: str
    file: int
    line: int
    where: str


class Base(NamedTuple):
    """A value that mutations may start from; those with the smallest keys are the sample."""

    key: str
    json: str


@dataclass
class Counts:
    """How many texts came out how, and how many intended values each parser got.

    Attributes:
        texts: all of them.
        outcomes: by outcome; a text on which both parsers broke is in two.
        accepted: those that the eval's parser, production's, and both gave a value for.
        intended: texts with a known value; who got it (the eval's parser, production's).
        refuse: texts from which nothing should be read; who read nothing.
    """

    texts: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    accepted: list[int] = field(default_factory=lambda: [0, 0, 0])
    intended: list[int] = field(default_factory=lambda: [0, 0, 0])
    refuse: list[int] = field(default_factory=lambda: [0, 0, 0])

    def merge(self, other: Counts) -> None:
        """Add another's counts."""
        self.texts += other.texts
        self.outcomes.update(other.outcomes)
        for mine, theirs in (
            (self.accepted, other.accepted),
            (self.intended, other.intended),
            (self.refuse, other.refuse),
        ):
            mine[:] = [a + b for a, b in zip(mine, theirs, strict=True)]

    def by_outcome(self) -> dict[str, int]:
        """Every outcome's count, zeros too."""
        return {name: self.outcomes[name] for name in OUTCOMES}

    def to_json(self) -> dict[str, Any]:
        """For :meth:`from_json`."""
        return {**vars(self), "outcomes": dict(self.outcomes)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Counts:
        """The counts that :meth:`to_json` wrote."""
        return cls(**{**data, "outcomes": Counter(data["outcomes"])})


@dataclass
class Tally:
    """What is known of the texts seen so far.

    Attributes:
        all: counts over all texts.
        kinds: counts by the kind that the corpus gives its texts; without those of no kind.
        endings: how each parser ended; an error with its name (``raised JSONDecodeError``).
        differing: by outcome, a sample of the texts on which the parsers differ.
        cut: by outcome, the smallest key that no longer fits into the sample.
        shortest: by outcome, the shortest of all these texts.
        held: by outcome, characters of the sample.
        sample: bases of mutations, at most ``sample_size``.
        damaged: places that hold no text.
        damages: the first of them.
    """

    sample_size: int = 0
    all: Counts = field(default_factory=Counts)
    kinds: dict[str, Counts] = field(default_factory=dict)
    endings: tuple[Counter[str], Counter[str]] = field(
        default_factory=lambda: (Counter(), Counter())
    )
    differing: dict[str, list[Differing]] = field(default_factory=dict)
    cut: dict[str, str] = field(default_factory=dict)
    shortest: dict[str, Example] = field(default_factory=dict)
    held: Counter[str] = field(default_factory=Counter, compare=False)
    sample: dict[str, Base] = field(default_factory=dict)
    damaged: int = 0
    damages: list[tuple[int, int, Damage]] = field(default_factory=list)

    def differ(self, outcome: str, text: str, file: int, line: int, where: str) -> None:
        """Take a text on which the parsers differ."""
        key, cut = key_of(text), self.cut.get(outcome)
        if cut is None or key < cut:
            self.differing.setdefault(outcome, []).append(Differing(key, file, line, where, text))
        shortest = self.shortest.get(outcome)
        if shortest is None or len(text) <= shortest.size:
            found = Example(len(text), text, file, line, where)
            self.shortest[outcome] = found if shortest is None else min(found, shortest)

    def settle(self) -> None:
        """Leave out of the samples what does not fit; the last thing to be done to a tally."""
        for outcome in self.differing:
            self._fit(outcome)

    def _fit(self, outcome: str) -> None:
        kept, cut = fitting(self.differing[outcome])
        self.differing[outcome] = kept
        self.held[outcome] = sum(len(one.text) for one in kept)
        if cut is not None:
            self.cut[outcome] = min(cut, self.cut.get(outcome, cut))

    def base(self, found: Base) -> None:
        """Offer a base to the sample."""
        if found.key in self.sample:
            return
        self.sample[found.key] = found
        if len(self.sample) > self.sample_size:
            del self.sample[max(self.sample)]

    def damage(self, file: int, line: int, found: Damage) -> None:
        """Count a damaged place."""
        self.damaged += 1
        self._name_damage(file, line, found)

    def _name_damage(self, file: int, line: int, found: Damage) -> None:
        self.damages.append((file, line, found))
        if len(self.damages) > 2 * DAMAGES_NAMED:
            self.damages = sorted(self.damages)[:DAMAGES_NAMED]

    def named_damages(self) -> list[Damage]:
        """The first damaged places, in the order of the corpus."""
        return [found for _, _, found in sorted(self.damages)[:DAMAGES_NAMED]]

    def merge(self, other: Tally) -> None:
        """Add another's."""
        self.all.merge(other.all)
        for kind, counts in other.kinds.items():
            self.kinds.setdefault(kind, Counts()).merge(counts)
        for mine, theirs in zip(self.endings, other.endings, strict=True):
            mine.update(theirs)
        for outcome, cut in other.cut.items():
            self.cut[outcome] = min(cut, self.cut.get(outcome, cut))
        for outcome, differing in other.differing.items():
            found = self.differing.setdefault(outcome, [])
            found.extend(differing)
            self.held[outcome] += sum(len(one.text) for one in differing)
            # Not after every merge: to sort them takes longer than to parse them.
            if len(found) > 2 * MOST or self.held[outcome] > 2 * MOST_CHARACTERS:
                self._fit(outcome)
        for outcome, shortest in other.shortest.items():
            self.shortest[outcome] = min(shortest, self.shortest.get(outcome, shortest))
        for found_base in other.sample.values():
            self.base(found_base)
        self.damaged += other.damaged
        for file, line, damage in other.damages:
            self._name_damage(file, line, damage)

    def to_json(self) -> dict[str, Any]:
        """For :meth:`from_json`: what a worker process answers."""
        return {
            "sample_size": self.sample_size,
            "all": self.all.to_json(),
            "kinds": {kind: counts.to_json() for kind, counts in self.kinds.items()},
            "endings": [dict(counter) for counter in self.endings],
            "differing": self.differing,
            "cut": self.cut,
            "shortest": self.shortest,
            "sample": list(self.sample.values()),
            "damaged": self.damaged,
            "damages": self.damages,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Tally:
        """The tally that :meth:`to_json` wrote."""
        first, second = data["endings"]
        return cls(
            sample_size=data["sample_size"],
            all=Counts.from_json(data["all"]),
            kinds={kind: Counts.from_json(counts) for kind, counts in data["kinds"].items()},
            endings=(Counter(first), Counter(second)),
            differing={
                outcome: [Differing(*one) for one in found]
                for outcome, found in data["differing"].items()
            },
            cut=data["cut"],
            shortest={outcome: Example(*one) for outcome, one in data["shortest"].items()},
            sample={base[0]: Base(*base) for base in data["sample"]},
            damaged=data["damaged"],
            damages=[(file, line, Damage(*found)) for file, line, found in data["damages"]],
        )
