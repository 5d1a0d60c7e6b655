"""Numbers with what they measure: units, money, percentages, versions, bare counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from voirdire.judges.rules.fact import Fact, Key, rounded
from voirdire.judges.rules.fold import squeeze, stem
from voirdire.judges.rules.measures import low_at, read_measure, read_money, read_rate
from voirdire.judges.rules.numerals import Token, glued, read_numeral, tokens
from voirdire.judges.rules.phrases import counted, ordinal, special
from voirdire.judges.rules.units import (
    FRACTIONS,
    ORDINAL_WORDS,
    SHARES,
    TENS_WORDS,
    UNIT_WORDS,
)
from voirdire.judges.rules.versions import components, is_version, raw_digits, read_version

_LINKS = frozenset(["-", "to", "or", "and", ",", "/", "through", "until", "up", "~", "&"])
_MARKED_LINES = re.compile(
    r"(?m)^[ \t>]*(?:[-*•][ \t]+)?(?:step[ \t]+)?(\d{1,3})[.):](?=\s)", re.IGNORECASE
)
_OPENING = (  # what a number may begin with, other than a digit
    UNIT_WORDS.keys()
    | TENS_WORDS.keys()
    | SHARES.keys()
    | ORDINAL_WORDS.keys()
    | FRACTIONS.keys()
    | {"a", "an", "every", "each", "once", "twice", "thrice", "dozen"}
)
_ROW = 200  # numbers that are taken to be listed together


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
        low = toks[index].low
        if (low not in _OPENING and not low[0].isdecimal()) or toks[index].start in skipped:
            index += 1
            continue
        made = _read(toks, index, folded, capital)
        if made is None:
            index += 1
            continue
        fact, first, stop = made
        if row and (len(row) >= _ROW or not _linked(toks, row[-1][2], first)):
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
    phrase = special(toks, index)
    if phrase:
        return phrase
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
            return ordinal(toks, toks[numeral.stop].end, numeral.values[0], index,
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
    nouns, stop = counted(toks, numeral.stop)
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
