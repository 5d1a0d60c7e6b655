"""JSON Schema's formats: those that jsonschema needs further packages for, and no silent pass."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from jsonschema import FormatChecker

from voirdire.errors import ConfigError

_TIME = re.compile(r"(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](\d\d):(\d\d))", re.ASCII | re.I)
_DURATION = re.compile(
    r"P(?!$)(?:\d+W|(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?)", re.ASCII
)
_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_MAILBOX = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_URI = re.compile(r"(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*")


class StrictFormats(FormatChecker):
    """Checks formats, and refuses the ones that it cannot check instead of passing everything.

    Args:
        known: jsonschema's own checker for the schema's draft.
    """

    def __init__(self, known: FormatChecker) -> None:
        super().__init__(formats=())
        self.checkers = {**known.checkers, **{name: (test, ()) for name, test in _OWN.items()}}

    def check(self, instance: object, format: str) -> None:  # noqa: A002 (jsonschema's name)
        """As jsonschema's.

        Raises:
            FormatError: the instance is not of this format.
            ConfigError: nobody here knows the format.
        """
        if format not in self.checkers:
            raise ConfigError(
                f"config: schema: the format {format!r} is not one that can be checked "
                f"({', '.join(sorted(self.checkers))}); write a `pattern` instead"
            )
        super().check(instance, format)


def _text(test: Callable[[str], bool]) -> Callable[[object], bool]:
    return lambda instance: not isinstance(instance, str) or test(instance)


def is_date_time(text: str) -> bool:
    """RFC 3339: a date, ``T``, a time with its offset."""
    return text[10:11] in ("T", "t") and is_date(text[:10]) and is_time(text[11:])


def is_date(text: str) -> bool:
    """RFC 3339 full-date: a day that the calendar has."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        return False
    try:
        datetime.date(int(text[:4]), int(text[5:7]), int(text[8:]))
    except ValueError:
        return False
    return True


def is_time(text: str) -> bool:
    """RFC 3339 full-time; a leap second where there can be one."""
    found = _TIME.fullmatch(text)
    if not found:
        return False
    hour, minute, second = (int(part) for part in found.group(1, 2, 3))
    ahead_hour, ahead_minute = (int(part or 0) for part in found.group(4, 5))
    if hour > 23 or minute > 59 or ahead_hour > 23 or ahead_minute > 59:
        return False
    if second < 60:
        return True
    behind = -1 if "-" in text else 1
    utc = hour * 60 + minute - behind * (ahead_hour * 60 + ahead_minute)
    return second == 60 and utc % (24 * 60) == 24 * 60 - 1


def is_hostname(text: str) -> bool:
    """RFC 1123: labels of at most 63 characters, 253 in all."""
    return 0 < len(text) < 254 and all(_LABEL.fullmatch(label) for label in text.split("."))


def is_email(text: str) -> bool:
    """A mailbox without quotation marks, at a host name."""
    mailbox, _, host = text.rpartition("@")
    dots = mailbox[:1] == "." or mailbox[-1:] == "." or ".." in mailbox
    return bool(_MAILBOX.fullmatch(mailbox)) and not dots and is_hostname(host)


def is_uri(text: str) -> bool:
    """RFC 3986: a reference with a scheme, and something behind it."""
    scheme, colon, rest = text.partition(":")
    return bool(colon and rest and _SCHEME.fullmatch(scheme)) and is_uri_reference(text)


def is_uri_reference(text: str) -> bool:
    """RFC 3986: its characters, a host and port that can be told."""
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return False
    bare_host = parts.scheme in ("http", "https") and not parts.hostname
    return bool(_URI.fullmatch(text)) and text.count("#") < 2 and not bare_host


def _is_duration(text: str) -> bool:
    return bool(_DURATION.fullmatch(text))


_OWN: Mapping[str, Callable[[object], bool]] = {
    name: _text(test)
    for name, test in {
        "date": is_date,
        "date-time": is_date_time,
        "time": is_time,
        "duration": _is_duration,
        "hostname": is_hostname,
        "email": is_email,
        "uri": is_uri,
        "uri-reference": is_uri_reference,
    }.items()
}
