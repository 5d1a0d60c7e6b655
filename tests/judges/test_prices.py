"""What a call costs: from the list or the settings, and null rather than a guess."""

from __future__ import annotations

from typing import Any

import pytest

from voirdire.errors import ConfigError
from voirdire.judges.model import ModelJudge
from voirdire.judges.pins import PINS
from voirdire.judges.prices import PRICES, Price, price_of
from voirdire.judges.spec import make_judge
from voirdire.record import judge_facts
from voirdire.reply import Usage
from voirdire.yamlfile import load_yaml

LISTED: dict[str, Any] = load_yaml(PRICES, "prices").value
# The figures of the published account: 700 tokens in and 100 out a verdict.
VERDICT = Usage(700, 100, 30)


def model_judge(spec: str, **settings: Any) -> ModelJudge:
    judge = make_judge(spec, settings)
    assert isinstance(judge, ModelJudge)
    return judge


@pytest.mark.parametrize(
    ("spec", "cost"),
    [
        ("openai:gpt-4.1-2025-04-14", 0.0022),
        ("openai:gpt-4o-mini-2024-07-18", 0.000165),
        ("anthropic:claude-sonnet-5", 0.0024),
        ("anthropic:claude-haiku-4-5-20251001", 0.0012),
    ],
)
def test_tokens_are_priced_by_the_list(spec: str, cost: float) -> None:
    facts = judge_facts(model_judge(spec), VERDICT)
    assert (facts["cost"], facts["cost_basis"]) == (cost, LISTED["date"])


@pytest.mark.parametrize(
    "spec",
    [
        "openai:gpt-9-2031-01-31",
        "openai:gpt-4.1-2025-04-14@http://127.0.0.1:8080/v1",
        "openai:gpt-4.1-2025-04-14@https://proxy.example/v1",
        "openrouter:openai/gpt-4.1-2025-04-14",
        "ollama:qwen3:8b",
    ],
)
def test_what_has_no_price_in_the_list_has_no_cost(spec: str) -> None:
    facts = judge_facts(model_judge(spec), VERDICT)
    assert (facts["cost"], facts["cost_basis"]) == (None, None)


def test_prices_of_the_settings_come_first() -> None:
    judge = model_judge("openai:gpt-4.1-2025-04-14", prices={"input": 10, "output": 30})
    facts = judge_facts(judge, VERDICT)
    assert (facts["cost"], facts["cost_basis"]) == (0.01, "settings")
    free = model_judge("ollama:qwen3:8b", prices={"input": 0, "output": 0})
    assert judge_facts(free, VERDICT)["cost"] == 0


@pytest.mark.parametrize("usage", [Usage(), Usage(700), Usage(None, 100)])
def test_tokens_that_are_not_known_have_no_cost(usage: Usage) -> None:
    assert Price(2, 8, "settings").of(usage) is None


def test_a_kept_verdict_costs_nothing_whatever_the_price() -> None:
    assert judge_facts(model_judge("ollama:qwen3:8b"), Usage(0, 0, 0))["cost"] == 0.0


@pytest.mark.parametrize(
    "prices",
    [
        {},
        {"input": 1},
        {"input": 1, "output": 2, "cached": 3},
        {"input": -1, "output": 2},
        {"input": "1", "output": 2},
        {"input": True, "output": 2},
        {"input": float("nan"), "output": 2},
        [1, 2],
        3,
    ],
)
def test_prices_that_are_none_are_told_their_form(prices: Any) -> None:
    with pytest.raises(ConfigError, match=r"judge setting prices(\.\w+)? must"):
        make_judge("rules", {"prices": prices})


@pytest.mark.parametrize("scheme", LISTED["providers"])
def test_the_list_is_sound_and_names_its_documents(scheme: str) -> None:
    provider = LISTED["providers"][scheme]
    ids = [name for entry in provider["models"] for name in entry["ids"]]
    assert len(ids) == len(set(ids))
    assert all(0 < entry["input"] <= entry["output"] for entry in provider["models"])
    assert all(link.startswith("https://") for link in provider["documents"])


def test_every_priced_model_can_be_written_without_moving() -> None:
    pins = load_yaml(PINS, "pins").value["providers"]
    for scheme, provider in LISTED["providers"].items():
        for entry in provider["models"]:
            aliases = pins[scheme]["aliases"].values()
            known = {*pins[scheme]["fixed"], *(name for names in aliases for name in names)}
            assert known & set(entry["ids"]), entry


def test_a_price_is_of_the_scheme_that_it_is_listed_under() -> None:
    assert price_of("openai", "gpt-4.1") == Price(2, 8, LISTED["date"])
    assert price_of("openrouter", "gpt-4.1") is None
