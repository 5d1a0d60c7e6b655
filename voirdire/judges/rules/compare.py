"""Hold each fact of an answer against the sources."""

from __future__ import annotations

import re
from typing import NamedTuple

from voirdire.judges.rules.asked import Asked
from voirdire.judges.rules.citations import misattributed
from voirdire.judges.rules.counting import counts_itself
from voirdire.judges.rules.extract import extract
from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.fold import squeeze, words
from voirdire.judges.rules.renaming import mixed, replaces_name
from voirdire.judges.rules.swaps import find_swap
from voirdire.judges.rules.truth import CROWDED, Passage, Ref, Truth, closest, passages
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
        self.question = Asked(question)
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
            findings += self._citations(self._weigh_echoes(here), passage)
        return findings

    def _may_compare(self, cost: int = 1) -> bool:
        """Whether surroundings may still be compared; keeps a hostile answer from taking hours."""
        self._swaps -= cost
        return self._swaps >= 0

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
        if any(key in self.question.keys for key in fact.keys):
            return Finding(fact, passage, ECHO)
        if fact.group == "weekday" and self._weekday_in_words(fact):
            return Finding(fact, passage, FOUND)
        return Finding(fact, passage, MISSING, None, "is not in the source")

    # values ---------------------------------------------------------------------------------

    def _found(self, fact: Fact, passage: Passage, same: list[Ref]) -> Finding:
        if fact.rate and (other := self._other_rate(fact, same)):
            return Finding(fact, passage, WRONG, other, f"is not per {fact.rate} in the source")
        if (
            fact.kind == "number"
            and fact.nouns
            and (other := self._other_noun(fact, same, passage))
        ):
            return Finding(fact, passage, WRONG, other, "counts something else in the source")
        if self._may_compare():
            other = find_swap(fact, passage, same, self.truth)
            if other:
                return Finding(
                    fact, passage, WRONG, other, "belongs to something else in the source"
                )
        return Finding(fact, passage, FOUND, closest(same, passage))

    def _other_rate(self, fact: Fact, same: list[Ref]) -> Ref | None:
        for ref in same:
            if ref.fact.rate in ("", fact.rate):
                left = max(ref.passage.piece.start, ref.fact.start - 300)
                right = min(ref.passage.piece.end, ref.fact.end + 300)
                near = ref.passage.folded[left:right].lower()
                told = {PERIODS[word] for word in re.findall(r"[a-z]+", near) if word in PERIODS}
                if ref.fact.rate or not told or fact.rate in told:
                    return None
        return same[0]

    def _other_noun(self, fact: Fact, same: list[Ref], passage: Passage) -> Ref | None:
        counted = [
            ref
            for ref in self.truth.by_group.get("number", ())[:500]
            if ref.fact.nouns & fact.nouns
        ]
        words_here = passage.content
        if len(words_here) >= 3 and all(not own.passage.content & words_here for own in same):
            return counted[0] if counted else None  # the same digits in quite another matter
        for ref in same:
            if ref.fact.kind != "number" or not ref.fact.nouns or ref.fact.nouns & fact.nouns:
                return None
        return next(
            (
                ref
                for ref in counted
                if any(
                    ref.passage is own.passage or not own.passage.content & fact.nouns
                    for own in same
                )
            ),
            None,
        )

    def _absent_value(self, fact: Fact, passage: Passage) -> Finding:
        rival = self._rival(fact, passage)
        if fact.soft:
            if fact.group == "number" and rival and rival.fact.nouns & fact.nouns:
                return Finding(fact, passage, WRONG, rival, "contradicts the source")
            return Finding(fact, passage, IGNORED)
        asked = any(key in self.question.keys for key in fact.keys)
        if asked:
            # Kept apart until the rest of the sentence is known: see _weigh_echoes.
            return Finding(fact, passage, ECHO, rival)
        if fact.kind == "money" and fact.value == 0 and "free" in self.truth.words:
            return Finding(fact, passage, FOUND)
        if fact.kind == "number" and self._stands_in_code(fact, passage):
            return Finding(fact, passage, FOUND)
        if fact.kind == "number" and not rival and counts_itself(fact, passage, self.passages):
            return Finding(fact, passage, IGNORED)
        why = "contradicts the source" if rival else "is not in the source"
        return Finding(fact, passage, WRONG if rival else MISSING, rival, why)

    def _rival(self, fact: Fact, passage: Passage) -> Ref | None:
        """The source's fact of the same kind that is about the same, as far as words tell."""
        refs = self.truth.by_group.get(fact.group, ())[:200]
        if fact.group == "number":
            refs = [ref for ref in refs if ref.fact.nouns & fact.nouns]
        return closest(refs, passage) if refs else None

    def _stands_in_code(self, fact: Fact, passage: Passage) -> bool:
        """Whether the number and the word before it are a code of the source (``AES 256``)."""
        before = passage.folded[max(0, fact.start - 30) : fact.start].split()
        text = passage.folded[fact.start : fact.end]
        return bool(before) and squeeze(f"{before[-1]} {text}") in self.truth.tokens

    def _weigh_echoes(self, here: list[Finding]) -> list[Finding]:
        """Let a value of the question pass only where the sentence denies or corrects it."""
        if not any(finding.status == ECHO and finding.ref for finding in here):
            return here
        text = here[0].passage.folded[here[0].passage.piece.start : here[0].passage.piece.end]
        if _NEGATION.search(text):
            return here
        corrected = {finding.fact.group for finding in here if finding.status == FOUND}
        return [
            finding._replace(status=WRONG, why="contradicts the source")
            if finding.status == ECHO
            and finding.ref
            and finding.fact.group not in corrected
            and not self.question.given.intersection(finding.fact.keys)
            else finding
            for finding in here
        ]

    def _citations(self, here: list[Finding], passage: Passage) -> list[Finding]:
        """Turn what cites the wrong source into a fault."""
        if not self._may_compare(5):
            return here
        wrong = dict(misattributed(passage, self.truth))
        return [
            finding._replace(status=WRONG, ref=wrong[finding.fact],
                             why="is cited for what another source says")
            if finding.fact in wrong
            else finding
            for finding in here
        ] if wrong else here  # fmt: skip

    # words ----------------------------------------------------------------------------------

    def _name(self, fact: Fact, passage: Passage) -> Finding:
        parts = fact.keys[0][1]
        assert isinstance(parts, tuple)
        unknown = [part for part in parts if not self._knows(part)]
        if unknown and (
            fact.keys[0] in self.truth.by_key or squeeze("".join(parts)) in self.truth.codes
        ):
            unknown = []
        if unknown:
            initials = "".join(part[0] for part in parts)
            if len(parts) > 1 and initials in self.truth.words:
                return Finding(fact, passage, FOUND)
            if all(self.question.knows(part) or part in self._lower for part in unknown):
                return Finding(fact, passage, ECHO)
            if fact.soft and not (
                self._may_compare()
                and len(passage.facts) < CROWDED
                and replaces_name(fact, passage, self.truth)
            ):
                return Finding(fact, passage, IGNORED)
            return Finding(fact, passage, MISSING, None, "is not in the source")
        same = (
            self.truth.by_key.get(fact.keys[0])
            or self.truth.by_key.get(("name part", parts[-1]), [])
        )[:64]
        if same and self._may_compare():
            other = find_swap(fact, passage, same, self.truth)
            if other:
                return Finding(
                    fact, passage, WRONG, other, "belongs to something else in the source"
                )
        if (
            fact.keys[0] not in self.truth.by_key
            and len(parts) == 2
            and self._may_compare()
            and (other := mixed(parts, self.truth))
        ):
            return Finding(fact, passage, WRONG, other, "mixes two names of the source")
        return Finding(fact, passage, FOUND, closest(same, passage) if same else None)

    def _knows(self, part: str) -> bool:
        if self.truth.knows(part) or self.truth.spells(part):
            return True
        return part.endswith("s") and self.truth.spells(part[:-1])

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
        if code in self.truth.ids or code in self.truth.codes or fact.keys[0] in self.truth.by_key:
            return Finding(fact, passage, FOUND, closest(self.truth.by_key.get(fact.keys[0], []),
                                                          passage))  # fmt: skip
        if fact.group == "cited" and code.isdecimal() and len(code) < 6:
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
