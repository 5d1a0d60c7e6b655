"""Why a call brought no answer, in words for people, and whether it may pass by itself."""

from __future__ import annotations

import re
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import Any

import requests

from voirdire.errors import ConfigError
from voirdire.judges.dialect import error_message
from voirdire.judges.endpoint import Endpoint

_PASSING_STATUSES = frozenset({408, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True)
class Failure:
    """One failed attempt.

    Attributes:
        cause: a clause for people, free of URLs and of the library's own messages.
        passing: whether another attempt may go better.
        body: what the server sent, without secrets.
        status: the HTTP status, where one was received.
        retry_after_s: seconds that the server asks to be left alone.
    """

    cause: str
    passing: bool
    body: str = ""
    status: int | None = None
    retry_after_s: float | None = None

    @property
    def record(self) -> Mapping[str, Any]:
        """For the journal."""
        return {"cause": self.cause, "status": self.status, "raw": self.body}


def failed_call(error: Exception, seconds: float) -> Failure:
    """An attempt that raised, after at most ``seconds``."""
    # The library's own messages are not shown: they hold the URL with its query.
    chain = list(_chain(error))
    for link in chain:
        if isinstance(link, ssl.SSLCertVerificationError):
            return Failure(f"TLS certificate refused: {link.verify_message}", passing=False)
    if isinstance(error, requests.exceptions.SSLError):
        return Failure("TLS failed", passing=False)
    if isinstance(error, requests.Timeout):
        return Failure(f"no whole reply within {seconds:.3g} s", passing=True)
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return Failure("the connection broke in mid-reply", passing=True)
    for link in chain:
        if isinstance(link, socket.gaierror):
            return Failure("host name not found", passing=True)
        if isinstance(link, ConnectionRefusedError):
            return Failure("connection refused", passing=True)
    if isinstance(error, (requests.exceptions.ContentDecodingError, ValueError)):
        return Failure(f"the request failed ({type(error).__name__})", passing=False)
    return Failure("the connection broke", passing=True)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def failed_status(response: requests.Response, body: str) -> Failure:
    """An attempt that was answered with another status than success."""
    status = response.status_code
    if 300 <= status < 400:
        return Failure(f"HTTP {status}: {_redirection(response)}", False, body, status)
    message = error_message(body)
    return Failure(
        f"HTTP {status}: {message}" if message else f"HTTP {status}",
        passing=status in _PASSING_STATUSES,
        body=body,
        status=status,
        retry_after_s=_retry_after(response.headers.get("Retry-After", "")),
    )


def _redirection(response: requests.Response) -> str:
    try:
        place = Endpoint.parse(response.headers.get("Location", "")).shown
    except ConfigError:
        return "redirected, which is not followed"
    return f"redirected to {place}, which is not followed"


def _retry_after(value: str) -> float | None:
    """Seconds to wait, from either form of the header; ``None`` for anything else."""
    value = value.strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone.utc)
        return max(0.0, moment.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
