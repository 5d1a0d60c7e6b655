"""Hold each fact of an answer against the sources."""

from __future__ import annotations

import re
from typing import NamedTuple

from voirdire.judges.rules.extract import extract
from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.fold import content, squeeze, words
from voirdire.judges.rules.swaps import find_swap
from voirdire.judges.rules.truth import Passage, Ref, Truth, Vocabulary, passages
from voirdire.judges.rules.units import PERIODS

FOUND, ECHO, MISSING, WRONG, IGNORED = "found", "echo", "missing", "wrong", "ignored"
_VALUES = frozenset(
    ["number", "quantity", "duration", "money", "percentage", "date", "time", "version"]
)
_NEGATION = re.compile(r"\b(?:no|not|never|nor|neither|cannot|without|instead|beyond|past)\b|n't\b",
                       re.IGNORECASE)  # fmt: skip
_LOOKUPS = 400_000_000  # characters of source that quotes may be searched in
_SWAPS = 2000  # facts whose surroundings are compared


class Finding(NamedTuple):
    """What became of one fact of the answer.

    Attributes:
        fact: the fact.
        passage: the answer's sentence with it.
        status: ``found``, ``echo`` (of the question), ``missing``, ``wrong`` or ``ignored``.
        ref: where the source says so, or what it says instead, if anything.
        why: for ``missing`` and ``wrong``, in words.
    """

    fact: Fact
    passage: Passage
    status: str
    ref: Ref | None = None
    why: str = ""


class Comparison:
    """One answer held against its sources and its question."""

    def __init__(self, truth: Truth, question: str, answer: str) -> None:
        self.truth = truth
        self.question = Vocabulary([question])
        self.question_keys = {key for fact in extract(question) for key in fact.keys}
        self.passages = passages(answer, extract(answer))
        self.exhausted = False
        self._budget = _LOOKUPS
        self._swaps = _SWAPS
        self._lower = {word for word in re.findall(r"\w+", answer) if word.islower()}

    def run(self) -> list[Finding]:
        """The findings on every fact, in the answer's order."""
        findings: list[Finding] = []
        for passage in self.passages:
            here = [self._check(fact, passage) for fact in passage.facts]
            here = self._weigh_echoes(here)
            findings += self._check_citations(here)
        return findings

    def _check(self, fact: Fact, passage: Passage) -> Finding:
        if fact.kind == "name" and fact.group == "name":
            return self._name(fact, passage)
        if fact.kind == "quote":
            return self._quote(fact, passage)
        if fact.kind == "id":
            return self._code(fact, passage)
        same = self.truth.find(fact)
        if same:
            return self._found(fact, passage, same)
        if fact.kind in _VALUES:
            return self._absent_value(fact, passage)
        if fact.kind == "url" and self._host_only(fact):
            return Finding(fact, passage, FOUND)
        if any(key in self.question_keys for key in fact.keys):
            return Finding(fact, passage, ECHO)
        if fact.group == "weekday" and self._weekday_in_words(fact):
            return Finding(fact, passage, FOUND)
        return Finding(fact, passage, MISSING, None, "is not in the source")

    # values ---------------------------------------------------------------------------------

    def _found(self, fact: Fact, passage: Passage, same: list[Ref]) -> Finding:
        if fact.rate and (other := self._other_rate(fact, same)):
            return Finding(fact, passage, WRONG, other, f"is not per {fact.rate} in the source")
        if fact.kind == "number" and fact.nouns and (other := self._other_noun(fact, same)):
            return Finding(fact, passage, WRONG, other, "counts something else in the source")
        if self._swaps > 0:
            self._swaps -= 1
            other = find_swap(fact, passage, same, self.truth)
            if other:
                return Finding(fact, passage, WRONG, other, "belongs to something else in the source")
        return Finding(fact, passage, FOUND, _closest(same, passage))

    def _other_rate(self, fact: Fact, same: list[Ref]) -> Ref | None:
        for ref in same:
            if ref.fact.rate in ("", fact.rate):
                near = ref.passage.folded[ref.passage.piece.start : ref.passage.piece.end].lower()
                told = {PERIODS[word] for word in re.findall(r"[a-z]+", near) if word in PERIODS}
                if ref.fact.rate or not told or fact.rate in told:
                    return None
        return same[0]

    def _other_noun(self, fact: Fact, same: list[Ref]) -> Ref | None:
        for ref in same:
            if ref.fact.kind != "number" or not ref.fact.nouns or ref.fact.nouns & fact.nouns:
                return None
        for ref in self.truth.by_group.get("number", ())[:500]:
            if ref.fact.nouns & fact.nouns and any(
                ref.passage is own.passage or not own.passage.content & fact.nouns for own in same
            ):
                return ref
        return None

    def _absent_value(self, fact: Fact, passage: Passage) -> Finding:
        rival = self._rival(fact, passage)
        if fact.soft:
            if fact.group == "number" and rival and rival.fact.nouns & fact.nouns:
                return Finding(fact, passage, WRONG, rival, "contradicts the source")
            return Finding(fact, passage, IGNORED)
        asked = any(key in self.question_keys for key in fact.keys)
        if asked:
            # Kept apart until the rest of the sentence is known: see _weigh_echoes.
            return Finding(fact, passage, ECHO, rival)
        if fact.kind == "money" and fact.value == 0 and "free" in self.truth.words:
            return Finding(fact, passage, FOUND)
        why = "contradicts the source" if rival else "is not in the source"
        return Finding(fact, passage, WRONG if rival else MISSING, rival, why)

    def _rival(self, fact: Fact, passage: Passage) -> Ref | None:
        """The source's fact of the same kind that is about the same, as far as words tell."""
        refs = self.truth.by_group.get(fact.group, ())[:200]
        if fact.group == "number":
            refs = [ref for ref in refs if ref.fact.nouns & fact.nouns]
        return _closest(refs, passage) if refs else None

    def _weigh_echoes(self, here: list[Finding]) -> list[Finding]:
        """Let a value of the question pass only where the sentence denies or corrects it."""
        settled = []
        for finding in here:
            fact, passage = finding.fact, finding.passage
            if finding.status == ECHO and finding.ref and fact.kind in _VALUES:
                corrected = any(
                    other.status == FOUND and other.fact.group == fact.group for other in here
                )
                text = passage.folded[passage.piece.start : passage.piece.end]
                if not corrected and not _NEGATION.search(text):
                    finding = finding._replace(status=WRONG, why="contradicts the source")
            settled.append(finding)
        return settled

    # words ----------------------------------------------------------------------------------

    def _name(self, fact: Fact, passage: Passage) -> Finding:
        parts = fact.keys[0][1]
        assert isinstance(parts, tuple)
        unknown = [part for part in parts if not self._knows(part)]
        if unknown and squeeze("".join(parts)) in self.truth.codes:
            unknown = []
        if unknown:
            initials = "".join(part[0] for part in parts)
            if len(parts) > 1 and initials in self.truth.words:
                return Finding(fact, passage, FOUND)
            if all(self.question.knows(part) or part in self._lower for part in unknown):
                return Finding(fact, passage, ECHO)
            return Finding(fact, passage, MISSING, None, "is not in the source")
        same = self.truth.by_key.get(fact.keys[0], [])[:64]
        if same and self._swaps > 0:
            self._swaps -= 1
            other = find_swap(fact, passage, same, self.truth)
            if other:
                return Finding(fact, passage, WRONG, other, "belongs to something else in the source")
        if not same and len(parts) == 2 and (other := self._mixed(parts)):
            return Finding(fact, passage, WRONG, other, "mixes two names of the source")
        return Finding(fact, passage, FOUND, _closest(same, passage) if same else None)

    def _knows(self, part: str) -> bool:
        if self.truth.knows(part) or self.truth.spells(part):
            return True
        return part.endswith("s") and self.truth.spells(part[:-1])

    def _mixed(self, parts: tuple[str, ...]) -> Ref | None:
        """A two-word name both of whose words the source gives to other pairs alone."""
        first = [ref for ref in self.truth.by_group.get("name", ())[:2000]
                 if parts[0] in _parts(ref) or parts[1] in _parts(ref)]  # fmt: skip
        with_first = [ref for ref in first if parts[0] in _parts(ref)]
        with_last = [ref for ref in first if parts[1] in _parts(ref)]
        paired = all(len(_parts(ref)) == 2 for ref in first)
        lone = f" {parts[0]} {parts[1]} " in self.truth.joined
        if with_first and with_last and paired and not lone:
            return with_last[0]
        return None

    def _quote(self, fact: Fact, passage: Passage) -> Finding:
        raw = passage.folded[fact.start : fact.end]
        segments = [words(part) for part in re.split(r"\.{3,}|…|\[|\]", raw)]
        status = FOUND
        for segment in filter(None, segments):
            needle = " " + " ".join(segment) + " "
            self._budget -= len(self.truth.joined)
            if self._budget < 0:
                self.exhausted = True
                return Finding(fact, passage, IGNORED)
            if needle in self.truth.joined:
                continue
            if needle in self.question.joined:
                status = ECHO
                continue
            if len(segment) <= 3 and squeeze("".join(segment)) in self.truth.codes:
                continue
            return Finding(fact, passage, MISSING, None, "is quoted, but not in the source")
        return Finding(fact, passage, status)

    def _code(self, fact: Fact, passage: Passage) -> Finding:
        code = str(fact.keys[0][1])
        if code in self.truth.ids or code in self.truth.codes:
            return Finding(fact, passage, FOUND, _closest(self.truth.by_key.get(fact.keys[0], []),
                                                          passage))  # fmt: skip
        if fact.group == "cited" and code.isdigit() and len(code) < 6:
            if 1 <= int(code) <= len(self.truth.sources):
                return Finding(fact, passage, FOUND)
        elif code in self.question.codes:
            return Finding(fact, passage, ECHO)
        return Finding(fact, passage, MISSING, None, "is not in the source")

    def _host_only(self, fact: Fact) -> bool:
        url = str(fact.keys[0][1])
        return not set("/?#") & set(url) and any(
            str(ref.fact.keys[0][1]).split("/", 1)[0] == url
            for ref in self.truth.by_group.get("url", ())[:2000]
        )

    def _weekday_in_words(self, fact: Fact) -> bool:
        weekend = fact.keys[0][1] in ("saturday", "sunday")
        named = {"weekend", "weekends"} if weekend else {"weekday", "weekdays"}
        return bool(self.truth.words & (named | {"daily"}))

    # citations ------------------------------------------------------------------------------

    def _check_citations(self, here: list[Finding]) -> list[Finding]:
        """Call a citation wrong where what it stands behind is in another source, not in its own."""
        settled = list(here)
        at = 0
        while at < len(here):
            group = []
            begin = here[group[0]].fact.start if group else here[at].fact.start
            while at < len(here) and self._cited(here[at]) is not None:
                group.append(at)
                at += 1
            if not group:
                at += 1
                continue
            begin = max(
                [here[i].fact.end for i in range(group[0]) if self._cited(here[i]) is not None],
                default=here[group[0]].passage.piece.start,
            )
            owner = self._truly_from(here, begin, group)
            if owner is not None:
                for i in group:
                    settled[i] = here[i]._replace(
                        status=WRONG, ref=owner, why="is cited for what another source says"
                    )
        return settled

    def _cited(self, finding: Finding) -> int | None:
        """The source that a finding cites by its id."""
        if finding.fact.kind != "id" or finding.status != FOUND:
            return None
        return self.truth.ids.get(str(finding.fact.keys[0][1]))

    def _truly_from(self, here: list[Finding], begin: int, group: list[int]) -> Ref | None:
        """A passage of another source that says more of the clause than all the cited ones do."""
        first = here[group[0]]
        cited = {self._cited(here[i]) for i in group}
        clause = content(first.passage.folded[begin : first.fact.start])
        clause |= {
            f"#{finding.fact.keys[0]}"
            for finding in here
            if begin <= finding.fact.start < first.fact.start and finding.fact.kind in _VALUES
        }
        best: tuple[int, Ref | None] = (1, None)
        mine: set[str] = set()
        for passage in self.truth.passages[:2000]:
            said = clause & (passage.content | {f"#{key}" for f in passage.facts for key in f.keys})
            if passage.owner in cited:
                mine |= said
        for passage in self.truth.passages[:2000]:
            said = clause & (passage.content | {f"#{key}" for f in passage.facts for key in f.keys})
            if passage.owner not in cited and mine < said and len(said - mine) > best[0]:
                best = (len(said - mine), Ref(first.fact, passage))
        return best[1]


def _parts(ref: Ref) -> tuple[str, ...]:
    parts = ref.fact.keys[0][1]
    return parts if isinstance(parts, tuple) else ()


def _closest(refs: list[Ref], passage: Passage) -> Ref | None:
    """The ref whose sentence shares most words with the answer's."""
    if not refs:
        return None
    return max(refs[:64], key=lambda ref: len(ref.passage.content & passage.content))
