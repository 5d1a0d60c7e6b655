"""Numbers in words that are more than a numeral: ``half an hour``, ``a fifth of``, ``twice``."""

from __future__ import annotations

from voirdire.judges.rules.fact import Fact, Key, rounded
from voirdire.judges.rules.fold import STOP_WORDS, stem
from voirdire.judges.rules.measures import low_at, read_rate
from voirdire.judges.rules.numerals import Token, glued
from voirdire.judges.rules.units import DURATIONS, ORDINAL_WORDS, PERIODS, SHARES, UNIT_WORDS, UNITS

_TIMES = frozenset([stem("times")])
_COUNTS = UNIT_WORDS.keys() | {"a", "an"}
# "for a week" states a length; "twice a week" does not.
_ONE_AFTER = frozenset(
    "within for after takes take in every lasts last to than half until least most about under "
    "over is only exactly be one another per".split()
)


def special(toks: list[Token], index: int) -> tuple[Fact, int, int] | None:
    """Half an hour, a week, twice a day, the third."""
    low = toks[index].low
    if low in SHARES or (low in _COUNTS and _share_follows(toks, index)):
        share_fact = _fraction(toks, index)
        if share_fact:
            return share_fact
    if low in ("once", "twice", "thrice"):
        rate, stop = read_rate(toks, index + 1)
        if not rate and low != "twice":
            return None
        value = {"once": 1.0, "twice": 2.0, "thrice": 3.0}[low]
        keys: list[Key] = [("number", value)]
        if rate in UNITS:  # twice a year is every six months
            keys.append((UNITS[rate][0], rounded(UNITS[rate][1] / value)))
        fact = Fact("number", toks[index].start, toks[index].end, tuple(keys), "number", value,
                    nouns=_TIMES, rate=rate, soft=True)  # fmt: skip
        return fact, index, stop
    if low in ORDINAL_WORDS and low_at(toks, index + 1) not in ("party", "parties"):
        return ordinal(toks, toks[index].end, ORDINAL_WORDS[low], index, index + 1,
                        soft=True)  # fmt: skip
    share, unit = 0.0, index
    if low in ("every", "each", "half"):
        share, unit = (0.5 if low == "half" else 1.0), index + 1
        if low_at(toks, unit) in ("a", "an", "other", "half"):
            share *= {"other": 2.0, "half": 0.5}.get(low_at(toks, unit), 1.0)
            unit += 1
        if low_at(toks, unit) == "-":
            unit += 1
    elif low == "three" and low_at(toks, index + 1) == "quarters":
        share, unit = 0.75, index + 4 if low_at(toks, index + 2) == "of" else index
    elif (
        low in ("a", "one")
        and low_at(toks, index + 1) == "quarter"
        and low_at(toks, index + 2) == "of"
    ):
        share, unit = 0.25, index + 4
    elif low in ("quarter", "quarters") and low_at(toks, index + 1) == "of":
        share = 0.25
        unit = index + 3 if low_at(toks, index + 2) in ("a", "an") else 0
    elif low in ("a", "an") and low_at(toks, index - 1) in _ONE_AFTER:
        share, unit = 1.0, index + 1
    word = low_at(toks, unit)
    if not share or unit == index or word not in UNITS or len(word) < 3 or word == "second":
        return None
    dim, factor = UNITS[word]
    if dim not in DURATIONS:
        return None
    tail = [low_at(toks, unit + n) for n in (1, 2, 3)]
    if share == 1.0 and tail[:2] == ["and", "a"] and tail[2] in ("half", "quarter"):
        share, unit = 1.5 if tail[2] == "half" else 1.25, unit + 3
    # Said of a length in passing ("the end of a month"), so it must only not contradict.
    fact = Fact("duration", toks[index].start, toks[unit].end, ((dim, rounded(share * factor)),),
                "duration", share, soft=share == 1.0 or low in ("every", "each"))  # fmt: skip
    return fact, index, unit + 1


def _share_follows(toks: list[Token], index: int) -> bool:
    return low_at(toks, index + 1) in SHARES or low_at(toks, index + 2) in SHARES


def _fraction(toks: list[Token], index: int) -> tuple[Fact, int, int] | None:
    """``half of the``, ``two thirds``, ``a fifth of`` as percentages: too loose to be missed."""
    low = toks[index].low
    count, at = 1.0, index
    if low in UNIT_WORDS or low in ("a", "an"):
        count, at = float(UNIT_WORDS.get(low, 1)), index + 1
        if low_at(toks, at) == "-":
            at += 1
    part = low_at(toks, at)
    if part not in SHARES or not 0 < count < SHARES[part]:
        return None
    if low_at(toks, at + 1) not in ("of", "the") and not (count > 1 and part.endswith("s")):
        return None
    if low_at(toks, at + 2) in ("a", "an"):
        return None
    key = ("percent", rounded(100 * count / SHARES[part]))
    fact = Fact("percentage", toks[index].start, toks[at].end, (key,), "percent", soft=True)
    return fact, index, at + 1


def ordinal(
    toks: list[Token], end: int, value: float, first: int, stop: int, *, soft: bool = False
) -> tuple[Fact, int, int]:
    nouns, _ = counted(toks, stop)
    key = ("ordinal", float(value))
    fact = Fact("number", toks[first].start, end, (key,), "ordinal", nouns=nouns, soft=soft)
    return fact, first, stop


def counted(toks: list[Token], index: int) -> tuple[frozenset[str], int]:
    """Stems of the words that a bare number counts, at most three."""
    if low_at(toks, index) == "-" and glued(toks, index) and glued(toks, index + 1):
        index += 1  # 10-user
    nouns: set[str] = set()
    while len(nouns) < 3 and index < len(toks):
        low = toks[index].low
        if not low[0].isalpha() or low in STOP_WORDS or low in PERIODS:
            break
        nouns |= _TIMES if low == "x" else {stem(low)}
        index += 1
    return frozenset(nouns), index
