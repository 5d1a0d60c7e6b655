"""POST a JSON body and bring back the answer, or say why there is none.

Imports ``requests``, which is slow to load; the clients import this when they first ask.
"""

from __future__ import annotations

import functools
import json
import queue
import random
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.cookiejar import DefaultCookiePolicy
from typing import Any

import requests
from urllib3.exceptions import HTTPError

from voirdire.errors import JudgeCallError
from voirdire.judges.endpoint import Endpoint, Secrets
from voirdire.judges.failure import Failure, failed_call, failed_status
from voirdire.judges.settings import JudgeSettings
from voirdire.judges.slots import NoSlotError, slot

MAX_BODY_BYTES = 16 * 2**20

_KEPT_OF_BROKEN = 2**20  # characters of a body that broke off, or never ended
# Read in small pieces: what came of a reply that broke off was paid for, and is kept.
_PIECE_BYTES = 64
_FIRST_PAUSE_S = 0.5
_LONGEST_PAUSE_S = 8.0


@dataclass
class Budget:
    """What one question may still use, over all the requests made for it.

    Attributes:
        seconds: time in all.
        retries: further attempts that are left after failed ones.
        attempts: requests made so far.
        failed: those that brought no answer.
        clock: seconds that only go forward.
    """

    seconds: float
    retries: int
    attempts: int = 0
    failed: list[Failure] = field(default_factory=list)
    clock: Callable[[], float] = time.monotonic
    _end: float = field(init=False)

    def __post_init__(self) -> None:
        self._end = self.clock() + self.seconds

    @property
    def left_s(self) -> float:
        """Seconds that are left; never negative."""
        return max(0.0, self._end - self.clock())


@dataclass(frozen=True)
class Caller:
    """Who asks whom, and how the asking is signed.

    Attributes:
        endpoint: the API.
        headers: headers that hold no secret.
        signature: headers that hold the key; empty where there is none.
        key_name: the environment variable of the key, for advice; empty where there is none.
        secrets: what is taken out of everything that comes back.
        settings: time-outs, retries and calls in flight.
    """

    endpoint: Endpoint
    headers: Mapping[str, str]
    signature: Mapping[str, str] = field(repr=False)
    key_name: str
    secrets: Secrets
    settings: JudgeSettings


@dataclass(frozen=True)
class Answer:
    """The body of a successful call (secrets taken out), and its wall time in ms."""

    body: str
    latency_ms: float


class _TooLargeError(Exception):
    pass


def post_json(
    caller: Caller,
    path: str,
    payload: Mapping[str, Any],
    budget: Budget,
    *,
    is_lasting: Callable[[int, str], bool] = lambda status, body: False,
    sleep: Callable[[float], None] = time.sleep,
    draw: Callable[[], float] = random.random,
) -> Answer:
    """POST ``payload`` until it is answered, retrying what may pass by itself.

    Args:
        path: appended to the endpoint's base URL.
        budget: shared by all the requests of one question; its attempts are counted up.
        is_lasting: of a status and a body, whether trying again is useless although the
            status says otherwise.
        draw: a number from 0 to 1, the jitter of the pauses.

    Raises:
        JudgeCallError: ``unreachable`` (no answer: the detail names the attempts and the
            last cause), ``budget`` (the time ended before the first request).
    """
    data = json.dumps(payload).encode("ascii")
    settings = caller.settings
    last: Failure | None = None
    last_body = ""
    while True:
        try:
            with slot(caller.endpoint.host, settings.in_flight, budget.left_s):
                seconds = min(settings.timeout_s, budget.left_s)
                if seconds <= 0:
                    raise NoSlotError
                budget.attempts += 1
                outcome = _attempt(caller, path, data, seconds)
        except NoSlotError:
            if last is None and budget.attempts == 0:
                raise JudgeCallError(
                    "budget",
                    f"the budget of {settings.budget_s:g} s ended before"
                    f" {caller.endpoint.host} could be asked: all {settings.in_flight} calls"
                    " in flight were taken",
                ) from None
            outcome = last or Failure("the budget ended", passing=False)
            raise _unreachable(caller, outcome, last_body, budget, "the budget ended") from None
        if isinstance(outcome, Answer):
            return outcome
        budget.failed.append(outcome)
        last, last_body = outcome, outcome.body or last_body
        if not outcome.passing or is_lasting(outcome.status or 0, outcome.body):
            raise _unreachable(caller, outcome, last_body, budget)
        if budget.retries <= 0:
            raise _unreachable(caller, outcome, last_body, budget)
        budget.retries -= 1
        pause_s = _pause(settings.retries - budget.retries - 1, outcome.retry_after_s, draw)
        if pause_s >= budget.left_s:
            raise _unreachable(
                caller,
                outcome,
                last_body,
                budget,
                f"the next attempt, in {pause_s:.0f} s, is beyond the budget of"
                f" {settings.budget_s:g} s",
            )
        sleep(pause_s)


def _pause(failures: int, retry_after_s: float | None, draw: Callable[[], float]) -> float:
    """Exponential with full jitter; what the server asks for is a floor, not a suggestion."""
    longest = min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0**failures)
    return max(retry_after_s or 0.0, draw() * longest)


def _unreachable(
    caller: Caller, failure: Failure, body: str, budget: Budget, end: str = ""
) -> JudgeCallError:
    times = "1 attempt" if budget.attempts == 1 else f"{budget.attempts} attempts"
    detail = f"no reply from {caller.endpoint.host} after {times}: {failure.cause}"
    if failure.status in (401, 403) and caller.key_name:
        detail += f" (check {caller.key_name})"
    if end and end != failure.cause:
        detail += f"; {end}"
    earlier = [failed.record for failed in budget.failed[:-1]]
    return JudgeCallError("unreachable", detail, body, failure.status, earlier)


def _attempt(caller: Caller, path: str, data: bytes, seconds: float) -> Answer | Failure:
    started = time.monotonic()
    pieces: list[bytes] = []

    def received() -> str:
        return b"".join(pieces).decode("utf-8", "replace")

    def broken() -> str:
        return caller.secrets.scrub_cut(received()[:_KEPT_OF_BROKEN])

    try:
        response = _bounded(lambda: _exchange(caller, path, data, seconds, pieces), seconds)
    except _TooLargeError:
        cause = f"the reply is larger than {MAX_BODY_BYTES // 2**20} MB"
        return Failure(cause, passing=False, body=broken())
    except (requests.RequestException, HTTPError, OSError, ValueError) as error:
        return replace(failed_call(error, seconds), body=broken())
    latency_ms = (time.monotonic() - started) * 1000
    text = received()
    if 200 <= response.status_code < 300:
        return Answer(caller.secrets.scrub(text), latency_ms)
    failure = failed_status(response, caller.secrets.scrub_error(text))
    # A redirection's place stands in no body.
    return replace(failure, cause=caller.secrets.scrub_error(failure.cause))


def _exchange(
    caller: Caller, path: str, data: bytes, seconds: float, pieces: list[bytes]
) -> requests.Response:
    """Send the request; the body goes into ``pieces`` as it comes."""
    with _session().post(
        caller.endpoint.url(path),
        data=data,
        headers=dict(caller.headers),
        auth=_sign(caller.signature),
        timeout=seconds,
        stream=True,
    ) as response:
        size = 0
        for piece in response.iter_content(_PIECE_BYTES):
            size += len(piece)
            if size > MAX_BODY_BYTES:
                raise _TooLargeError
            pieces.append(piece)
        return response


def _sign(
    signature: Mapping[str, str],
) -> Callable[[requests.PreparedRequest], requests.PreparedRequest] | None:
    """The key as ``requests``' auth: a ``.netrc`` entry would replace a plain header."""
    if not signature:
        return None

    def sign(request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers.update(signature)
        return request

    return sign


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """None, ever: even unfollowed, ``requests`` reads a redirection's body without bound."""
        return None


@functools.cache
def _session() -> requests.Session:
    """One session a process: a worker that judges all day keeps its connections open."""
    session = _Session()
    session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    # Compression would hide a body's size until it is unpacked, and replies are small.
    session.headers["Accept-Encoding"] = "identity"
    return session


def _bounded(work: Callable[[], requests.Response], seconds: float) -> requests.Response:
    """Do ``work`` in at most ``seconds``, whatever the server does.

    A time-out of ``requests`` bounds one read of a socket: a server that sends a byte a
    second is never late. The thread of an abandoned call ends with its connection.
    """
    results: queue.SimpleQueue[requests.Response | BaseException] = queue.SimpleQueue()

    def run() -> None:
        try:
            results.put(work())
        except BaseException as error:
            results.put(error)

    threading.Thread(target=run, name="voirdire-call", daemon=True).start()
    try:
        result = results.get(timeout=seconds)
    except queue.Empty:
        raise requests.Timeout from None
    if isinstance(result, BaseException):
        raise result
    return result
