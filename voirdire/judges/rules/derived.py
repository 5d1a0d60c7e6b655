"""Values that an answer works out: totals, due dates, conversions to another unit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, islice

from voirdire.judges.rules.case import Case
from voirdire.judges.rules.fact import Fact, Key
from voirdire.judges.rules.passage import Passage

_CUE = re.compile(
    r"\b(?:so|total(?:s|ling)?|altogether|together|sum|i\.e|that is|that's|which (?:is|makes)|"
    r"makes?|equals?|in all|overall|adds? up|comes to|leaves|meaning|therefore|hence|thus|works "
    r"out|difference|combined|difference|saves?|remaining|left|twice|double)\b|=",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|nearly|almost|some|over|"
    r"more than|just under|just over|a little (?:over|under|more than)|well over|or so)|~|≈)"
    r"[\s~(]*\Z",
    re.IGNORECASE,
)
_MONTH = 30.4375 * 86400
_MOST = 24  # values that sums are tried with
_LOOSE, _ROUNDED = 0.06, 0.011
_MEASURES = ("quantity", "duration", "money", "percentage", "number")


def worked_out(fact: Fact, passage: Passage, case: Case) -> bool:
    """Whether a value that no source states follows from values that one does."""
    if fact.kind == "date":
        return any(key in _due(case) for key in fact.keys)
    if fact.kind in ("time", "duration") and _between(fact, case):
        return True
    if fact.kind not in _MEASURES:
        return False
    return _converted(fact, passage, case) or _reckoned(fact, passage, case)


def _converted(fact: Fact, passage: Passage, case: Case) -> bool:
    """Whether it is a source's measure in another unit, rounded, or one that it is about."""
    left = max(passage.piece.start, fact.start - 24)
    about = _ABOUT.search(passage.folded, left, fact.start) is not None
    aside = passage.folded[left : fact.start].rstrip()[-1:] == "("
    scale = _LOOSE if about else _ROUNDED
    refs = case.truth.by_group.get(fact.group, [])[:200]
    if any(dim == "mass" for dim, _ in fact.keys) and fact.group != "mass":  # pounds
        refs = refs + case.truth.by_group.get("mass", [])[:200]
    for dim, value in _plain(fact):
        for ref in refs:
            for other_dim, other in _plain(ref.fact):
                if dim != other_dim or not other:
                    continue
                loose = about or aside or not _same_unit(value / other, fact, ref.fact)
                if loose and abs(value - other) <= scale * abs(other):
                    return True
    return False


def _same_unit(ratio: float, fact: Fact, other: Fact) -> bool:
    """Whether two measures were written in one unit, by the ratio of their values."""
    if not fact.value or not other.value:
        return True
    return abs(ratio - fact.value / other.value) < 1e-9


def _plain(fact: Fact) -> Iterator[tuple[str, float]]:
    for dim, value in fact.keys:
        if not isinstance(value, float):
            continue
        if dim == "months":
            yield "time", value * _MONTH
        elif dim == "fahrenheit":
            yield "celsius", (value - 32) / 1.8
        else:
            yield dim, value


def _reckoned(fact: Fact, passage: Passage, case: Case) -> bool:
    """Whether a sentence that draws a sum, a difference, a product or a share draws this one."""
    if not _CUE.search(passage.folded[passage.piece.start : passage.piece.end][:2000]):
        return False
    operands = list(islice(_operands(fact, case), _MOST))
    counts = [
        value
        for other in operands
        for dim, value in other.keys
        if dim == "number" and isinstance(value, float) and value not in (0.0, 1.0)
    ]
    for dim, wanted in fact.keys:
        if not isinstance(wanted, float):
            continue
        names = {dim, "number"} if dim.startswith("money:") else {dim}  # "$45 plus 12 for lunch"
        values = [value for other in operands for name, value in other.keys
                  if name in names and isinstance(value, float)]  # fmt: skip
        if len(values) > 1 and _close(sum(values), wanted):
            return True
        if any(
            _close(one * count, wanted) or _close(one / count, wanted)
            for one in values
            for count in counts
        ) or any(_close(abs(one + sign * two), wanted) for one, two in combinations(values, 2)
                 for sign in (1, -1)):  # fmt: skip
            return True
        if dim == "percent" and _is_share(wanted, counts):
            return True
    return False


def _is_share(percent: float, counts: list[float]) -> bool:
    return any(abs(100 * min(pair) / max(pair) - percent) < 0.5 for pair in combinations(counts, 2))


def _between(fact: Fact, case: Case) -> bool:
    """Whether a length lies between two dates or times of the answer, or a time is one away."""
    facts = [other for passage in case.passages[:50] for other in passage.facts[:50]][:200]
    if fact.kind == "time":
        clocks = [int(str(value)) for other in facts if other is not fact and other.kind == "time"
                  for _, value in other.keys]  # fmt: skip
        lengths = [value / 60 for other in facts for dim, value in other.keys
                   if dim == "time" and isinstance(value, float)]  # fmt: skip
        return any(
            ("clock", int(clock + sign * length) % 1440) in fact.keys
            for clock in clocks[:_MOST]
            for length in lengths[:_MOST]
            for sign in (1, -1)
        )
    named = {float(other.year or other.value or 0) for other in facts}
    years = sorted(year for year in named if 1000 <= year < 2200)[:_MOST]
    return any(
        ("months", 12.0 * (last - first)) in fact.keys for first, last in combinations(years, 2)
    )


def _close(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-9 * max(1.0, abs(other))


def _operands(fact: Fact, case: Case) -> Iterator[Fact]:
    """The other values of the answer that the sources or the question bear out."""
    for passage in case.passages[:50]:
        for other in passage.facts[:50]:
            if other is not fact and other.kind in _MEASURES and any(
                key in case.truth.by_key or key in case.question.keys for key in other.keys
            ):  # fmt: skip
                yield other


def _due(case: Case) -> set[Key]:
    """The dates that lie a length of the sources after or before a date of the question."""
    found: set[Key] = set()
    lengths = [key for ref in case.truth.by_group.get("duration", ())[:50] for key in ref.fact.keys]
    for dim, value in list(case.question.keys)[:20]:
        if dim != "date" or not isinstance(value, tuple):
            continue
        year, month, day = value
        for unit, length in lengths:
            if not isinstance(length, float):
                continue
            if unit == "months" and length == int(length):
                for sign in (1, -1):
                    at = month - 1 + sign * int(length)
                    then = year + at // 12 if year else None
                    for shown_year in {then, None}:
                        for shown_day in {day, None}:
                            found.add(("date", (shown_year, at % 12 + 1, shown_day)))
            elif unit in ("time", "workdays") and day:
                found |= set(_days_on(year, month, day, length / (86400 if unit == "time" else 1)))
    return found


def _days_on(year: int | None, month: int, day: int, days: float) -> Iterator[Key]:
    from datetime import date, timedelta  # rarely needed, and the judge starts once per assertion

    for sign in (1, -1):
        try:
            then = date(year or 2023, month, day) + sign * timedelta(days=days)
        except (ValueError, OverflowError):
            continue
        yield ("date", (then.year if year else None, then.month, then.day))
        yield ("date", (None, then.month, then.day))
