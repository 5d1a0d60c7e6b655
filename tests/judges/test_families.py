"""Of which family a model is; a name that tells none is of none."""

from __future__ import annotations

import pytest

from tests.judges.conftest import Serve
from tests.judges.judge_server import reply
from voirdire.judges.base import Ask
from voirdire.judges.families import family_of, same_family
from voirdire.judges.model import ModelJudge
from voirdire.judges.spec import make_judge
from voirdire.promptfoo.tested import names_under_test
from voirdire.record import judge_facts
from voirdire.reply import Usage


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("gpt-4.1-2025-04-14", "openai"),
        ("openai:chat:gpt-4o-mini", "openai"),
        ("openai:o3", "openai"),
        ("openai:responses:o4-mini-2025-04-16", "openai"),
        ("chatgpt-4o-latest", "openai"),
        ("azure:chat:gpt-35-turbo", "openai"),
        ("groq:openai/gpt-oss-120b", "openai"),
        ("ft:gpt-4o:org::abc", "openai"),
        ("anthropic:messages:claude-sonnet-5", "anthropic"),
        ("openrouter:anthropic/claude-opus-4.6", "anthropic"),
        ("bedrock:us.anthropic.claude-3-5-sonnet-20241022-v2:0", "anthropic"),
        ("vertex:claude-haiku-4-5@20251001", "anthropic"),
        ("vertex:gemini-2.5-pro", "google"),
        ("google:gemini-flash-latest", "google"),
        ("ollama:gemma3:27b", "google"),
        ("ollama:chat:llama3.1", "meta"),
        ("ollama:llama2-uncensored", "meta"),
        ("openrouter:meta-llama/llama-3.3-70b-instruct:free", "meta"),
        ("bedrock:us.meta.llama3-3-70b-instruct-v1:0", "meta"),
        ("Llama-4-Maverick", "meta"),
        ("qwen", "qwen"),
        ("ollama:qwen2.5:0.5b", "qwen"),
        ("openrouter:qwen/qwq-32b", "qwen"),
        ("mistral:mistral-large-2411", "mistral"),
        ("openrouter:mistralai/mixtral-8x7b-instruct", "mistral"),
        ("mistral:codestral-latest", "mistral"),
        ("deepseek:deepseek-reasoner", "deepseek"),
        ("xai:grok-4", "xai"),
        ("ollama:phi4", "microsoft"),
        ("github:microsoft/Phi-3.5-mini-instruct", "microsoft"),
        ("cohere:command-r-plus", "cohere"),
        ("openrouter:z-ai/glm-4.6", "zhipu"),
        ("openrouter:moonshotai/kimi-k2", "moonshot"),
        ("bedrock:us.amazon.nova-pro-v1:0", "amazon"),
    ],
)
def test_a_known_name_is_found_behind_any_gateway(name: str, family: str) -> None:
    assert family_of(name) == family


@pytest.mark.parametrize(
    "name",
    [
        None,
        "",
        "echo",
        "my label",
        "better than gpt-4o-ish",
        "openai:chat:our-own-model",
        "openai:custom@http://127.0.0.1/v1",
        "llama:our-own",
        "gpt4all:model",
        "gpt-neox-20b",
        "file://claude.py",
        "python:gemini.py",
        "exec: ./qwen",
        "https://gpt-4.example/v1",
        "webhook:https://claude.example",
        "groq:deepseek-r1-distill-llama-70b",
        "a/gpt-4o/claude-3",
        "commander",
        "novalith",
        "philosopher-7b",
    ],
)
def test_any_other_name_is_of_no_family(name: str | None) -> None:
    assert family_of(name) is None


def test_two_models_are_compared_only_where_both_are_known() -> None:
    assert same_family("gpt-4.1", "openai:o3") is True
    assert same_family("claude-sonnet-5", "openai:gpt-4o") is False
    assert same_family("claude-sonnet-5", "echo") is None
    assert same_family("our-own", "openai:gpt-4o") is None


def test_a_name_of_any_length_is_read_in_time() -> None:
    assert family_of("x" + ":gpt" * 1_000_000) is None


@pytest.mark.parametrize(
    ("provider", "names"),
    [
        ({"modelName": "gpt-4o", "config": {"apiKey": "sk-secret"}, "label": ""}, ["gpt-4o"]),
        ({"provider": "openrouter", "model": "qwen/qwen3"}, ["qwen/qwen3"]),
        ({"deploymentName": "gpt-4o-eu"}, ["gpt-4o-eu"]),
        ({"options": {"id": "echo"}, "label": ""}, ["echo"]),
        ({"scriptPath": "p.py", "config": {"model": "glm-5"}, "label": "mine"}, ["glm-5", "mine"]),
        ({"id": "openai:gpt-4o", "label": 3}, ["openai:gpt-4o"]),
        ({"config": None}, []),
        ("openai:gpt-4o", []),
        (None, []),
    ],
)
def test_the_model_under_test_is_read_from_what_promptfoo_hands_over(
    provider: object, names: list[str]
) -> None:
    assert names_under_test({"provider": provider}) == names


def model_judge(spec: str) -> ModelJudge:
    judge = make_judge(spec, {"allow_floating": True})
    assert isinstance(judge, ModelJudge)
    return judge


def test_a_judge_of_the_same_family_is_warned_of() -> None:
    facts = judge_facts(model_judge("openai:gpt-4.1-2025-04-14"), Usage(), ["openai:o3"])
    assert facts["same_family"] is True
    assert (facts["judge_family"], facts["tested_family"]) == ("openai", "openai")
    (warning,) = facts["warnings"]
    assert "both of the family openai" in warning


@pytest.mark.parametrize(
    ("tested", "family", "same"),
    [
        (["our-own", "openai:gpt-4o"], "openai", False),
        (["echo"], None, None),
        ([], None, None),
    ],
)
def test_another_family_or_none_that_is_known_is_no_warning(
    tested: list[str], family: str | None, same: bool | None
) -> None:
    facts = judge_facts(model_judge("anthropic:claude-sonnet-5"), Usage(), tested)
    assert (facts["judge_family"], facts["tested_family"]) == ("anthropic", family)
    assert facts["same_family"] is same
    assert facts["warnings"] == []


def test_a_moving_judge_is_warned_of() -> None:
    facts = judge_facts(model_judge("openai:gpt-4.1"), Usage(), [])
    assert facts["floating"] is True
    (warning,) = facts["warnings"]
    assert "openai:gpt-4.1 names no fixed version" in warning


def test_rules_have_no_family_and_cost_nothing(serve: Serve, ask: Ask) -> None:
    facts = judge_facts(make_judge("rules"), Usage(), ["openai:gpt-4o"])
    assert facts == {
        "floating": False,
        "judge_family": None,
        "tested_family": None,
        "same_family": None,
        "cost": 0.0,
        "cost_basis": None,
        "warnings": [],
    }
    server = serve(reply("{}"))
    judge = model_judge(f"openai:qwen@{server.url}/v1")
    assert judge_facts(judge, judge.ask(ask).usage, [])["cost"] is None
