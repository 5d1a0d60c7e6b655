"""The chat completions client against a real server on loopback."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.judges.conftest import Serve
from tests.judges.judge_server import (
    ECHO_KEY,
    ECHO_KEY_IN_REPLY,
    body,
    redirect,
    refuse,
    reply,
    status,
)
from voirdire.errors import JudgeCallError
from voirdire.judges.base import Ask, Judge
from voirdire.judges.spec import make_judge
from voirdire.reply import Usage
from voirdire.verdict import verdict_schema

KEY = "sk-test-0123456789abcdef"


def judge_at(url: str, **settings: Any) -> Judge:
    return make_judge(f"openai:qwen-2.5@{url}/v1", {"retries": 0, **settings})


def completion(**choice: Any) -> str:
    return json.dumps({"model": "m", "choices": [choice]})


def test_a_request_is_pinned_and_carries_prompt_turns_and_strict_schema(
    serve: Serve, ask: Ask
) -> None:
    server = serve(reply())
    turns = (
        {"role": "assistant", "content": "Sure!"},
        {"role": "user", "content": "JSON only."},
    )
    judge_at(server.url, seed=7).ask(ask._replace(turns=turns))

    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["Content-Type"] == "application/json"
    assert request.json == {
        "model": "qwen-2.5",
        "messages": [
            {"role": "system", "content": "You are a judge."},
            {"role": "user", "content": '{"answer": "5 days"}'},
            *turns,
        ],
        "temperature": 0,
        "seed": 7,
        "max_tokens": 2048,
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "verdict",
                "strict": True,
                "schema": {
                    "type": "object",
                    "properties": {
                        "critique": {"type": "string"},
                        "criteria": {
                            "type": "object",
                            "properties": {"grounded": {"type": "boolean"}},
                            "required": ["grounded"],
                            "additionalProperties": False,
                        },
                        "evidence": {"type": "array", "items": {"type": "string"}},
                        "verdict": {"type": "string", "enum": ["pass", "fail", "cannot_decide"]},
                        "confidence": {"type": "number"},
                    },
                    "required": ["critique", "criteria", "evidence", "verdict", "confidence"],
                    "additionalProperties": False,
                },
            },
        },
    }


def test_the_strict_schema_of_claims_keeps_null_and_drops_conditions(
    serve: Serve, ask: Ask
) -> None:
    server = serve(reply())
    judge_at(server.url).ask(ask._replace(schema=verdict_schema(()), rubric_criteria=()))

    schema = server.requests[0].json["response_format"]["json_schema"]["schema"]
    claim = schema["properties"]["claims"]["items"]
    assert set(claim) == {"type", "properties", "required", "additionalProperties"}
    assert claim["properties"]["source_quote"] == {"type": ["string", "null"]}
    assert claim["properties"]["status"]["enum"] == ["supported", "overstated", "unsupported"]


def test_a_criterion_named_like_a_keyword_stays_in_the_schema(serve: Serve, ask: Ask) -> None:
    server = serve(reply())
    names = ("minLength", "if", "required")
    judge_at(server.url).ask(ask._replace(schema=verdict_schema(names), rubric_criteria=names))

    schema = server.requests[0].json["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["criteria"]["required"] == list(names)
    assert set(schema["properties"]["criteria"]["properties"]) == set(names)


def test_a_reasoning_judge_gets_the_larger_budget_and_no_temperature(
    serve: Serve, ask: Ask
) -> None:
    server = serve(reply())
    got = judge_at(server.url, reasoning=True).ask(ask)

    sent = server.requests[0].json
    assert sent["max_completion_tokens"] == 16_000
    assert "max_tokens" not in sent
    assert "temperature" not in sent
    assert got.max_tokens == 16_000


def test_extra_fields_reach_the_body(serve: Serve, ask: Ask) -> None:
    server = serve(reply())
    extra = {"cache_prompt": False, "provider": {"order": ["x"]}}
    judge_at(server.url, extra=extra).ask(ask)

    sent = server.requests[0].json
    assert sent["cache_prompt"] is False
    assert sent["provider"] == {"order": ["x"]}


def test_lone_surrogates_in_the_answer_still_make_a_request(serve: Serve, ask: Ask) -> None:
    server = serve(reply())
    prompt = ask.prompt._replace(user="half a pair: \ud83d")
    judge_at(server.url).ask(ask._replace(prompt=prompt))

    assert server.requests[0].json["messages"][1]["content"] == "half a pair: \ud83d"


def test_a_normal_reply_is_taken_over_whole(serve: Serve, ask: Ask) -> None:
    server = serve(reply('{"verdict": "pass"}'))
    got = judge_at(server.url).ask(ask)

    assert got.text == '{"verdict": "pass"}'
    assert got.finish_reason == "stop"
    assert got.refusal is None
    assert got.reasoning is None
    assert got.usage == Usage(prompt=700, completion=100, reasoning=30)
    assert got.model == "qwen-2.5"
    assert got.max_tokens == 2048
    assert got.attempts == 1
    assert got.notes == ()
    assert got.latency_ms > 0
    assert not got.canned


def test_raw_is_the_body_as_it_was_received(serve: Serve, ask: Ask) -> None:
    text = '{ "choices":[{"message" : {"content":"h\\u00e9 — ü"}}] ,\n "extra": 1.50}\n'
    got = judge_at(serve(body(text)).url).ask(ask)

    assert got.raw == text
    assert got.text == "hé — ü"


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content"])
def test_reasoning_is_kept_apart_from_the_text(serve: Serve, ask: Ask, name: str) -> None:
    got = judge_at(serve(reply("{}", **{name: '{"verdict": "pass"}'})).url).ask(ask)

    assert got.text == "{}"
    assert got.reasoning == '{"verdict": "pass"}'


@pytest.mark.parametrize("reason", ["length", "content_filter", "tool_calls", "error"])
def test_the_finish_reason_is_passed_on_as_it_is(serve: Serve, ask: Ask, reason: str) -> None:
    assert judge_at(serve(reply("{", finish_reason=reason)).url).ask(ask).finish_reason == reason


def test_a_refusal_is_passed_on(serve: Serve, ask: Ask) -> None:
    got = judge_at(serve(reply(None, refusal="I cannot judge that.")).url).ask(ask)

    assert got.text is None
    assert got.refusal == "I cannot judge that."


def test_content_in_parts_is_joined(serve: Serve, ask: Ask) -> None:
    parts = [
        {"type": "text", "text": '{"verdict"'},
        {"type": "image_url", "image_url": {}},
        {"type": "text", "text": ': "pass"}'},
    ]
    assert judge_at(serve(reply(parts)).url).ask(ask).text == '{"verdict": "pass"}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<html>busy</html>", "not JSON"),
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no JSON object"),
        ("null", "no JSON object"),
        ("{}", "no choices"),
        ('{"choices": []}', "no choices"),
        ('{"choices": {"0": 1}}', "no choices"),
        ('{"choices": [null]}', "no message"),
        ('{"choices": [{"message": {"content": "{}"}}, {}]}', "2 choices"),
        (completion(message="pass"), "no message"),
        (completion(message={"content": 1}), "content is no text"),
        (completion(message={"content": {"verdict": "pass"}}), "content is no text"),
        (completion(message={"content": ["pass"]}), "no object"),
        (completion(message={"content": [{"type": "text", "text": 1}]}), "content is no text"),
        (completion(message={"content": "{}"}, finish_reason=1), "finish_reason is no text"),
        ('{"error": {"message": "No provider", "code": 502}}', "No provider"),
        ('{"error": "No provider", "choices": []}', "No provider"),
        ('{"error": {"metadata": {"raw": "upstream is full"}}}', "upstream is full"),
        (completion(message={"content": "{}"}, error={"message": "cut off"}), "cut off"),
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


@pytest.mark.parametrize(
    "usage",
    [None, [], "many", {"prompt_tokens": "7"}, {"prompt_tokens": -1}, {"prompt_tokens": True}],
)
def test_token_counts_of_the_wrong_type_are_unknown(serve: Serve, ask: Ask, usage: Any) -> None:
    got = judge_at(serve(reply("{}", usage=usage)).url).ask(ask)
    assert got.usage == Usage()


@pytest.mark.parametrize("refusal", [{"reason": "no"}, ["no"], 1])
def test_a_refusal_of_the_wrong_type_is_a_refusal(serve: Serve, ask: Ask, refusal: Any) -> None:
    assert judge_at(serve(reply("{}", refusal=refusal)).url).ask(ask).refusal == json.dumps(refusal)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (400, "This response_format type is unavailable now"),
        (404, "No endpoints found that support structured outputs"),
        (422, "json_schema: extra fields not permitted"),
        (500, 'response_format type must be one of "text" or "json_object"'),
    ],
)
def test_without_structured_output_the_judge_is_asked_again_once_and_it_is_noted(
    serve: Serve, ask: Ask, code: int, message: str
) -> None:
    server = serve(refuse("response_format", message, code))
    judge = judge_at(server.url, retries=4)
    first = judge.ask(ask)

    assert [("response_format" in request.json) for request in server.requests] == [True, False]
    assert first.attempts == 2
    assert first.notes == ("structured output refused, asked again without",)

    second = judge.ask(ask)
    assert len(server.requests) == 3
    assert second.notes == ("structured output left out: refused before",)


def test_what_one_model_refuses_is_offered_to_another(serve: Serve, ask: Ask) -> None:
    server = serve(refuse("response_format", "no json_schema here"))
    judge_at(server.url).ask(ask)
    make_judge(f"openai:other@{server.url}/v1").ask(ask)

    assert "response_format" in server.requests[2].json


def test_an_error_that_persists_without_structured_output_is_not_remembered(
    serve: Serve, ask: Ask
) -> None:
    server = serve(status(404, "no such model in the schema"))
    judge = judge_at(server.url)
    for _ in range(2):
        with pytest.raises(JudgeCallError):
            judge.ask(ask)

    assert [("response_format" in request.json) for request in server.requests] == [
        True,
        False,
        True,
        False,
    ]


def test_a_response_format_of_the_users_own_is_never_left_out(serve: Serve, ask: Ask) -> None:
    server = serve(refuse("response_format", "no response_format here"))
    judge = judge_at(server.url, extra={"response_format": {"type": "json_object"}})
    with pytest.raises(JudgeCallError):
        judge.ask(ask)

    assert [request.json["response_format"] for request in server.requests] == [
        {"type": "json_object"}
    ]


def test_a_model_that_only_takes_reasoning_parameters_is_explained(serve: Serve, ask: Ask) -> None:
    message = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    with pytest.raises(JudgeCallError, match="reasoning: true"):
        judge_at(serve(status(400, message)).url).ask(ask)


def test_a_reasoning_judge_is_not_told_to_be_one(serve: Serve, ask: Ask) -> None:
    with pytest.raises(JudgeCallError) as caught:
        judge_at(serve(status(400, "unsupported 'temperature'")).url, reasoning=True).ask(ask)

    assert "reasoning: true" not in caught.value.detail


def test_a_local_host_is_not_sent_the_key_of_another_service(
    serve: Serve, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server = serve(reply())
    judge_at(server.url).ask(ask)

    assert KEY not in str(server.requests[0].headers)


def test_a_named_key_is_sent_and_a_netrc_entry_does_not_replace_it(
    serve: Serve, ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password mine\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("MY_KEY", KEY + "\n")
    server = serve(reply())
    judge_at(server.url, api_key_env="MY_KEY").ask(ask)

    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"


def test_the_key_is_in_nothing_that_an_error_brings_back(
    serve: Serve, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with pytest.raises(JudgeCallError) as caught:
        judge_at(serve(ECHO_KEY).url, api_key_env="MY_KEY").ask(ask)

    assert "401" in caught.value.detail
    assert "MY_KEY" in caught.value.detail
    assert KEY not in caught.value.detail + caught.value.raw + repr(caught.value)
    assert "not a valid key" in caught.value.raw


def test_whatever_looks_like_a_key_is_hidden_in_an_error(serve: Serve, ask: Ask) -> None:
    text = (
        "Incorrect API key provided: sk-proj-ABCDEF***wxyz; 'Authorization': 'Basic dTpw',"
        ' "x-api-key": "other-key-of-mine"'
    )
    with pytest.raises(JudgeCallError) as caught:
        judge_at(serve(status(401, text)).url).ask(ask)

    for secret in ("ABCDEF", "dTpw", "other-key-of-mine"):
        assert secret not in caught.value.detail + caught.value.raw


def test_the_key_is_in_nothing_that_a_reply_brings_back(
    serve: Serve, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    judge = judge_at(serve(ECHO_KEY_IN_REPLY).url, api_key_env="MY_KEY")
    got = judge.ask(ask)

    assert got.text == "you sent Bearer [hidden]"
    assert KEY not in repr(got) + repr(judge.identity) + judge.spec + repr(vars(judge))


def test_a_key_behind_json_escapes_is_hidden_too(
    serve: Serve, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
    text = (
        f'{{"choices": [{{"message": {{"content": "{escaped}"}}, "finish_reason": "{escaped}"}}]}}'
    )
    got = judge_at(serve(body(text)).url, api_key_env="MY_KEY").ask(ask)

    assert got.text == got.finish_reason == "[hidden]"
    assert escaped not in got.raw


def test_the_key_is_not_in_the_place_of_a_redirection(
    serve: Serve, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    server = serve(redirect(f"http://elsewhere.example/{KEY}"))
    with pytest.raises(JudgeCallError, match="redirected to http") as caught:
        judge_at(server.url, api_key_env="MY_KEY").ask(ask)
    assert KEY not in caught.value.detail


def test_an_answer_about_authorisation_headers_reaches_the_reading_untouched(
    serve: Serve, ask: Ask
) -> None:
    said = 'Send "Authorization: Bearer sk-your-key-here" with each call.'
    assert judge_at(serve(reply(said)).url).ask(ask).text == said


def test_user_and_query_of_a_base_url_are_used_but_never_shown(serve: Serve, ask: Ask) -> None:
    server = serve(status(400, "asked with hunter2-long and 2024-long-version"))
    place = server.url.replace("http://", "http://me:hunter2-long@")
    judge = make_judge(f"openai:m@{place}/v1?api-version=2024-long-version")
    with pytest.raises(JudgeCallError) as caught:
        judge.ask(ask)

    (request,) = server.requests
    assert request.path == "/v1/chat/completions?api-version=2024-long-version"
    assert request.headers["Authorization"].startswith("Basic ")
    shown = f"{judge.spec}{judge.identity}{caught.value}{caught.value.raw}{vars(judge)}"
    assert judge.spec == f"openai:m@{server.url}/v1"
    assert "hunter2" not in shown
    assert "2024" not in shown
