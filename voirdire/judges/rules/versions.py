"""Versions: numbers whose parts are counted one by one."""

from __future__ import annotations

import re

from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.fold import STOP_WORDS, squeeze
from voirdire.judges.rules.measures import low_at, read_measure
from voirdire.judges.rules.numerals import Numeral, Token, glued

_VERSION_WORDS = frozenset(
    "version versions ver v release releases firmware schema revision rev patch build".split()
)
_SUFFIX = re.compile(
    r"(?:[-.+_]?(?:alpha|beta|rc|dev|pre|preview|snapshot|post|ga|lts)[-.]?\d{0,6})(?!\w)",
    re.IGNORECASE,
)


def raw_digits(numeral: Numeral) -> str:
    """The digits of a number that is written plainly enough to be a version."""
    return "" if numeral.scaled or "," in numeral.text or " " in numeral.text else numeral.text


def components(text: str) -> tuple[str, ...]:
    """``3.10`` as ("3", "10"); zeros at the end say nothing."""
    parts = re.findall(r"\d+", text)
    while len(parts) > 1 and not parts[-1].strip("0"):
        parts.pop()
    return tuple(parts)


def is_version(toks: list[Token], index: int, numeral: Numeral, capital: str) -> bool:
    """Whether the number is a version by the word before it."""
    before = low_at(toks, index - 1)
    if before == "v":
        return glued(toks, index) or low_at(toks, index - 2) != ""
    if before in _VERSION_WORDS:
        return True
    if before == "." and low_at(toks, index - 2) in ("v", "ver"):
        return True
    if "." not in numeral.text or not before.isalpha() or before in STOP_WORDS:
        return False
    if read_measure(toks, numeral.stop):
        return False
    return capital[toks[index - 1].start].isupper()


def read_version(
    toks: list[Token], index: int, stop: int, raw: str, folded: str
) -> tuple[Fact, int, int]:
    end = toks[stop - 1].end
    key = components(raw)
    suffix = _SUFFIX.match(folded, end)
    if suffix and suffix.group():
        end = suffix.end()
        key = (*key, squeeze(suffix.group()))
        while stop < len(toks) and toks[stop].start < end:
            stop += 1
    # Not every version is a number: it may end in a fraction, as V0¼ does.
    is_number = len(key) == 1 and len(raw) < 16 and raw.replace(".", "", 1).isdecimal()
    value = float(raw) if is_number else None
    start = toks[index].start
    if low_at(toks, index - 1) == "v" and glued(toks, index):
        start = toks[index - 1].start
    fact = Fact("version", start, end, (("version", key),), "version", value)
    return fact, index, stop
