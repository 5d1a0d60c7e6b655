"""Retries, time-outs and budgets against a real server on loopback."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any

import pytest

from tests.judges.conftest import Serve
from tests.judges.judge_server import (
    DRIP,
    DRIP_HEADERS,
    HANG,
    HUGE,
    RESET,
    RESET_CHUNKED,
    Step,
    body,
    redirect,
    reply,
    status,
)
from voirdire.errors import JudgeCallError
from voirdire.judges.base import Ask
from voirdire.judges.endpoint import Endpoint, Secrets
from voirdire.judges.http import Budget, Caller, post_json
from voirdire.judges.openai import OPENAI, OpenAIJudge
from voirdire.judges.settings import read_settings
from voirdire.judges.slots import slot

# Far beyond what any of these takes, far below the 30 seconds of a hanging step.
SOON_S = 10


@dataclass
class Pauses:
    """Stands in for ``time.sleep``: takes note and does not wait."""

    seconds: list[float] = field(default_factory=list)

    def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


def judge_at(url: str, sleep: Callable[[float], None], **settings: Any) -> OpenAIJudge:
    return OpenAIJudge(OPENAI, "m", f"{url}/v1", read_settings(settings), sleep)


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 504, 529])
def test_a_passing_failure_is_retried_until_the_reply_comes(
    serve: Serve, ask: Ask, code: int
) -> None:
    server = serve(status(code), status(code), reply("{}"))
    got = judge_at(server.url, Pauses()).ask(ask)

    assert got.text == "{}"
    assert got.attempts == 3


@pytest.mark.parametrize("step", [RESET, RESET_CHUNKED])
def test_a_connection_that_breaks_in_mid_body_is_retried(
    serve: Serve, ask: Ask, step: Step
) -> None:
    got = judge_at(serve(step, reply("{}")).url, Pauses()).ask(ask)

    assert got.text == "{}"
    assert got.attempts == 2
    (broken,) = got.failed
    assert broken["raw"].startswith('{"choices": [')
    assert broken["cause"] == "the connection broke in mid-reply"


def test_every_body_that_came_is_kept_whatever_came_of_the_question(serve: Serve, ask: Ask) -> None:
    steps = (status(500, "one"), status(429, "two", Retry_After="0"))
    got = judge_at(serve(*steps, reply("{}")).url, Pauses()).ask(ask)
    assert [failed["status"] for failed in got.failed] == [500, 429]
    assert "one" in got.failed[0]["raw"]
    assert "two" in got.failed[1]["raw"]

    for last in (status(400, "three"), body("three")):
        with pytest.raises(JudgeCallError) as caught:
            judge_at(serve(*steps, last).url, Pauses()).ask(ask)
        bodies = [*(failed["raw"] for failed in caught.value.failed), caught.value.raw]
        assert len(bodies) == 3
        for word, kept in zip(("one", "two", "three"), bodies, strict=True):
            assert word in kept


def test_what_came_of_a_slow_reply_is_kept(serve: Serve, ask: Ask) -> None:
    judge = judge_at(serve(DRIP).url, Pauses(), timeout_s=1, retries=0)
    with pytest.raises(JudgeCallError, match="no whole reply within 1 s") as caught:
        judge.ask(ask)
    assert caught.value.raw.startswith('{"choices": [')


@pytest.mark.parametrize("step", [HANG, DRIP, DRIP_HEADERS])
def test_a_call_is_cut_as_a_whole_whatever_the_server_does(
    serve: Serve, ask: Ask, step: Step
) -> None:
    server = serve(step)
    started = time.monotonic()
    with pytest.raises(JudgeCallError) as caught:
        judge_at(server.url, Pauses(), timeout_s=0.2, retries=1).ask(ask)

    assert time.monotonic() - started < SOON_S
    assert caught.value.kind == "unreachable"
    assert "after 2 attempts: no whole reply within 0.2 s" in caught.value.detail


def test_a_late_reply_is_retried(serve: Serve, ask: Ask) -> None:
    got = judge_at(serve(HANG, reply("{}")).url, Pauses(), timeout_s=0.3).ask(ask)

    assert got.attempts == 2


def test_a_failure_that_stays_is_unreachable_with_attempts_cause_and_last_body(
    serve: Serve, ask: Ask
) -> None:
    server = serve(status(500, "first"), status(503, "the model is loading"))
    with pytest.raises(JudgeCallError) as caught:
        judge_at(server.url, Pauses(), retries=2).ask(ask)

    error = caught.value
    assert error.kind == "unreachable"
    assert error.status == 503
    assert error.detail == (
        f"no reply from {server.url} after 3 attempts: HTTP 503: the model is loading"
    )
    assert '"the model is loading"' in error.raw
    assert len(server.requests) == 3


def test_the_last_body_is_kept_when_the_last_attempt_brought_none(serve: Serve, ask: Ask) -> None:
    server = serve(status(500, "out of memory"), HANG)
    with pytest.raises(JudgeCallError) as caught:
        judge_at(server.url, Pauses(), retries=1, timeout_s=0.5).ask(ask)

    assert "no whole reply within 0.5 s" in caught.value.detail
    assert "out of memory" in caught.value.raw


@pytest.mark.parametrize("code", [400, 401, 402, 403, 404, 413])
def test_a_request_that_is_refused_is_not_repeated(serve: Serve, ask: Ask, code: int) -> None:
    server = serve(status(code, "no credit " * 100))
    with pytest.raises(JudgeCallError) as caught:
        judge_at(server.url, Pauses()).ask(ask)

    assert caught.value.kind == "unreachable"
    assert caught.value.status == code
    assert f"HTTP {code}: no credit" in caught.value.detail
    assert len(caught.value.detail) < 500
    assert len(server.requests) == 1


def test_pauses_grow_up_to_a_bound_with_full_jitter(serve: Serve) -> None:
    pauses = Pauses()
    with pytest.raises(JudgeCallError):
        post(serve(status(500)).url, pauses, retries=6, draw=lambda: 1.0)
    assert pauses.seconds == [0.5, 1, 2, 4, 8, 8]

    pauses = Pauses()
    with pytest.raises(JudgeCallError):
        post(serve(status(500)).url, pauses, retries=6, draw=lambda: 0.0)
    assert pauses.seconds == [0] * 6


def post(url: str, sleep: Callable[[float], None], draw: Callable[[], float], retries: int) -> None:
    settings = read_settings({"retries": retries})
    caller = Caller(Endpoint.parse(url), {}, {}, "", Secrets([]), settings)
    budget = Budget(settings.budget_s, settings.retries)
    post_json(caller, "/v1", {"model": "m"}, budget, sleep=sleep, draw=draw)


def test_retry_after_in_seconds_is_waited_for(serve: Serve, ask: Ask) -> None:
    pauses = Pauses()
    judge_at(serve(status(429, Retry_After="17"), reply()).url, pauses).ask(ask)

    assert pauses.seconds == [17]


def test_retry_after_as_a_date_is_waited_for(serve: Serve, ask: Ask) -> None:
    pauses = Pauses()
    date = formatdate(time.time() + 40, usegmt=True)
    judge_at(serve(status(503, Retry_After=date), reply()).url, pauses).ask(ask)

    assert 30 < pauses.seconds[0] <= 40


@pytest.mark.parametrize("value", ["soon", "-5", "1e9", "nan", "", "Mon, 99 Foo 2026", "0"])
def test_a_retry_after_that_says_nothing_leaves_the_usual_pause(
    serve: Serve, ask: Ask, value: str
) -> None:
    pauses = Pauses()
    judge_at(serve(status(429, Retry_After=value), reply()).url, pauses).ask(ask)

    assert pauses.seconds[0] <= 0.5


def test_a_retry_after_beyond_the_budget_ends_the_question_at_once(serve: Serve, ask: Ask) -> None:
    server = serve(status(429, "slow down", Retry_After="3600"))
    pauses = Pauses()
    with pytest.raises(JudgeCallError) as caught:
        judge_at(server.url, pauses).ask(ask)

    assert caught.value.kind == "unreachable"
    assert "slow down" in caught.value.detail
    assert "3600 s, is beyond the budget of 180 s" in caught.value.detail
    assert pauses.seconds == []


def test_the_budget_bounds_all_attempts_together(serve: Serve, ask: Ask) -> None:
    server = serve(HANG)
    started = time.monotonic()
    with pytest.raises(JudgeCallError) as caught:
        judge_at(server.url, time.sleep, timeout_s=60, budget_s=0.4, retries=20).ask(ask)

    assert time.monotonic() - started < SOON_S
    assert caught.value.kind == "unreachable"


def test_a_question_that_never_got_a_slot_has_spent_its_budget(serve: Serve, ask: Ask) -> None:
    server = serve(reply())
    with slot(server.url, 1, 1), pytest.raises(JudgeCallError) as caught:
        judge_at(server.url, Pauses(), in_flight=1, budget_s=0.1).ask(ask)

    assert caught.value.kind == "budget"
    assert "all 1 calls in flight were taken" in caught.value.detail
    assert server.requests == []


def test_a_slot_is_free_while_an_attempt_waits_for_the_next(serve: Serve, ask: Ask) -> None:
    server = serve(status(500), reply())
    taken = []

    def take(seconds: float) -> None:
        with slot(server.url, 1, 0):
            taken.append(seconds)

    judge_at(server.url, take, in_flight=1).ask(ask)
    assert len(taken) == 1


def test_a_reply_beyond_the_bound_is_not_read_to_its_end(serve: Serve, ask: Ask) -> None:
    server = serve(HUGE)
    with pytest.raises(JudgeCallError, match="larger than 16 MB") as caught:
        judge_at(server.url, Pauses()).ask(ask)

    assert len(server.requests) == 1
    assert caught.value.raw == " " * 2**20


def test_a_redirection_is_reported_and_not_followed(serve: Serve, ask: Ask) -> None:
    other = serve(reply())
    server = serve(redirect(f"{other.url}/v1/chat/completions?token=abc"))
    with pytest.raises(JudgeCallError) as caught:
        judge_at(server.url, Pauses()).ask(ask)

    assert f"HTTP 307: redirected to {other.url}/v1/chat/completions, which" in caught.value.detail
    assert "abc" not in caught.value.detail
    assert other.requests == []
    assert len(server.requests) == 1


@pytest.mark.parametrize("place", ["/v2/chat", "http://[bad", ""])
def test_a_redirection_to_no_other_host_is_reported_too(serve: Serve, ask: Ask, place: str) -> None:
    with pytest.raises(JudgeCallError, match="HTTP 307: redirected, which is not followed"):
        judge_at(serve(redirect(place)).url, Pauses()).ask(ask)


def test_a_host_that_is_not_there_is_named_after_the_retries(ask: Ask) -> None:
    with pytest.raises(JudgeCallError) as caught:
        judge_at("http://127.0.0.1:9", Pauses(), retries=2).ask(ask)

    assert caught.value.detail == (
        "no reply from http://127.0.0.1:9 after 3 attempts: connection refused"
    )


def test_an_error_shows_no_cause_with_the_url_in_it(ask: Ask) -> None:
    with pytest.raises(JudgeCallError) as caught:
        judge_at("http://127.0.0.1:9", Pauses(), retries=0).ask(ask)

    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_a_server_that_speaks_no_http_is_unreachable(ask: Ask) -> None:
    import socket
    import threading

    listener = socket.create_server(("127.0.0.1", 0))

    def speak() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"220 mail.example ESMTP\r\n")

    threading.Thread(target=speak, daemon=True).start()
    port = listener.getsockname()[1]
    with listener, pytest.raises(JudgeCallError, match="the connection broke"):
        judge_at(f"http://127.0.0.1:{port}", Pauses(), retries=0).ask(ask)


def test_compression_is_not_asked_for_and_no_cookie_comes_back(serve: Serve, ask: Ask) -> None:
    server = serve(status(500, Set_Cookie="session=1"), reply())
    judge_at(server.url, Pauses()).ask(ask)

    assert server.requests[0].headers["Accept-Encoding"] == "identity"
    assert "Cookie" not in server.requests[1].headers
