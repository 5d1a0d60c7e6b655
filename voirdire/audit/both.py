"""Both parsers, opened in this process, put to one text after the other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

from voirdire.audit.alike import alike
from voirdire.audit.corpus.item import REFUSE, UNKNOWN, Block, Damage, Item
from voirdire.audit.corpus.lines import items
from voirdire.audit.outcome import AGREE, outcomes
from voirdire.audit.parsers.endings import INVALID, NOTHING, RAISED, VALUE, Broken, RefusedError
from voirdire.audit.tally import Base, Counts, Tally
from voirdire.audit.value import plain, same, shown

Parser = Callable[[str], Any]
Fates = Mapping[int, Mapping[int, str]]
"""Endings known beforehand, by the text's number and the side: it broke its process before."""
BASE_SIZE = 16_384
"""Longest JSON text, in characters, that mutations start from."""
LONGEST_NAME = 80
"""Characters of an error's name that are kept."""


class Plan(NamedTuple):
    """What is audited, and within which limits.

    Attributes:
        parsers: the specs of the eval's parser and production's.
        schema: the JSON Schema that a value must satisfy to count as parsed.
        timeout: seconds that a parser may take for one text.
        memory: bytes that a parser's process may take.
    """

    parsers: tuple[str, str]
    schema: Any = None
    timeout: float = 5.0
    memory: int = 1024**3


class Call(NamedTuple):
    """How one parser ended on one text: a name of ``endings``, the value, the error's name."""

    ending: str
    value: Any = None
    error: str = ""

    @property
    def label(self) -> str:
        """The ending, with the error's name where there is one."""
        return f"{self.ending} {self.error}" if self.error else self.ending


_NO_CUT: Mapping[str, str] = {}


class Beat(Protocol):
    """Where a worker writes what it is at: one number at place 0, see :func:`beat_of`."""

    def __setitem__(self, place: int, value: int) -> None: ...


def beat_of(number: int, side: int) -> int:
    """The text's number and the side (-1: between two calls) in one number, written at once."""
    return number * 4 + side + 1


def place_of(beat: int) -> tuple[int, int]:
    """The number and the side that :func:`beat_of` was told."""
    return beat >> 2, (beat & 3) - 1


class Both:
    """Two parsers and the schema that their values must satisfy.

    Args:
        parsers: the eval's and production's.
        valid: whether a JSON value counts as parsed; ``None``: any does.
        beat: told before each call, for whoever watches that it ends.
    """

    def __init__(
        self,
        parsers: tuple[Parser, Parser],
        valid: Callable[[Any], bool] | None,
        beat: Beat,
    ) -> None:
        self._parsers = parsers
        # Those in a process of their own watch it themselves, and can be closed.
        self.in_process = [not hasattr(parser, "close") for parser in parsers]
        self._beat = beat
        self._valid = valid

    def call(self, side: int, number: int, text: str, fate: str | None = None) -> Call:
        """Put a text to one parser. Errors of every kind become its ending."""
        found = self._run(side, number, text, fate)
        self._beat[0] = beat_of(number, -1)
        return _as_call(found)

    def compare(self, text: str, number: int, fates: Mapping[int, str]) -> tuple[Call, Call, bool]:
        """Put a text to both; whether they gave the same value comes last."""
        one, other = self._run_both(text, number, fates)
        return self._settled(number, one, other, alike(one, other))

    def _run_both(self, text: str, number: int, fates: Mapping[int, str]) -> tuple[Any, Any]:
        one = self._run(0, number, text, fates.get(0))
        other = self._run(1, number, text, fates.get(1))
        self._beat[0] = number * 4
        return one, other

    def _run(self, side: int, number: int, text: str, fate: str | None) -> Any:
        """The value as the parser gave it, or else a :class:`Call` that says how it ended."""
        if fate is not None:
            return Call(fate)
        self._beat[0] = number * 4 + side + 1  # beat_of, without the cost of a call
        # MemoryError, SystemExit and the like go through, the beat still telling whose they are:
        # they end the process, for nothing after them could be trusted.
        try:
            value = self._parsers[side](text)
            if value is None:
                return _NOTHING
            if self._valid is not None:
                found = value if alike(value, value) else plain(value, repeated=False)
                if not self._valid(found):
                    return Call(INVALID, found)
            return value
        except MemoryError:
            raise
        except Broken as broken:
            return Call(broken.ending)
        except RefusedError as error:
            return _raised(error.name)
        except Exception as error:  # whatever the user's function raises is a refusal
            return _raised(type(error).__name__)

    def _settled(
        self, number: int, found: Any, other_found: Any, equal: bool
    ) -> tuple[Call, Call, bool]:
        """How both ended, and whether the values are the same where they are not alike at once."""
        one, other = _as_call(found), _as_call(other_found)
        if equal:
            return one, other, True
        one, other = self._as_json(0, number, one), self._as_json(1, number, other)
        self._beat[0] = number * 4
        both = one.ending == VALUE == other.ending
        return one, other, both and same(one.value, other.value)

    def _as_json(self, side: int, number: int, call: Call) -> Call:
        """The call with its value as plain JSON.

        What is not, the parser's own code may have to write: it is watched like the call itself.
        """
        if call.ending != VALUE or alike(call.value, call.value):  # which only plain JSON is
            return call
        self._beat[0] = beat_of(number, side)
        try:
            return Call(VALUE, plain(call.value))
        except MemoryError:
            raise
        except Exception as error:
            return _raised(type(error).__name__)

    def tally(
        self,
        block: Block,
        start: int,
        stop: int,
        fates: Fates,
        sample_size: int = 0,
        seed: int = 0,
        cut: Mapping[str, str] = _NO_CUT,
    ) -> Tally:
        """Count what becomes of the texts of a block that have the numbers ``start`` to ``stop``.

        Args:
            block: some lines of a file.
            start, stop: numbers of texts within the block, from 0; the last one is left out.
            fates: endings known beforehand.
            sample_size: how many bases of mutations to keep.
            seed: chooses them.
            cut: keys that the sample of differing texts is known to have no room for.
        """
        result = Tally(sample_size=sample_size, cut=dict(cut))
        # One count a text, by all that is counted; what each adds to is worked out at the end.
        agreed: Counter[str] = Counter()
        ended: Counter[tuple[str, str, str, str, bool, str]] = Counter()
        # All are read first: going to and fro between reading and parsing costs a tenth more.
        for number, (line, item) in enumerate(list(items(block))):
            if number < start:
                continue
            if number >= stop:
                break
            if isinstance(item, Damage):
                result.damage(block.file, line, item)
                continue
            one, other = self._run_both(item.text, number, fates.get(number, _NONE))
            equal = alike(one, other)
            if equal and item.intended is UNKNOWN and not sample_size:  # as most texts are
                agreed[item.kind] += 1
                continue
            one, other, equal = self._settled(number, one, other, equal)
            ended[one.ending, one.error, other.ending, other.error, equal, item.kind] += 1
            if item.intended is not UNKNOWN:
                for counts in _of_kind(result, item.kind):
                    _intended(counts, item.intended, one, other)
            if not equal:
                found = _outcomes((one.ending, other.ending), False)
                for outcome in found if found[0] not in AGREE else ():
                    result.differ(outcome, item.text, block.file, line, item.where)
            if sample_size:
                _offer(result, item, one, equal, seed)
        for kind, count in agreed.items():
            ended[VALUE, "", VALUE, "", True, kind] += count
        for (ending, error, other_ending, other_error, equal, kind), count in ended.items():
            endings = (ending, other_ending)
            for counts in _of_kind(result, kind):
                _count(counts, endings, equal, count)
            result.endings[0][Call(ending, error=error).label] += count
            result.endings[1][Call(other_ending, error=other_error).label] += count
        result.settle()
        return result

    def look(self, text: str, number: int, fates: Mapping[int, str]) -> dict[str, Any]:
        """How both parsers end on one text, for people: JSON values as text."""
        from voirdire.audit.shapes import shape

        one, other, equal = self.compare(text, number, fates)
        return {
            "outcomes": outcomes((one.ending, other.ending), equal),
            "shape": shape(text),
            "calls": [
                {
                    "ending": call.label,
                    "value": shown(call.value) if call.ending in (VALUE, INVALID) else None,
                }
                for call in (one, other)
            ],
        }


_NOTHING = Call(NOTHING)
_NONE: Mapping[int, str] = {}
_outcomes = cache(outcomes)


@lru_cache(256)  # names may come from a program
def _raised(name: str) -> Call:
    return Call(RAISED, error=name[:LONGEST_NAME])


def _as_call(found: Any) -> Call:
    return found if type(found) is Call else Call(VALUE, found)


def _of_kind(result: Tally, kind: str) -> tuple[Counts, ...]:
    """The counts that a text of a kind adds to."""
    return (result.all, result.kinds.setdefault(kind, Counts())) if kind else (result.all,)


def _count(counts: Counts, endings: tuple[str, str], equal: bool, count: int) -> None:
    counts.texts += count
    for outcome in _outcomes(endings, equal):
        counts.outcomes[outcome] += count
    parsed = [ending == VALUE for ending in endings]
    for place, accepted in enumerate((*parsed, all(parsed))):
        counts.accepted[place] += count * accepted


def _intended(counts: Counts, intended: Any, one: Call, other: Call) -> None:
    """Who got the intended value, or read nothing where nothing should be read."""
    into = counts.refuse if intended is REFUSE else counts.intended
    into[0] += 1
    for side, call in enumerate((one, other), 1):
        if intended is REFUSE:
            into[side] += call.ending in (NOTHING, RAISED, INVALID)
        elif call.ending == VALUE:
            into[side] += alike(call.value, intended) or same(call.value, intended)


def _offer(result: Tally, item: Item, one: Call, equal: bool, seed: int) -> None:
    """Offer the value that a text is known to mean, or that both parsers read, as a base."""
    value = item.intended
    if value is UNKNOWN and equal:
        value = one.value
    if not isinstance(value, (dict, list)):
        return
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        return
    if len(text) <= BASE_SIZE:
        data = f"{seed}\n{text}".encode("utf-8", "surrogatepass")
        result.base(Base(blake2b(data, digest_size=8).hexdigest(), text))
