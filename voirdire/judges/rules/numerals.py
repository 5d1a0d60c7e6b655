"""Read numbers as people write them: separators, scales, number words, fractions."""

from __future__ import annotations

import re
from typing import NamedTuple

from voirdire.judges.rules.fact import rounded
from voirdire.judges.rules.fold import MASK
from voirdire.judges.rules.units import FRACTIONS, SCALES, TENS_WORDS, UNIT_WORDS, UNITS


class Token(NamedTuple):
    """A number, a word or one mark; ``low`` is its text in lower case."""

    start: int
    end: int
    low: str


_TOKEN = re.compile(
    rf"\d+(?:[.,']\d+)*|(?:(?![½¼¾⅓⅔⅛])[^\W\d_])+(?:'[^\W\d_]+)*|[^\w\s{MASK}]|[½¼¾⅓⅔⅛_]"
)
_PLAIN = re.compile(r"\d+")
_MANY_DIGITS = 15  # beyond that a float would take two numbers for one


class Numeral(NamedTuple):
    """A number read off the tokens.

    Attributes:
        values: what it may mean; several where a separator is ambiguous.
        text: its digits as written (``3.10``), or empty for number words.
        stop: the index of the first token after it.
        scaled: whether a scale word (``k``, ``million``) was read with it.
    """

    values: tuple[float, ...]
    text: str
    stop: int
    scaled: bool = False


def tokens(folded: str) -> list[Token]:
    """The tokens of a folded text; white space and what is masked lie between them."""
    return [Token(m.start(), m.end(), m.group().lower()) for m in _TOKEN.finditer(folded)]


def glued(toks: list[Token], index: int) -> bool:
    """Whether a token follows the one before it without a space."""
    return 0 < index < len(toks) and toks[index].start == toks[index - 1].end


def decimal_values(text: str) -> tuple[float, ...]:
    """What digits with separators may mean; empty where they are no single number.

    ``1,200.00`` and ``1.200,00`` are 1200; ``9,50`` is 9.5; ``1.200`` is 1.2 first, 1200 at need;
    ``2.3.1`` is no number.
    """
    if sum(map(len, _PLAIN.findall(text))) > _MANY_DIGITS:
        return ()
    text = text.replace("'", "")
    commas, dots = text.count(","), text.count(".")
    if commas and dots:
        decimal = "," if text.rfind(",") > text.rfind(".") else "."
        thousands = "." if decimal == "," else ","
        whole, _, part = text.rpartition(decimal)
        if decimal in whole or thousands in part or not _grouped(whole, thousands):
            return ()
        return (float(whole.replace(thousands, "") + "." + part),)
    if commas:
        if _grouped(text, ","):
            return (float(text.replace(",", "")),)
        return (float(text.replace(",", ".")),) if commas == 1 else ()
    if dots > 1:
        return (float(text.replace(".", "")),) if _grouped(text, ".") else ()
    if dots and _grouped(text, ".") and not text.startswith("0"):
        return (float(text), float(text.replace(".", "")))
    return (float(text),)


def _grouped(text: str, separator: str) -> bool:
    """Whether the separator cuts the digits into thousands."""
    head, *groups = text.split(separator)
    return 1 <= len(head) <= 3 and all(len(group) == 3 for group in groups)


def read_numeral(toks: list[Token], index: int, folded: str) -> Numeral | None:
    """The number that begins at a token, with its scale, or ``None``."""
    token = toks[index]
    if token.low[0].isdecimal():
        return _read_digits(toks, index, folded)
    if token.low in FRACTIONS:
        return Numeral((FRACTIONS[token.low],), "", index + 1)
    return _read_words(toks, index)


def _read_digits(toks: list[Token], index: int, folded: str) -> Numeral | None:
    text = toks[index].low
    stop = index + 1
    if text.isascii() and text.isdecimal() and len(text) <= 3 and not text.startswith("0"):
        while (
            stop < len(toks)
            and toks[stop].start == toks[stop - 1].end + 1
            and folded[toks[stop - 1].end] == " "
            and len(toks[stop].low.split(".")[0].split(",")[0]) == 3
            and toks[stop].low[:3].isdecimal()
            and toks[stop - 1].low.isdecimal()
            and len(toks[stop].low) != 7  # "5 100,200" is a list
        ):
            text += toks[stop].low
            stop += 1
    values = decimal_values(text)
    if not values:
        return None
    if share := _slashed(toks, index):
        return Numeral((share,), "", index + 3)
    if stop < len(toks) and toks[stop].low in FRACTIONS:
        values = (values[0] + FRACTIONS[toks[stop].low],)
        stop += 1
    elif _and_a_half(toks, stop):
        values = (values[0] + 0.5,)
        stop += 3
    written = folded[toks[index].start : toks[stop - 1].end]
    scale = _scale(toks, stop, folded)
    if scale:
        # "1.5 million" and "1,2 m" are decimals: no other reading survives a scale.
        values = tuple(rounded(value * scale) for value in values[:1])
        return Numeral(values, written, stop + 1, True)
    return Numeral(values, written, stop)


def _slashed(toks: list[Token], index: int) -> float:
    """``3/4`` before a unit, or 0: without one it may be a date, a score or two numbers."""
    if index + 3 >= len(toks) or toks[index + 1].low != "/" or not toks[index + 2].low.isdecimal():
        return 0.0
    upper, lower = toks[index].low, toks[index + 2].low
    if not upper.isdecimal() or len(lower) > 2 or not 0 < int(upper) < int(lower) <= 10:
        return 0.0
    unit = toks[index + 3].low in UNITS or toks[index + 3].low in ("of", "full")
    return int(upper) / int(lower) if unit and toks[index + 2].end == toks[index].end + 2 else 0.0


def _scale(toks: list[Token], index: int, folded: str) -> float:
    """The factor of the scale word at a token, or 0."""
    if index >= len(toks):
        return 0.0
    token = toks[index]
    raw = folded[token.start : token.end]
    if token.low == "k" or raw in ("M", "B"):
        if not glued(toks, index):
            return 0.0
        return {"k": 1e3, "M": 1e6, "B": 1e9}[raw.lower() if raw in "kK" else raw]
    return SCALES.get(token.low, 0.0)


def _and_a_half(toks: list[Token], index: int) -> bool:
    return [token.low for token in toks[index : index + 3]] == ["and", "a", "half"]


def _read_words(toks: list[Token], index: int) -> Numeral | None:
    low = toks[index].low
    following = toks[index + 1].low if index + 1 < len(toks) else ""
    if low == "a" and following in ("dozen", "hundred", "thousand", "million"):
        if toks[index + 1].low == "dozen":
            return Numeral((12.0,), "", index + 2, True)
        return Numeral((SCALES[toks[index + 1].low],), "", index + 2, True)
    if low == "dozen":
        return Numeral((12.0,), "", index + 1, True)
    if low not in UNIT_WORDS and low not in TENS_WORDS:
        return None
    total = current = 0.0
    stop = index
    expecting = True  # a new group of digits may begin here
    while stop < len(toks):
        low = toks[stop].low
        if low in TENS_WORDS and expecting:
            current += TENS_WORDS[low]
            stop += 1
            if stop + 1 < len(toks) and toks[stop].low == "-" and glued(toks, stop + 1):
                joined = stop + 1
            else:
                joined = stop
            if joined < len(toks) and 1 <= UNIT_WORDS.get(toks[joined].low, 0) <= 9:
                current += UNIT_WORDS[toks[joined].low]
                stop = joined + 1
            expecting = False
        elif low in UNIT_WORDS and expecting:
            current += UNIT_WORDS[low]
            stop += 1
            expecting = False
        elif low == "hundred" and current:
            current *= 100
            stop += 1
            expecting = True
        elif low in ("thousand", "million", "billion") and current:
            total += current * SCALES[low]
            current = 0.0
            stop += 1
            expecting = True
        elif (
            low == "and"
            and expecting
            and stop > index
            and stop + 1 < len(toks)
            and (toks[stop + 1].low in UNIT_WORDS or toks[stop + 1].low in TENS_WORDS)
        ):
            stop += 1
        else:
            break
    value = total + current
    if _and_a_half(toks, stop):
        return Numeral((value + 0.5,), "", stop + 3)
    if toks[stop - 1].low == "one" and stop - index == 1 and stop < len(toks) \
            and toks[stop].low == "dozen":  # fmt: skip
        return Numeral((12.0,), "", stop + 1, True)
    return Numeral((value,), "", stop)
