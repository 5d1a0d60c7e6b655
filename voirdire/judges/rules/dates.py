"""Dates and times of day."""

from __future__ import annotations

import re
from collections.abc import Iterator

from voirdire.judges.rules.fact import Fact, Key

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun",
            "july jul", "august aug", "september sep sept", "october oct", "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = (
    r"(?P<{}>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?P<{}>\d{{1,2}})(?:st|nd|rd|th)?"
_TO = r"(?:\s?-\s?|\s(?:to|and|until|till|through|or)\s(?:the\s)?)"
_ISO = (
    r"(?P<iy>(?:1[89]|20|21)\d\d)(?:[-/](?P<im>\d{1,2})|\.(?P<ip>\d{1,2})(?=\.\d))"
    r"(?:[-/.](?P<id>\d{1,2}))?(?![\d.-]{0,12}\d)"
)
_NUMERIC = (
    r"(?P<na>\d{1,2})(?P<sep>[/.-])(?P<nb>\d{1,2})(?P=sep)(?P<ny>\d{4}|\d\d)(?![\d.-]{0,12}\d)"
)
_MONTH_YEAR = r"(?P<mo>0?[1-9]|1[0-2])[/.](?P<yo>(?:1[89]|20|21)\d\d)(?![\d.-]{0,12}\d)"
_DAY_FIRST = (
    _DAY.format("d1")
    + rf"(?:{_TO}{_DAY.format('d2')})?"
    + r"(?:\s{1,3}|-)(?:of\s)?"
    + _MONTH.format("dm")
    + r"(?:(?:,?\s{1,3}|-)(?P<dy>(?:1[89]|20|21)\d\d)(?!\d))?"
)
_MONTH_FIRST = (
    _MONTH.format("mm")
    + r"(?:\s{1,3}(?:the\s)?"
    + _DAY.format("m1")
    + r"(?![\d:])(?!\s?[ap]\.?m)"
    + rf"(?:{_TO}{_DAY.format('m2')}(?!\d))?)?"
    + r"(?:,?\s{1,3}(?:of\s)?(?P<my>(?:1[89]|20|21)\d\d)(?!\d))?"
)
_DATE = re.compile(
    rf"(?<![\w.])(?:{_ISO}|{_NUMERIC}|{_MONTH_YEAR}|{_DAY_FIRST}|{_MONTH_FIRST})|"
    r"(?<!\w)(?P<iso>(?:19|20)\d\d-[01]\d-[0-3]\d)(?=T\d)",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?<![\w:.])(?:(?P<h0>\d{1,2})(?::(?P<n0>[0-5]\d))?(?:\s?-\s?|\s(?:to|and|until)\s))?"
    r"(?P<h>\d{1,2})(?:[:.](?P<n>[0-5]\d))?\s?(?P<half>[ap])\.?m\b\.?"
    r"|(?:(?<![\w:.])|(?<=\dT))(?P<H>[01]?\d|2[0-4]):(?P<N>[0-5]\d)(?::[0-5]\d(?:\.\d{1,6})?)?(?![\d:])"
    r"|\b(?P<word>noon|midday|midnight)\b",
    re.IGNORECASE,
)
_ORDINALS = {"1st": 1, "first": 1, "2nd": 2, "second": 2, "3rd": 3, "third": 3, "4th": 4,
             "fourth": 4, "5th": 5, "fifth": 5}  # fmt: skip
_NTH_DAY = re.compile(
    r"\b(?P<n>1st|first|2nd|second|3rd|third|4th|fourth|5th|fifth|last) "
    r"(?P<day>mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    re.IGNORECASE,
)
_SPOKEN = re.compile(
    r"\b(?:(?P<part>half|quarter) (?P<way>past|to) )?"
    r"(?P<hour>\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
    r"(?P<clock> ?o'clock)?(?: (?:in the|at) (?P<time>morning|afternoon|evening|night)\b)?",
    re.IGNORECASE,
)
_HALF = re.compile(r" (?:in the|at) (morning|afternoon|evening|night)\b", re.IGNORECASE)
_HOURS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_QUARTER = re.compile(
    r"\bQ(?P<q>[1-4])\b|\b(?P<w>1st|first|2nd|second|3rd|third|4th|fourth) quarter\b", re.IGNORECASE
)


def _valid(year: int | None, month: int, day: int | None) -> bool:
    return 1 <= month <= 12 and (day is None or 1 <= day <= 31)


def date_key(year: int | None, month: int, day: int | None) -> Key:
    """The key of a date, any part of which may be left out."""
    return ("date", (year, month, day))


def _dates_of(found: re.Match[str], folded: str) -> list[tuple[int | None, int, int | None]] | None:
    """The readings of one match; ``None`` where it is no date after all."""
    part = found.group
    if part("iso"):
        year, month, day = part("iso").split("-")
        return [(int(year), int(month), int(day))]
    if part("iy"):
        return [
            (
                int(part("iy")),
                int(part("im") or part("ip")),
                int(part("id")) if part("id") else None,
            )
        ]
    if part("na"):
        year = part("ny")
        if len(year) == 2 and part("sep") != "/":
            return None  # 1.2.10 is a version
        full = int(year) if len(year) == 4 else 2000 + int(year)
        first, second = int(part("na")), int(part("nb"))
        if part("sep") == ".":
            return [(full, second, first)]
        return [(full, first, second), (full, second, first)]
    if part("mo"):
        return [(int(part("yo")), int(part("mo")), None)]
    prefix, name = ("d", part("dm")) if part("dm") else ("m", part("mm"))
    if name[0].islower() and name.lower() in ("may", "mar", "march", "sept", "dec", "jun", "jan"):
        return None
    year = int(part(prefix + "y")) if part(prefix + "y") else None
    month = _MONTHS[name.lower()]
    if part(prefix + "1") is None and year is None and not _month_alone(found, folded):
        return None
    days = [int(part(prefix + n)) for n in "12" if part(prefix + n)]
    return [(year, month, day) for day in days] or [(year, month, None)]


def _month_alone(found: re.Match[str], folded: str) -> bool:
    """Whether a month's name by itself is surely the month (``in May``, not ``May I``)."""
    name = found.group()
    if not name[0].isupper():
        return False
    return name.lower() not in ("may", "march", "mar", "jan") or folded[
        max(0, found.start() - 6) : found.start()
    ].lower().endswith(("in ", "by ", "until ", "since ", "from ", "of ", "to ", "and ", "before "))


def find_dates(folded: str) -> Iterator[Fact]:
    """The dates of a text; a range like ``4 and 5 May`` gives two."""
    for found in _DATE.finditer(folded):
        dates = _dates_of(found, folded)
        if dates is None or not all(month > 0 for _, month, _ in dates):
            continue
        either = bool(found.group("na"))  # one date that may be read two ways
        dates = [date for date in dates if _valid(*date)]
        if not dates:
            continue
        for reading in [dates] if either else [[date] for date in dates]:
            keys = tuple(date_key(*date) for date in reading)
            yield Fact("date", found.start(), found.end(), keys, "date", year=reading[0][0])
    for found in _QUARTER.finditer(folded):
        number = int(found.group("q") or _ORDINALS[found.group("w").lower()])
        yield Fact("date", found.start(), found.end(), (("quarter", number),), "quarter")
    for found in _NTH_DAY.finditer(folded):
        nth = _ORDINALS.get(found.group("n").lower(), 0)
        key = ("nth day", (nth, found.group("day").lower()))
        yield Fact("date", found.start(), found.start("day") - 1, (key,), "nth day")


def find_times(folded: str) -> Iterator[Fact]:
    """The times of day of a text; ``9:30`` without a.m. or p.m. may be either."""
    for found in _SPOKEN.finditer(folded):
        if found.group("part") or found.group("clock") or found.group("time"):
            yield from _spoken(found)
    for found in _TIME.finditer(folded):
        part = found.group
        start, end = found.span()
        if part("word"):
            minutes = [0, 1440] if part("word").lower() == "midnight" else [720]
            yield _time(start, end, minutes)
        elif part("H") and (later := _later(folded, end)):
            hour = int(part("H")) % 12
            yield _time(start, end, [hour * 60 + int(part("N")) + (later == "pm") * 720])
        elif part("H"):
            minute = int(part("H")) * 60 + int(part("N"))
            both = minute < 780 and not part("H").startswith("0")
            yield _time(start, end, [minute, (minute + 720) % 1440] if both else [minute])
        elif 1 <= int(part("h")) <= 12:
            if part("h0"):
                first = int(part("h0")) % 12 * 60 + int(part("n0") or 0)
                yield _time(start, end, [first, first + 720])
            half = 720 if part("half").lower() == "p" else 0
            yield _time(start, end, [int(part("h")) % 12 * 60 + int(part("n") or 0) + half])


def _later(folded: str, end: int) -> str:
    """``am`` or ``pm`` where a time's half of the day stands behind it in words."""
    found = _HALF.match(folded, end)
    return "" if found is None else "am" if found.group(1).lower() == "morning" else "pm"


def _spoken(found: re.Match[str]) -> Iterator[Fact]:
    """``half past seven in the evening``, ``8 o'clock``."""
    word = found.group("hour").lower()
    hour = int(word) if word.isdecimal() else _HOURS.index(word)
    if not 1 <= hour <= 12:
        return
    minute = hour % 12 * 60
    if found.group("part"):
        step = 30 if found.group("part").lower() == "half" else 15
        minute += step if found.group("way").lower() == "past" else -step
    time = (found.group("time") or "").lower()
    halves = {"": [0, 720], "morning": [0]}.get(time, [720])
    yield _time(*found.span(), [(minute + half) % 1440 for half in halves])


def _time(start: int, end: int, minutes: list[int]) -> Fact:
    return Fact("time", start, end, tuple(("clock", minute) for minute in minutes), "time")
