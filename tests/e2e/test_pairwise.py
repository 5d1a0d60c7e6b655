"""The door for comparisons under the real promptfoo."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Promptfoo, Run
from tests.e2e.suites import (
    ANSWER,
    HOOK,
    QUOTE,
    ROOT,
    case,
    door_config,
    record,
    suite,
    write_files,
)
from voirdire.journal import entries

pytestmark = pytest.mark.e2e

DOOR = f"file://{ROOT}/assertions/pairwise.py"
REFERENCE = "It lasts an hour."


def preference(winner: str, confidence: float = 0.95) -> dict[str, Any]:
    """A preference whose quote stands in the source."""
    return {
        "critique": "The source says 30 minutes.",
        "evidence": [QUOTE],
        "winner": winner,
        "confidence": confidence,
    }


# Case → the replies with the output first and with the reference first, the config's changes,
# and the outcome and kind it must get.
CASES: dict[str, tuple[Any, Any, dict[str, Any], str, str]] = {
    "win": (preference("first"), preference("second"), {}, "pass", "win"),
    "loss": (preference("second"), preference("first"), {}, "fail", "win"),
    "tie": (preference("tie"), preference("tie"), {}, "fail", "said tie"),
    "tie allowed": (
        preference("tie"),
        preference("tie"),
        {"allow_tie": True},
        "pass",
        "said tie",
    ),
    "place": (
        preference("first"),
        preference("first"),
        {"allow_tie": True},
        "undecided",
        "order-sensitive",
    ),
    "unsure": (
        preference("first"),
        preference("second", 0.5),
        {},
        "undecided",
        "low_confidence",
    ),
    "silent": (preference("first"), "...", {}, "judge_error", "silent"),
    "named": (preference("A"), preference("B"), {}, "judge_error", "schema"),
    "no reference": (
        preference("first"),
        preference("second"),
        {"vars": {"reference": "ideal"}},
        "judge_error",
        "config",
    ),
}
OVERRULED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "inverted": ({"type": "not-python"}, {}),
    "weight 0": ({"weight": 0}, {}),
    "outvoted": ({}, {"threshold": 0.1}),
    "inverted, outvoted": ({"type": "not-python"}, {"threshold": 0.1}),
}


def replies() -> Iterator[dict[str, Any]]:
    for name, (one, two, *_) in CASES.items():
        yield record(f"{name}:a-first", one, usage={"prompt": 700, "completion": 100})
        yield record(f"{name}:b-first", two, usage={"prompt": 700, "completion": 100})


def compared(config: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"type": "python", "value": DOOR, "config": door_config(**config), **fields}


@pytest.fixture(scope="session")
def run(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Run:
    """Every case, and those that decide nothing in every place that could overrule them."""
    folder = folders("comparisons")
    write_files(folder, replies())
    tests = []
    for name, (_, _, config, _, _) in CASES.items():
        vars_ = {"reference": REFERENCE}
        tests.append(case(name, [compared(config)], vars=vars_))
    yes = {"type": "contains", "value": "minutes"}
    for place, (fields, test_fields) in OVERRULED.items():
        for name in ("place", "silent", "no reference"):
            asserts = [yes, yes, compared(CASES[name][2], **fields)]
            vars_ = {"reference": REFERENCE, "case_id": name}
            tests.append(case(f"{name}, {place}", asserts, vars=vars_, **test_fields))
    return promptfoo(folder, suite(tests, extensions=[HOOK]))


@pytest.mark.parametrize("name", CASES)
def test_only_a_win_that_survives_the_swap_passes(run: Run, name: str) -> None:
    *_, outcome, kind = CASES[name]
    (grade,) = run.grades(name)
    found = grade["metadata"]["voirdire"]
    assert (found["outcome"], found["kind"]) == (outcome, kind)
    assert grade["pass"] is run.rows[name]["success"] is (outcome == "pass")


@pytest.mark.parametrize("place", OVERRULED)
@pytest.mark.parametrize("name", ["place", "silent", "no reference"])
def test_no_non_decision_comes_out_as_a_success(run: Run, name: str, place: str) -> None:
    assert run.rows[f"{name}, {place}"]["success"] is False


def test_both_orders_are_in_the_result_and_in_the_journal(run: Run) -> None:
    (grade,) = run.grades("silent")
    orders = grade["metadata"]["voirdire"]["orders"]
    assert json.loads(orders["a_first"]["raw"])["winner"] == "first"
    assert orders["b_first"]["raw"] == "..."
    found, damages = entries(run.journal)
    assert damages == []
    by_id = {entry.call["id"]: entry.call["case_id"] for entry in found}
    assert by_id[orders["a_first"]["journal_id"]] == "silent:a-first"
    assert by_id[orders["b_first"]["journal_id"]] == "silent:b-first"


def test_both_prompts_are_shown(run: Run) -> None:
    (grade,) = run.grades("win")
    shown = grade["metadata"]["renderedGradingPrompt"]
    assert f'"first": "{ANSWER}"' in shown
    assert f'"first": "{REFERENCE}"' in shown


def test_outcomes_and_tokens_are_counted_by_promptfoo(run: Run) -> None:
    assert run.rows["place"]["namedScores"]["judge_undecided"] == 1
    assert run.rows["silent"]["namedScores"]["judge_error"] == 1
    (grade,) = run.grades("win")
    assert grade["tokensUsed"]["total"] == 1600
