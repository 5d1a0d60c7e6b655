"""The hour, day, week or month that a time falls into; all in UTC."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

PERIODS = ("hour", "day", "week", "month")

_ISO = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,12})?)?"
    r"\s?(Z|z|[+-]\d\d(?::?\d\d)?)?"
)


def read_time(text: str) -> datetime:
    """An ISO 8601 time, in UTC; without a zone it is taken to be UTC.

    Written out since Python before 3.11 reads neither ``Z`` nor most fractions of a second.

    Raises:
        ValueError: it is none.
    """
    found = _ISO.fullmatch(text.strip())
    try:
        if found is None:
            raise ValueError
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
        at = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=timezone.utc)
        return at - _ahead(found[7] or "Z")
    except (ValueError, OverflowError):
        raise ValueError(f"no ISO time: {text[:40]!r}") from None


def _ahead(zone: str) -> timedelta:
    if zone in "Zz":
        return timedelta()
    digits = zone[1:].replace(":", "").ljust(4, "0")
    ahead = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return -ahead if zone[0] == "-" else ahead


def period_of(at: datetime, per: str) -> str:
    """The period's name; names of one kind sort by time.

    Args:
        at: a time in UTC.
        per: one of ``PERIODS``.
    """
    if per == "week":
        year, week, _ = at.isocalendar()
        return f"{year:04d}-W{week:02d}"
    return at.isoformat()[: {"hour": 13, "day": 10, "month": 7}[per]]
