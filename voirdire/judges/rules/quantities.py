"""Numbers with what they measure: units, money, percentages, versions, bare counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from voirdire.judges.rules.fact import Fact, Key, rounded
from voirdire.judges.rules.fold import STOP_WORDS, squeeze, stem
from voirdire.judges.rules.measures import low_at, read_measure, read_money, read_rate
from voirdire.judges.rules.numerals import Token, glued, read_numeral, tokens
from voirdire.judges.rules.units import DURATIONS, ORDINAL_WORDS, PERIODS, SHARES, UNIT_WORDS, UNITS
from voirdire.judges.rules.versions import components, is_version, raw_digits, read_version

_LINKS = frozenset(["-", "to", "or", "and", ",", "/", "through", "until", "up", "~", "&"])
_MARKED_LINES = re.compile(
    r"(?m)^[ \t>]*(?:[-*•][ \t]+)?(?:step[ \t]+)?(\d{1,3})[.):](?=\s)", re.IGNORECASE
)
_TIMES = frozenset([stem("times")])
# "for a week" states a length; "twice a week" does not.
_ONE_AFTER = frozenset(
    "within for after takes take in every lasts last to than half until least most about under "
    "over is only exactly be one another per".split()
)


def list_numbers(folded: str) -> set[int]:
    """Where the numbers of list items begin: they count lines and state nothing."""
    return {found.start(1) for found in _MARKED_LINES.finditer(folded)}


def find_quantities(folded: str, capital: str) -> Iterator[Fact]:
    """The numbers of a folded text, in order.

    Args:
        folded: the text, with what other rules took masked.
        capital: the same text unmasked, for the case of the word before a number.
    """
    toks = tokens(folded)
    skipped = list_numbers(folded)
    row: list[tuple[Fact, int, int]] = []  # facts that later units may still reach, with tokens
    index = 0
    while index < len(toks):
        if toks[index].start in skipped:
            index += 1
            continue
        made = _read(toks, index, folded, capital)
        if made is None:
            index += 1
            continue
        fact, first, stop = made
        if row and not _linked(toks, row[-1][2], first):
            yield from _settled(row)
            row = []
        if row and (whole := _compound(row[-1][0], fact, toks, row[-1][2], first)):
            row[-1] = (whole, row[-1][1], stop)
        else:
            row.append((fact, first, stop))
        index = max(stop, index + 1)
    yield from _settled(row)


def _linked(toks: list[Token], stop: int, first: int) -> bool:
    """Whether only a word like ``to`` stands between two numbers."""
    between = [toks[i].low for i in range(stop, first)] if first - stop <= 2 else ["?"]
    return all(word in _LINKS for word in between)


def _compound(big: Fact, small: Fact, toks: list[Token], stop: int, first: int) -> Fact | None:
    """``1 hour and 30 minutes`` as one length; ``None`` where they are two."""
    if first - stop > 1 or (first > stop and toks[stop].low not in ("and", ",")):
        return None
    dims = {dim for dim, _ in big.keys} & {dim for dim, _ in small.keys}
    if len(big.keys) != 1 or len(dims) != 1 or big.kind not in ("duration", "quantity"):
        return None
    dim = next(iter(dims))
    if dim not in ("time", "months", "length", "mass") or not big.value or small.value is None:
        return None
    large = float(str(big.keys[0][1]))
    little = float(str(next(value for name, value in small.keys if name == dim)))
    if not 0 < little < large / big.value:  # the lesser part is under one of the larger unit
        return None
    return replace(big, end=small.end, keys=((dim, rounded(large + little)),), value=None)


def _settled(row: list[tuple[Fact, int, int]]) -> list[Fact]:
    """Give the numbers of a range or list the unit that stands once, at its end or its start."""
    facts = [fact for fact, _, _ in row]
    for i in range(len(facts) - 2, -1, -1):
        facts[i] = _share(facts[i], facts[i + 1], backwards=True)
    for i in range(1, len(facts)):
        facts[i] = _share(facts[i], facts[i - 1], backwards=False)
    return facts


def _share(fact: Fact, other: Fact, *, backwards: bool) -> Fact:
    if fact.kind != "number" or other.kind == "id" or fact.nouns or fact.value is None:
        return fact
    if other.kind == "number":
        return replace(fact, nouns=other.nouns) if backwards else fact
    if other.kind == "version":
        return fact
    if not backwards and other.kind != "money":
        return fact
    if not other.value or (fact.value >= 1900 and fact.value < 2100 and other.kind != "money"):
        return fact
    shared: list[Key] = []
    for dim, value in other.keys:
        if isinstance(value, float):
            shared.append((dim, rounded(value / other.value * fact.value)))
    # Kept as a bare number too: the unit was carried over, not written.
    return replace(
        fact, kind=other.kind, keys=(*shared, *fact.keys), group=other.group, rate=other.rate
    )


def _read(toks: list[Token], index: int, folded: str, capital: str) -> tuple[Fact, int, int] | None:
    """The fact that begins at a token, the first token of it and the one after it."""
    token = toks[index]
    special = _special(toks, index)
    if special:
        return special
    numeral = read_numeral(toks, index, folded)
    if numeral is None:
        if token.low[0].isdecimal():
            return _digits(toks, index, folded, capital)
        return None
    word_like = not token.low[0].isdecimal()
    end = toks[numeral.stop - 1].end
    money = read_money(toks, index, numeral)
    if money:
        return money
    raw = raw_digits(numeral)
    if raw and is_version(toks, index, numeral, capital):
        return read_version(toks, index, numeral.stop, raw, folded)
    measure = read_measure(toks, numeral.stop)
    if measure is None and raw and glued(toks, numeral.stop) and not numeral.scaled:
        follower = low_at(toks, numeral.stop)
        if follower in ("st", "nd", "rd", "th"):
            return _ordinal(toks, toks[numeral.stop].end, numeral.values[0], index,
                            numeral.stop + 1)  # fmt: skip
        if follower[0].isalpha() and follower not in ("x", "e"):
            return _digits(toks, index, folded, capital)
    start = token.start
    sign = 1.0
    if low_at(toks, index - 1) in ("-", "−") and glued(toks, index) and not glued(toks, index - 1):
        sign = -1.0
        start = toks[index - 1].start
    values = [value * sign for value in numeral.values]
    if measure:
        keys = [(dim, rounded(value * factor)) for value in values for dim, factor in measure.dims]
        for dim, value in list(keys):
            if dim == "months" and value % 12 == 0 and value > 0:
                keys.append(("time", rounded(value / 12 * 365 * 86400)))
        kind = {"duration": "duration", "percent": "percentage"}.get(measure.group, "quantity")
        rate, stop = read_rate(toks, measure.stop)
        fact = Fact(kind, start, toks[measure.stop - 1].end, tuple(keys), measure.group,
                    values[0], rate=rate)  # fmt: skip
        return fact, index, stop
    nouns, stop = _nouns(toks, numeral.stop)
    rate, _ = read_rate(toks, stop)
    label = _label(toks, index)
    bare: list[Key] = [("number", rounded(value)) for value in values]
    if "." in numeral.text and not numeral.scaled and sign > 0:
        bare.append(("version", components(numeral.text)))
    if word_like and values[0] == 1.0 and not nouns | label:
        return None  # "this one"
    vague = word_like and values[0] in (0.0, 1.0)
    fact = Fact("number", start, end, tuple(bare), "number", values[0],
                nouns=nouns | label, rate=rate, soft=vague)  # fmt: skip
    return fact, index, numeral.stop


def _special(toks: list[Token], index: int) -> tuple[Fact, int, int] | None:
    """Half an hour, a week, twice a day, the third."""
    low = toks[index].low
    if {low, low_at(toks, index + 1), low_at(toks, index + 2)} & SHARES.keys():
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
        return _ordinal(toks, toks[index].end, ORDINAL_WORDS[low], index, index + 1,
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


def _ordinal(
    toks: list[Token], end: int, value: float, first: int, stop: int, *, soft: bool = False
) -> tuple[Fact, int, int]:
    nouns, _ = _nouns(toks, stop)
    key = ("ordinal", float(value))
    fact = Fact("number", toks[first].start, end, (key,), "ordinal", nouns=nouns, soft=soft)
    return fact, first, stop


def _nouns(toks: list[Token], index: int) -> tuple[frozenset[str], int]:
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


def _label(toks: list[Token], index: int) -> frozenset[str]:
    """The word that a number stands behind with a colon: ``Ports: 24``."""
    before = index - 1
    while before > 0 and toks[before].low in ("*", "|") and index - before < 5:
        before -= 1
    if low_at(toks, before) not in (":", "=") or not low_at(toks, before - 1)[:1].isalpha():
        return frozenset()
    return frozenset([stem(toks[before - 1].low)])


def _digits(
    toks: list[Token], index: int, folded: str, capital: str
) -> tuple[Fact, int, int] | None:
    """What begins with a digit and is no number: a version, a list, a code like ``2FA``."""
    text = toks[index].low
    if "," not in text and text.count(".") >= 2 and len(text) < 60:
        return read_version(toks, index, index + 1, text, folded)
    stop = index + 1
    while stop < len(toks) and glued(toks, stop) and toks[stop].low[0].isalnum():
        stop += 1
    end = toks[stop - 1].end
    code = squeeze(folded[toks[index].start : end])
    return Fact("id", toks[index].start, end, (("code", code),), "id"), index, stop
