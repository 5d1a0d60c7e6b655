"""Specs, settings, base URLs and keys: what is accepted, and what a mistake is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import ConfigError
from voirdire.judges.base import Ask
from voirdire.judges.endpoint import Endpoint, Secrets
from voirdire.judges.settings import JudgeSettings, read_settings
from voirdire.judges.spec import make_judge

ROOT = Path(__file__).parents[2]
PINNED = "openai:gpt-4.1-2025-04-14"


@pytest.mark.parametrize(
    ("spec", "model", "host"),
    [
        ("openai:gpt-4.1-2025-04-14", "gpt-4.1-2025-04-14", "https://api.openai.com/v1"),
        ("openai:qwen@http://127.0.0.1:8080/v1", "qwen", "http://127.0.0.1:8080/v1"),
        ("openai:qwen@http://127.0.0.1:8080/v1/", "qwen", "http://127.0.0.1:8080/v1"),
        ("openai:m@http://[::1]:8080/v1", "m", "http://[::1]:8080/v1"),
        ("openai:chat:7b@http://[::1]:8080/v1", "chat:7b", "http://[::1]:8080/v1"),
        ("openai:ft:gpt-4o:org::abc", "ft:gpt-4o:org::abc", "https://api.openai.com/v1"),
        ("openai:@cf/meta/llama@https://x.example/v1", "@cf/meta/llama", "https://x.example/v1"),
        ("openrouter:qwen/qwen3:free", "qwen/qwen3:free", "https://openrouter.ai/api/v1"),
        ("ollama:llama3.2:3b", "llama3.2:3b", "http://127.0.0.1:11434/v1"),
        ("ollama:llama3.2:3b@http://gpu:11434/v1", "llama3.2:3b", "http://gpu:11434/v1"),
        ("anthropic:claude-sonnet-5", "claude-sonnet-5", "https://api.anthropic.com/v1"),
        ("anthropic:claude@20250514", "claude@20250514", "https://api.anthropic.com/v1"),
    ],
)
def test_a_spec_names_a_model_and_a_place(spec: str, model: str, host: str) -> None:
    judge = make_judge(spec)

    assert judge.identity["scheme"] == spec.partition(":")[0]
    assert judge.identity["model"] == model
    assert judge.identity["host"] == host
    assert judge.spec.rstrip("/") == spec.rstrip("/")
    assert judge.can_reask


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("", "unknown judge ''"),
        ("gpt-4.1", "unknown judge 'gpt-4.1'"),
        ("azure:gpt-4.1", "unknown judge 'azure'"),
        ("OpenAI:gpt-4.1", "unknown judge 'OpenAI'"),
        ("replay:", "unknown judge 'replay'"),
        ("rules:", "unknown judge 'rules'"),
        ("openai:", "names no model"),
        ("openai:@http://127.0.0.1/v1", "names no model"),
        ("openai: gpt-4.1", "names no model"),
        ("anthropic:", "names no model"),
        ("openai:m@127.0.0.1:8080/v1", "must begin with http:// or https://"),
        ("openai:m@localhost/v1", "must begin with http:// or https://"),
        ("openai:m@gpu:8000", "must begin with http:// or https://"),
        ("openai:m@ftp://host/v1", "must begin with http:// or https://"),
        ("openai:m@http://", "http://host[:port]/path"),
        ("openai:m@http:///v1", "http://host[:port]/path"),
        ("openai:m@http://host:99999/v1", "http://host[:port]/path"),
        ("openai:m@http://host:port/v1", "http://host[:port]/path"),
        ("openai:m@http://[::1/v1", "http://host[:port]/path"),
        ("openai:chat:gpt-4.1-2025-04-14", "promptfoo's `chat:` before it: leave that out"),
        ("openai:responses:gpt-4.1-2025-04-14", "promptfoo's `responses:` before it"),
        ("anthropic:messages:claude-sonnet-4-5-20250929", "promptfoo's `messages:` before it"),
        ("ollama:chat:llama3.2:3b", "promptfoo's `chat:` before it"),
        ("openai:m@http://ho st/v1", "http://host[:port]/path"),
    ],
)
def test_a_spec_that_is_not_accepted_is_told_what_is(spec: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_judge(spec)

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_key_pasted_into_a_spec_is_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        make_judge("openapi:m@https://me:hunter2@api.example/v1?key=abc")

    assert "hunter2" not in str(caught.value)
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"temprature": 0}, "unknown judge setting 'temprature': the settings are temperature,"),
        ({"api_key": "sk-123"}, "unknown judge setting 'api_key'"),
        ({"temperature": 2.1}, "temperature must be a number from 0 to 2"),
        ({"temperature": -0.1}, "temperature must be"),
        ({"temperature": float("nan")}, "temperature must be"),
        ({"temperature": "0"}, "temperature must be"),
        ({"temperature": True}, "temperature must be"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"seed": True}, "seed must be a whole number"),
        ({"seed": 2**63}, "seed must be a whole number"),
        ({"max_tokens": 0}, "max_tokens must be a whole number from 1"),
        ({"max_tokens": None}, "max_tokens must be"),
        ({"reasoning": "yes"}, "reasoning must be true or false"),
        ({"timeout_s": 0}, "timeout_s must be more than 0"),
        ({"timeout_s": float("inf")}, "timeout_s must be"),
        ({"budget_s": -1}, "budget_s must be"),
        ({"retries": 21}, "retries must be a whole number from 0 to 20"),
        ({"in_flight": 0}, "in_flight must be a whole number from 1 to 64"),
        ({"extra": ["top_p"]}, "extra must be a mapping"),
        ({"extra": {"model": "other"}}, "extra may not hold 'model'"),
        ({"extra": {"messages": []}}, "extra may not hold 'messages'"),
        ({"extra": {"stream": True}}, "extra may not hold 'stream'"),
        ({"extra": {"max_completion_tokens": 5}}, "use the setting max_tokens"),
        ({"extra": {"top_p": float("nan")}}, "JSON values only"),
        ({"extra": {"top_p": {1, 2}}}, "JSON values only"),
    ],
)
def test_a_setting_that_is_not_accepted_is_named(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        make_judge(PINNED, settings)

    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_key_in_place_of_its_variable_is_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        read_settings({"api_key_env": "sk-abc-123"})

    assert "the name of an environment variable" in str(caught.value)
    assert "abc" not in str(caught.value)


def test_settings_that_are_not_given_are_pinned_and_bounded() -> None:
    assert read_settings(None) == read_settings({}) == JudgeSettings()
    assert JudgeSettings() == JudgeSettings(
        temperature=0,
        seed=None,
        max_tokens=2048,
        reasoning=False,
        timeout_s=60,
        budget_s=180,
        retries=4,
        in_flight=4,
    )


def test_a_reasoning_judge_has_a_larger_budget_and_no_temperature_unless_given() -> None:
    reasoning = read_settings({"reasoning": True})
    assert (reasoning.max_tokens, reasoning.temperature) == (16_000, None)

    given = read_settings({"reasoning": True, "max_tokens": 500, "temperature": 0.5})
    assert (given.max_tokens, given.temperature) == (500, 0.5)


def test_no_temperature_is_a_setting_of_its_own() -> None:
    assert read_settings({"temperature": None}).temperature is None


@pytest.mark.parametrize(
    "setting",
    [
        {"temperature": 1},
        {"temperature": None},
        {"seed": 1},
        {"max_tokens": 100},
        {"reasoning": True},
        {"extra": {"top_p": 0.5}},
    ],
)
def test_a_setting_that_can_change_a_verdict_changes_the_identity(setting: dict[str, Any]) -> None:
    assert make_judge(PINNED, setting).identity != make_judge(PINNED).identity


@pytest.mark.parametrize(
    "setting",
    [{"timeout_s": 5}, {"budget_s": 5}, {"retries": 0}, {"in_flight": 1}, {"api_key_env": "K"}],
)
def test_a_setting_that_cannot_change_a_verdict_does_not(setting: dict[str, Any]) -> None:
    assert make_judge(PINNED, setting).identity == make_judge(PINNED).identity


@pytest.mark.parametrize("temperature", [0, 0.0])
def test_equal_numbers_make_one_identity(temperature: float) -> None:
    identity = make_judge(PINNED, {"temperature": temperature}).identity
    assert str(identity["temperature"]) == "0"


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (PINNED, "OPENAI_API_KEY"),
        ("openai:m@https://llm.example/v1", "OPENAI_API_KEY"),
        ("openrouter:v/m1", "OPENROUTER_API_KEY"),
        ("ollama:m:1b@https://ollama.com/v1", "OLLAMA_API_KEY"),
        ("anthropic:claude-sonnet-5", "ANTHROPIC_API_KEY"),
    ],
)
def test_a_public_host_needs_a_key_and_the_variable_is_named(
    ask: Ask, spec: str, name: str
) -> None:
    with pytest.raises(ConfigError, match=f"set the environment variable {name}"):
        make_judge(spec).ask(ask)


def test_a_chosen_variable_must_be_set_even_for_a_local_host(ask: Ask) -> None:
    judge = make_judge("openai:m@http://127.0.0.1:9/v1", {"api_key_env": "MY_UNSET_KEY"})
    with pytest.raises(ConfigError, match="MY_UNSET_KEY"):
        judge.ask(ask)


@pytest.mark.parametrize("value", ["clé-secrète", "two\nlines", "tab\tbed"])
def test_a_value_that_cannot_be_a_key_is_refused_without_being_shown(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", value)
    with pytest.raises(ConfigError) as caught:
        make_judge(PINNED).ask(ask)

    assert "OPENAI_API_KEY does not hold an API key" in str(caught.value)
    assert value not in str(caught.value)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("[::1]", True),
        ("10.1.2.3", True),
        ("192.168.0.9", True),
        ("172.16.0.1", True),
        ("169.254.1.1", True),
        ("localhost", True),
        ("vllm", True),
        ("host.docker.internal", True),
        ("gpu.local", True),
        ("api.openai.com", False),
        ("8.8.8.8", False),
        ("127.0.0.1.example.com", False),
        ("localhost.example.com", False),
        ("internal.example", False),
    ],
)
def test_a_host_is_local_or_public(host: str, local: bool) -> None:
    assert Endpoint.parse(f"http://{host}/v1").local is local


def test_a_placeholder_key_is_not_taken_out_of_a_reply() -> None:
    assert Secrets(["none"]).scrub("none of this") == "none of this"


@pytest.mark.parametrize(
    "spelling",
    [
        "key/with+plus",
        "key%2Fwith%2bplus",
        "key\\/with+plus",
        "key/with\\u002Bplus",
        "key\\\\/with\\\\u002bplus",
        "".join(f"\\u{ord(char):04x}" for char in "key/with+plus"),
    ],
)
def test_a_secret_is_hidden_in_every_spelling(spelling: str) -> None:
    assert Secrets(["key/with+plus"]).scrub(f"<{spelling}>") == "<[hidden]>"


def test_a_secret_is_hidden_where_a_text_breaks_off_in_the_middle_of_it() -> None:
    secrets = Secrets(["key/with+plus"])
    assert secrets.scrub_cut("you sent key/with+pl") == "you sent [hidden]"
    assert secrets.scrub_cut("a key/with+plus b") == "a [hidden] b"
    assert secrets.scrub_cut("a key") == "a key"


def test_making_a_judge_waits_for_no_heavy_import() -> None:
    code = (
        "import sys\n"
        "from voirdire.judges.spec import make_judge\n"
        "make_judge('openai:m-2025-04-14'), make_judge('anthropic:m-20250514')\n"
        "heavy = {'requests', 'urllib3', 'pydantic', 'jsonschema', 'yaml', 'click'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


def test_recorded_replies_are_found_from_the_given_directory(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text('{"id": "a", "reply": "{}"}\n')

    assert not make_judge("replay:replies.jsonl", base_dir=tmp_path).can_reask
    assert not make_judge(f"replay:{tmp_path}/replies.jsonl", base_dir=Path("/")).can_reask
    with pytest.raises(ConfigError, match="elsewhere"):
        make_judge("replay:replies.jsonl", base_dir=tmp_path / "elsewhere")


def test_rules_takes_the_settings_of_a_model_and_needs_none() -> None:
    assert make_judge("rules", {"seed": 1}).identity == make_judge("rules").identity
    with pytest.raises(ConfigError, match="sed"):
        make_judge("rules", {"sed": 1})
