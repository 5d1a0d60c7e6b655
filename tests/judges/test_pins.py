"""A judge that may be another model tomorrow is refused, and told what to write instead."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.judges.conftest import Serve
from tests.judges.judge_server import reply
from voirdire.errors import ConfigError
from voirdire.judges.base import Ask
from voirdire.judges.model import ModelJudge
from voirdire.judges.pins import PINS
from voirdire.judges.spec import make_judge
from voirdire.yamlfile import load_yaml

ROOT = Path(__file__).parents[2]
PROVIDERS: dict[str, dict[str, Any]] = load_yaml(PINS, "pins").value["providers"]
INSTEAD = [
    (scheme, alias, fixed)
    for scheme, provider in PROVIDERS.items()
    for alias, fixed in provider["aliases"].items()
]
FIXED = [
    f"{scheme}:{name}"
    for scheme, provider in PROVIDERS.items()
    for names in (provider["fixed"], *provider["aliases"].values())
    for name in names
]


def model_judge(spec: str, **settings: Any) -> ModelJudge:
    judge = make_judge(spec, settings)
    assert isinstance(judge, ModelJudge)
    return judge


def refusal(spec: str) -> str:
    with pytest.raises(ConfigError) as caught:
        make_judge(spec)
    said = str(caught.value)
    assert "\n" not in said
    assert said.endswith("or set allow_floating: true in its settings")
    return said


@pytest.mark.parametrize(
    "spec",
    [
        *FIXED,
        "openai:gpt-4-1106-preview",
        "openai:gpt-3.5-turbo-0613",
        "openai:ft:gpt-4o-mini:org::abc",
        "openai:gpt-9-2031-01-31",
        "anthropic:claude-sonnet-5",
        "anthropic:claude-3-haiku-20240307",
        "anthropic:claude-haiku-4-5@20251001",
        "anthropic:claude-somebody-7",
        "anthropic:claude-sonnet-10-2",
        "openrouter:openai/gpt-4o-2024-11-20",
        "openrouter:anthropic/claude-sonnet-4.6",
        "openrouter:anthropic/claude-opus-5",
        "openrouter:anthropic/claude-4.5-sonnet-20250929",
        "openrouter:deepseek/deepseek-chat-v3-0324",
        "openrouter:meta-llama/llama-3.3-70b-instruct:free",
        "ollama:qwen3:8b",
        "ollama:hf.co/user/model-GGUF:Q4_K_M",
        "ollama:registry.example:5000/team/judge:2",
        "openai:qwen@http://127.0.0.1:8080/v1",
        "openai:gpt-4o@https://proxy.example/v1",
        "openai:autopilot@http://127.0.0.1:8080/v1",
        "anthropic:claude-sonnet-4-5@https://gateway.example",
    ],
)
def test_an_id_that_names_one_version_is_taken(spec: str) -> None:
    assert not model_judge(spec).floating


@pytest.mark.parametrize(("scheme", "alias", "fixed"), INSTEAD)
def test_an_alias_is_told_every_version_that_it_may_stand_for(
    scheme: str, alias: str, fixed: list[str]
) -> None:
    said = refusal(f"{scheme}:{alias}")
    assert f"{scheme}:{alias} names no fixed version" in said
    assert re.search(r"write (.*) \(as of 20\d\d-\d\d-\d\d\)", said)
    assert [name for name in fixed if name not in said] == []


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai:gpt-4o", "gpt-4o-2024-11-20, gpt-4o-2024-08-06 or gpt-4o-2024-05-13"),
        ("openai:gpt-7", "looks like gpt-4.1-2025-04-14"),
        ("openai:chatgpt-4o-latest", "looks like gpt-4.1-2025-04-14"),
        ("openai:gpt-4.1-2025", "looks like gpt-4.1-2025-04-14"),
        ("anthropic:claude-sonnet-4-5", "claude-sonnet-4-5-20250929 (as of"),
        ("anthropic:claude-sonnet-latest", "claude-sonnet-5-5, claude-sonnet-5, claude-sonnet-4-6"),
        ("anthropic:claude", "looks like claude-sonnet-5 or"),
        ("anthropic:claude-opus-4-0", "looks like claude-sonnet-5 or"),
        ("anthropic:claude-sonnet-5-latest", "write claude-sonnet-5-5 or claude-sonnet-5 ("),
        ("openrouter:openrouter/auto", "looks like openai/gpt-4.1-2025-04-14"),
        ("openrouter:openai/gpt-4.1", "openai/gpt-4.1-2025-04-14 (as of"),
        ("openrouter:openai/gpt-4.1:floor", "openai/gpt-4.1-2025-04-14 (as of"),
        ("openrouter:~anthropic/claude-opus-latest", "anthropic/claude-opus-4.8"),
        ("openrouter:~openai/gpt-sol-latest", "looks like openai/gpt-4.1"),
        ("openrouter:deepseek/deepseek-chat", "looks like openai/gpt-4.1"),
        ("openrouter:mistralai/mistral-large-latest", "looks like openai/gpt-4.1"),
        ("ollama:llama3.1", "write its tag, such as llama3.1:8b"),
        ("ollama:llama3.1:latest", "write its tag, such as llama3.1:8b"),
        ("ollama:registry.example:5000/team/judge", "write its tag"),
        ("ollama:llama3.1@http://gpu:11434/v1", "write its tag"),
        ("openai:latest@http://127.0.0.1:8080/v1", "by which the server lists the model"),
        ("openai:auto@https://proxy.example/v1", "by which the server lists the model"),
        ("openai:judge:latest@http://10.0.0.5/v1", "by which the server lists the model"),
        ("anthropic:claude-3-5-haiku-latest@http://gateway/v1", "the server lists the model"),
    ],
)
def test_a_moving_id_is_told_what_to_write(spec: str, said: str) -> None:
    assert said in refusal(spec)


@pytest.mark.parametrize(
    "spec", ["openai:gpt-4o", "anthropic:claude-sonnet-latest", "ollama:llama3.1"]
)
def test_a_moving_id_that_is_allowed_is_marked(spec: str) -> None:
    assert model_judge(spec, allow_floating=True).floating


def test_allowing_it_makes_no_other_judge_and_marks_no_fixed_one() -> None:
    judge = model_judge("openai:gpt-4.1-2025-04-14", allow_floating=True)
    assert not judge.floating
    assert judge.identity == make_judge("openai:gpt-4.1-2025-04-14").identity


def test_a_reply_of_a_moving_judge_says_so(serve: Serve, ask: Ask) -> None:
    url = serve(reply("{}"), reply("{}")).url
    moving = model_judge(f"openai:latest@{url}/v1", allow_floating=True)
    assert moving.ask(ask).notes == ("floating: latest names no fixed version",)
    assert model_judge(f"openai:qwen@{url}/v1").ask(ask).notes == ()


def test_an_id_of_any_length_is_read_in_time() -> None:
    assert "names no fixed version" in refusal("openai:" + "-latest" * 20_000 + "x")


def test_the_setting_must_be_a_flag() -> None:
    with pytest.raises(ConfigError, match="allow_floating must be true or false"):
        make_judge("openai:gpt-4.1", {"allow_floating": "yes"})


def test_the_list_is_not_read_where_nothing_needs_it(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text('{"id": "a", "reply": "{}"}\n')
    code = (
        "import sys\n"
        "from voirdire.judges.spec import make_judge\n"
        f"make_judge('rules'), make_judge('replay:{tmp_path}/replies.jsonl')\n"
        "print([name for name in sys.modules if name.endswith(('pins', 'prices', 'budget'))])\n"
        "make_judge('openai:gpt-4.1-2025-04-14'), make_judge('openai:q@http://127.0.0.1/v1')\n"
        "print('yaml' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\nFalse\n"


@pytest.mark.parametrize("scheme", PROVIDERS)
def test_every_provider_names_its_documents(scheme: str) -> None:
    assert PROVIDERS[scheme]["documents"]
    assert all(link.startswith("https://") for link in PROVIDERS[scheme]["documents"])
