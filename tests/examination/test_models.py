"""What only a model behind an API can be asked: budgets, form, versions, price and time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.examination.conftest import BATTERY, Examine, Scripted, passing
from tests.judges.judge_server import Step, reply, status
from voirdire.cache.local import SqliteStore
from voirdire.cache.recall import Memory
from voirdire.examination.card import NOT_EXAMINED, card
from voirdire.journal import entries

PRICES = {"input": 1, "output": 10}


def test_a_judge_is_heard_at_three_budgets_and_told_which_is_enough(examined: Examine) -> None:
    def say(sent: Mapping[str, Any]) -> Step:
        spent = {"prompt_tokens": 700, "completion_tokens": 900}
        if sent["max_tokens"] < 1000:
            return reply('{"critique": "On and', finish_reason="length", usage=spent)
        return {**passing(sent), "usage": spent}

    with Scripted(say) as server:
        mute = examined(server.spec, "voice", settings={"max_tokens": 500})["voice"]
        assert {request.json["max_tokens"] for request in server.requests} == {500, 256, 1024, 4096}
        speaks = examined(server.spec, "voice")["voice"]
    assert (mute.result, speaks.result) == ("fail", "pass")
    assert mute.answered == (
        "12 of 12 replies are silent or cut off at its own budget, 4 of 4 at 256 tokens,"
        " 0 of 4 at 1,024 tokens, 0 of 4 at 4,096 tokens"
    )
    assert mute.advice == "set max_tokens to 1024 or more: it speaks there"
    assert mute.figures["budgets"]["256"]["kinds"] == {"truncated": 4}
    assert speaks.figures["visible_tokens"] == 900
    assert speaks.figures["share_of_budget"] == round(900 / 2048, 3)


def test_reasoning_tokens_are_told_from_visible_ones(examined: Examine) -> None:
    with Scripted(passing) as server:
        found = examined(server.spec, "voice")["voice"].figures
    assert (found["visible_tokens"], found["reasoning_tokens"]) == (70, 30)


def test_the_form_is_tried_without_structured_output_too(examined: Examine) -> None:
    def say(sent: Mapping[str, Any]) -> Step:
        bound = sent["response_format"]["type"] == "json_schema"
        return passing(sent) if bound else reply("It is a pass, I think.")

    with Scripted(say) as server:
        found = examined(server.spec, "form")["form"]
    assert found.result == "pass"
    assert found.figures["without_structured_output"]["kinds"] == {"prose": 4}


def test_a_verdict_that_disagrees_with_itself_is_a_fault_of_form(examined: Examine) -> None:
    def say(sent: Mapping[str, Any]) -> Step:
        body = {**json.loads(passing(sent)["text"]), "verdict": "fail"}
        return reply(json.dumps(body))

    with Scripted(say) as server:
        found = examined(server.spec, "form")["form"]
    assert (found.result, found.figures["kinds"]) == ("fail", {"contradiction": 12})


def test_a_reply_mended_when_asked_again_is_counted(examined: Examine) -> None:
    def say(sent: Mapping[str, Any]) -> Step:
        return passing(sent) if len(sent["messages"]) > 2 else reply("Let me see.")

    with Scripted(say) as server:
        found = examined(server.spec, "form")["form"]
    assert (found.result, found.figures["mended_when_asked_again"]) == ("pass", 12)


@pytest.mark.parametrize(
    ("fields", "result", "answered"),
    [
        ({}, "pass", "whether the model under test is of another family is not known"),
        ({"tested": ("gpt-4.1",)}, "pass", "one fixed name of a model"),
        ({"tested": ("openai:gpt-4.1", "ollama:qwen3:8b")}, "fail", "both of the family qwen"),
    ],
)
def test_a_judge_of_the_family_that_it_judges_fails(
    examined: Examine, fields: dict[str, Any], result: str, answered: str
) -> None:
    with Scripted(passing) as server:
        found = examined(server.spec.replace("small-1", "qwen3-4b"), "pinned", **fields)["pinned"]
    assert found.result == result
    assert answered in found.answered


def test_the_family_of_whoever_wrote_the_answers_counts(examined: Examine) -> None:
    cases = tuple(one._replace(model="qwen3:8b") for one in BATTERY.cases)
    with Scripted(passing) as server:
        spec = server.spec.replace("small-1", "qwen3-4b")
        found = examined(spec, "pinned", battery=BATTERY._replace(cases=cases))["pinned"]
    assert found.result == "fail"


def test_a_model_without_a_fixed_version_fails(examined: Examine) -> None:
    with Scripted(passing) as server:
        spec = server.spec.replace("small-1", "small-latest")
        found = examined(spec, "pinned", settings={"allow_floating": True})["pinned"]
    assert (found.result, found.figures["floating"]) == ("fail", True)


def test_two_models_behind_one_name_fail(examined: Examine) -> None:
    names = iter(["one", "two"] * 100)

    def say(sent: Mapping[str, Any]) -> Step:
        text = passing(sent)["text"]
        choice = {"message": {"content": text}, "finish_reason": "stop"}
        body = {"model": next(names), "choices": [choice]}
        return {"kind": "body", "text": json.dumps(body)}

    with Scripted(say) as server:
        found = examined(server.spec, "pinned")["pinned"]
    assert (found.result, found.figures["models_that_answered"]) == ("fail", ["one", "two"])


def test_cost_and_time_are_measured_and_held_against_limits(examined: Examine) -> None:
    settings = {"prices": PRICES}
    with Scripted(passing) as server:
        found = examined(server.spec, "cost", settings=settings)["cost"]
        assert found.result == "pass"
        # 200 times 700 prompt tokens at $1 and 100 completion tokens at $10 a million.
        assert found.figures["cost_of_200"] == pytest.approx(0.34)
        assert found.figures["calls"] == 12
        dear = examined(server.spec, "cost", settings=settings, most_cost=0.3)["cost"]
        slow = examined(server.spec, "cost", settings=settings, most_seconds=1e-9)["cost"]
        unpriced = examined(server.spec, "cost", most_cost=0.3)["cost"]
    assert (dear.result, slow.result, unpriced.result) == ("fail", "fail", "not shown")
    assert "the limit is $0.3" in dear.answered


def test_a_judge_that_cannot_be_reached_fails_nothing_and_is_not_examined(
    examined: Examine,
) -> None:
    with Scripted(lambda _: status(503)) as server:
        found = examined(server.spec, settings={"retries": 0})
    assert {one.result for one in found.values()} == {"not shown"}
    assert "12 of 12 calls without a reply (unreachable 12)" in found["voice"].answered
    assert card(list(found.values()))["verdict"] == NOT_EXAMINED


@pytest.mark.parametrize("limit", [2, 7, 40, 90])
def test_a_limit_on_calls_holds_and_is_shared_out(
    examined: Examine, tmp_path: Path, limit: int
) -> None:
    told = []
    with Scripted(passing) as server:
        found = examined(
            server.spec, max_calls=limit, tell=lambda name, asked: told.append((name, asked))
        )
        assert len(server.requests) <= limit
    assert max(asked.calls for _, asked in told) == len(server.requests)
    if limit == 90:  # the last question that asks has had its part
        assert found["negation"].figures["told_apart"]["of"] > 0
        assert {name for name, _ in told} >= {"cases", "sight", "voice", "repeat", "negation"}


def test_a_limit_is_no_fault_of_the_judges(examined: Examine, tmp_path: Path) -> None:
    with Scripted(lambda _: reply("Let me see.")) as server:  # each is asked twice
        found = examined(server.spec, "form", max_calls=9)
        assert len(server.requests) == 9
    assert found["form"].result == "fail"
    kinds = [
        entry.call["error"]["kind"]
        for entry in entries(tmp_path / "journal.jsonl")[0]
        if "error" in entry.call
    ]
    assert set(kinds) <= {"budget"}


def test_repeating_uses_no_kept_verdict_and_other_samples(
    examined: Examine, tmp_path: Path
) -> None:
    memory = Memory(SqliteStore(tmp_path / "kept.sqlite"))
    with Scripted(passing) as server:
        examined(server.spec, "repeat", memory=memory)
        first = len(server.requests)
        examined(server.spec, "repeat", memory=memory)
        again = server.requests[first:]
    assert first == 12 + 6 * 5
    assert len(again) == 6 * 5  # the cases themselves were kept
    assert sorted({request.json.get("seed", 0) for request in again}) == [0, 1, 2, 3, 4]


def test_kept_verdicts_have_no_price_and_no_time(examined: Examine, tmp_path: Path) -> None:
    memory = Memory(SqliteStore(tmp_path / "kept.sqlite"))
    with Scripted(passing) as server:
        examined(server.spec, "cost", memory=memory)
        found = examined(server.spec, "cost pinned", memory=memory)
    assert (found["cost"].result, found["pinned"].result) == ("not shown", "pass")
    assert "--no-cache" in found["cost"].advice
