"""The Messages client against a real server on loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.judges.conftest import Serve
from tests.judges.judge_server import ECHO_KEY, body, refuse, reply, status
from voirdire.errors import ConfigError, JudgeCallError
from voirdire.judges.base import Ask, Judge
from voirdire.judges.spec import make_judge
from voirdire.reply import Usage

KEY = "sk-ant-test-0123456789abcdef"


def judge_at(url: str, **settings: Any) -> Judge:
    return make_judge(f"anthropic:claude-sonnet-5@{url}", {"retries": 0, **settings})


@pytest.mark.parametrize("suffix", ["", "/", "/v1", "/v1/"])
def test_a_base_url_is_written_with_v1_or_without(serve: Serve, ask: Ask, suffix: str) -> None:
    server = serve(reply())
    judge_at(server.url + suffix).ask(ask)

    assert server.requests[0].path == "/v1/messages"


def test_a_request_carries_the_system_apart_and_the_schema(
    serve: Serve, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    server = serve(reply())
    turns = (
        {"role": "assistant", "content": "Sure!"},
        {"role": "user", "content": "JSON only."},
    )
    judge_at(server.url, api_key_env="MY_KEY").ask(ask._replace(turns=turns))

    (request,) = server.requests
    sent = request.json
    form = sent.pop("output_config")
    assert sent == {
        "model": "claude-sonnet-5",
        "max_tokens": 2048,
        "system": "You are a judge.",
        "messages": [{"role": "user", "content": '{"answer": "5 days"}'}, *turns],
        "temperature": 0,
    }
    assert set(form) == {"format"}
    assert form["format"]["type"] == "json_schema"
    assert form["format"]["schema"]["additionalProperties"] is False
    assert form["format"]["schema"]["properties"]["confidence"] == {"type": "number"}
    headers = {name.lower(): value for name, value in request.headers.items()}
    assert headers["x-api-key"] == KEY
    assert headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in headers


def test_a_reply_is_taken_over_whole(serve: Serve, ask: Ask) -> None:
    got = judge_at(serve(reply('{"verdict": "pass"}', reasoning="hm")).url).ask(ask)

    assert got.text == '{"verdict": "pass"}'
    assert got.finish_reason == "end_turn"
    assert got.reasoning == "hm"
    assert got.usage == Usage(prompt=700, completion=100)
    assert got.model == "claude-sonnet-5"
    assert got.attempts == 1
    assert json.loads(got.raw)["id"] == "msg_1"


@pytest.mark.parametrize("reason", ["max_tokens", "refusal", "stop_sequence", "tool_use"])
def test_the_stop_reason_is_passed_on_as_it_is(serve: Serve, ask: Ask, reason: str) -> None:
    assert judge_at(serve(reply("{", finish_reason=reason)).url).ask(ask).finish_reason == reason


def test_text_blocks_are_joined_and_thinking_stays_out_of_them(serve: Serve, ask: Ask) -> None:
    content = [
        {"type": "thinking", "thinking": '{"verdict": "pass"}', "signature": "x"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": '{"verdict"'},
        {"type": "text", "text": ': "fail"}'},
    ]
    got = judge_at(serve(body(json.dumps({"content": content}))).url).ask(ask)

    assert got.text == '{"verdict": "fail"}'
    assert got.reasoning == '{"verdict": "pass"}'


def test_a_reply_of_thinking_alone_has_no_text(serve: Serve, ask: Ask) -> None:
    got = judge_at(serve(reply(None, reasoning="hm", finish_reason="max_tokens")).url).ask(ask)

    assert got.text is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<html>busy</html>", "not JSON"),
        ("{}", "no content"),
        ('{"content": "pass"}', "no content"),
        ('{"content": ["pass"]}', "no object"),
        ('{"content": [{"type": "text", "text": 1}]}', "text block is no text"),
        ('{"content": [{"type": "thinking", "thinking": []}]}', "thinking block is no text"),
        ('{"content": [], "stop_reason": 1}', "stop_reason is no text"),
        ('{"type": "error", "error": {"message": "Overloaded"}}', "Overloaded"),
    ],
)
def test_a_paid_reply_of_the_wrong_shape_is_kept_and_not_asked_again(
    serve: Serve, ask: Ask, text: str, said: str
) -> None:
    server = serve(body(text))
    with pytest.raises(JudgeCallError) as caught:
        judge_at(server.url, retries=4).ask(ask)

    assert caught.value.kind == "unreachable"
    assert said in caught.value.detail
    assert caught.value.raw == text
    assert len(server.requests) == 1


def test_a_model_that_takes_no_temperature_is_asked_again_without(serve: Serve, ask: Ask) -> None:
    server = serve(refuse("temperature", "`temperature` is deprecated for this model."))
    judge = judge_at(server.url)
    first = judge.ask(ask)

    assert [("temperature" in request.json) for request in server.requests] == [True, False]
    assert "output_config" in server.requests[1].json
    assert first.notes == ("temperature refused, asked again without",)
    assert judge.ask(ask).notes == ("temperature left out: refused before",)


def test_a_server_without_structured_output_is_asked_again_without(serve: Serve, ask: Ask) -> None:
    server = serve(refuse("output_config", "output_config: Extra inputs are not permitted"))
    got = judge_at(server.url).ask(ask)

    assert [("output_config" in request.json) for request in server.requests] == [True, False]
    assert "temperature" in server.requests[1].json
    assert got.notes == ("structured output refused, asked again without",)


def test_a_server_that_refuses_both_is_asked_without_either(serve: Serve, ask: Ask) -> None:
    server = serve(
        status(400, "temperature is deprecated"),
        status(400, "output_config: Extra inputs are not permitted"),
        reply(),
    )
    got = judge_at(server.url).ask(ask)

    assert set(server.requests[2].json) == {"model", "max_tokens", "system", "messages"}
    assert got.attempts == 3
    assert len(got.notes) == 2


def test_a_seed_is_not_sent_and_that_is_noted(serve: Serve, ask: Ask) -> None:
    server = serve(reply())
    judge = judge_at(server.url, seed=7)
    got = judge.ask(ask)

    assert "seed" not in server.requests[0].json
    assert "seed" not in judge.identity
    assert got.notes == ("seed not sent: the API takes none",)


def test_an_overloaded_api_is_asked_again(serve: Serve, ask: Ask) -> None:
    server = serve(status(529, "Overloaded", Retry_After="0"), reply())
    assert judge_at(server.url, retries=1).ask(ask).attempts == 2


def test_a_temperature_above_one_is_a_configuration_error() -> None:
    with pytest.raises(ConfigError, match="from 0 to 1"):
        make_judge("anthropic:claude-sonnet-5", {"temperature": 1.5})


def test_the_key_is_in_nothing_that_an_error_brings_back(
    serve: Serve, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with pytest.raises(JudgeCallError) as caught:
        judge_at(serve(ECHO_KEY).url, api_key_env="MY_KEY").ask(ask)

    assert KEY not in caught.value.detail + caught.value.raw
