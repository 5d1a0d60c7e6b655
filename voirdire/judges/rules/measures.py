"""What a number measures: its unit, its currency, the period it is per."""

from __future__ import annotations

from typing import NamedTuple

from voirdire.judges.rules.fact import Fact, Key, rounded
from voirdire.judges.rules.numerals import Numeral, Token, glued
from voirdire.judges.rules.units import (
    CURRENCIES,
    CURRENCY_NATIONS,
    CURRENCY_SIGNS,
    DOLLAR_PREFIXES,
    DURATIONS,
    PERIODS,
    SINGLE_LETTER_MEANS_MORE,
    UNITS,
)


class Measure(NamedTuple):
    """A unit: the dimensions it may be of with their factors, and the token after it."""

    dims: tuple[tuple[str, float], ...]
    group: str
    stop: int


def low_at(toks: list[Token], index: int) -> str:
    """The token at a place, lower case; empty beyond the ends."""
    return toks[index].low if 0 <= index < len(toks) else ""


def read_money(toks: list[Token], index: int, numeral: Numeral) -> tuple[Fact, int, int] | None:
    """Money, where the number is some, with its first token and the one after it."""
    before = low_at(toks, index - 1)
    start, first, stop = toks[index].start, index, numeral.stop
    meanings: tuple[tuple[str, float], ...] = ()
    values = numeral.values
    if before in CURRENCY_SIGNS or (before in CURRENCIES and len(before) == 3):
        code = CURRENCY_SIGNS.get(before) or CURRENCIES[before][0][0]
        first = index - 1
        if before == "$" and glued(toks, first) and low_at(toks, index - 2) in DOLLAR_PREFIXES:
            first -= 1
            code = DOLLAR_PREFIXES[toks[first].low]
        meanings, start = ((code, 1.0),), toks[first].start
        if low_at(toks, stop) == "m" and not numeral.scaled:
            values, stop = tuple(value * 1e6 for value in values), stop + 1
        if low_at(toks, stop) in CURRENCIES:
            stop += 1
    else:
        after = stop + 1 if low_at(toks, stop) == "-" and glued(toks, stop) else stop
        if low_at(toks, stop) == "m" and low_at(toks, stop + 1) in ("€", "$", "£", "eur", "usd"):
            values, after = tuple(value * 1e6 for value in values), stop + 1
        word = low_at(toks, after)
        if word in CURRENCY_NATIONS and low_at(toks, after + 1) in CURRENCIES:
            meanings, stop = ((CURRENCY_NATIONS[word], 1.0),), after + 2
            if low_at(toks, after + 1) == "cents":
                meanings = ((CURRENCY_NATIONS[word], 0.01),)
        elif word in CURRENCIES:
            meanings, stop = CURRENCIES[word], after + 1
        elif word in CURRENCY_SIGNS and not low_at(toks, after + 1)[:1].isdecimal():
            meanings, stop = ((CURRENCY_SIGNS[word], 1.0),), after + 1
        else:
            return None
    keys: list[Key] = [
        ("money:" + code, rounded(value * share)) for value in values for code, share in meanings
    ]
    if low_at(toks, stop - 1) in ("pound", "pounds"):
        keys += [("mass", rounded(value * 0.45359237)) for value in values]
    end = toks[stop - 1].end
    rate, stop = read_rate(toks, stop)
    return Fact("money", start, end, tuple(keys), "money", values[0], rate=rate), first, stop


def read_measure(toks: list[Token], index: int) -> Measure | None:
    """The unit that begins at a token."""
    low = low_at(toks, index)
    if low == "-" and glued(toks, index) and glued(toks, index + 1):
        index += 1  # 30-day
        low = low_at(toks, index)
    following = low_at(toks, index + 1)
    if low == "%":
        return Measure((("percent", 1.0),), "percent", index + 1)
    if low == "per" and following == "cent":
        return Measure((("percent", 1.0),), "percent", index + 2)
    if low in ("percentage", "per-cent") and following in ("point", "points"):
        return Measure((("percent", 1.0),), "percent", index + 2)
    if low in ("°", "º", "degree", "degrees"):
        scale = {"c": "celsius", "celsius": "celsius", "centigrade": "celsius",
                 "f": "fahrenheit", "fahrenheit": "fahrenheit"}.get(following)  # fmt: skip
        if scale:
            return Measure(((scale, 1.0),), "temperature", index + 2)
        return Measure((("angle", 1.0), ("celsius", 1.0), ("fahrenheit", 1.0)), "temperature",
                       index + 1)  # fmt: skip
    if low in ("business", "working", "work", "week") and following in ("day", "days"):
        return Measure((("workdays", 1.0),), "duration", index + 2)
    if low in (
        "calendar",
        "full",
        "whole",
        "consecutive",
        "additional",
        "more",
        "further",
        "extra",
    ):
        found = UNITS.get(following)
        if found and found[0] in DURATIONS:
            return Measure((found,), "duration", index + 2)
    if low in ("square", "cubic", "sq") and following in UNITS:
        dim, factor = UNITS[following]
        power = 3 if low == "cubic" else 2
        return Measure(((("volume" if power == 3 else "area"),
                         rounded(factor**power * (1000 if power == 3 else 1))),),
                       dim + str(power), index + 2)  # fmt: skip
    return _plain_unit(toks, index, low, following)


def _plain_unit(toks: list[Token], index: int, low: str, following: str) -> Measure | None:
    found = UNITS.get(low)
    if found is None:
        return None
    dims = SINGLE_LETTER_MEANS_MORE.get(low, (found,))
    stop = index + 1
    if (
        following == "/"
        and low_at(toks, index + 2) in ("h", "s", "sec", "hour", "second")
        and (found[0] in ("length", "bits", "bytes"))
    ):
        per = 3600.0 if toks[index + 2].low.startswith("h") else 1.0
        return Measure(((f"{found[0]}/s", found[1] / per),), f"{found[0]}/s", index + 3)
    if low in ("kmh", "kph", "mph"):
        return Measure((("length/s", found[1] / 3.6),), "length/s", stop)
    if found[0] == "bitrate":
        return Measure((("bits/s", found[1]),), "bits/s", stop)
    if found[0] == "bytes" and low[0] in "kmgtp":
        binary = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5}[low[0]]
        dims = (found, ("bytes2", 1024.0**binary))
    if found[0] == "bytes" and len(low) > 2 and "ib" in low[1:4]:
        dims = (("bytes2", found[1]),)
    group = "duration" if found[0] in DURATIONS else found[0]
    if low == "m":
        group = "length"
    if low in ("pound", "pounds"):
        dims = (found, ("money:GBP", 1.0))
    return Measure(dims, group, stop)


def read_rate(toks: list[Token], index: int) -> tuple[str, int]:
    """The period that a value is per, and the token after it."""
    for _ in range(2):
        low = low_at(toks, index)
        if low in ("monthly", "yearly", "annually", "weekly", "daily", "hourly", "quarterly"):
            return PERIODS[low], index + 1
        if low not in ("per", "/", "a", "an", "each", "every", "for", "p") or (
            low == "for" and low_at(toks, index + 1) not in ("each", "every")
        ):
            return "", index
        word = low_at(toks, index + 1)
        skip = 2
        if low == "for" or word in ("single", "calendar", "billing"):
            word, skip = low_at(toks, index + 2), 3
        if word in PERIODS:
            return PERIODS[word], index + skip
        if not word.isalpha():
            return "", index
        index += skip  # "per user per month"
    return "", index
