"""Outcomes as named scores."""

from __future__ import annotations

from typing import Any

import pytest

from voirdire.promptfoo.scores import OUTCOMES, extension_hook, named_scores


def row(*outcomes: Any, **result: Any) -> dict[str, Any]:
    parts = [{"metadata": {"voirdire": {"outcome": outcome}}} for outcome in outcomes]
    grading = {"componentResults": [*parts, {"pass": True}, None]}
    return {"result": {"gradingResult": grading, **result}, "test": {"vars": {}}}


def test_one_of_four_is_one() -> None:
    for outcome in OUTCOMES:
        scores = named_scores(outcome)
        assert list(scores) == ["judge_pass", "judge_fail", "judge_undecided", "judge_error"]
        assert sum(scores.values()) == 1


def test_a_rows_scores_are_the_shares_of_its_assertions() -> None:
    context = row("pass", "judge_error", namedScores={"mine": 0.3})
    changed = extension_hook("afterEach", context)
    assert changed["result"]["namedScores"] == {
        "mine": 0.3,
        "judge_pass": 0.5,
        "judge_fail": 0,
        "judge_undecided": 0,
        "judge_error": 0.5,
    }
    assert context["result"]["namedScores"] == {"mine": 0.3}
    assert changed["test"] is context["test"]


@pytest.mark.parametrize("hook", ["beforeAll", "beforeEach", "afterAll"])
def test_other_hooks_change_nothing(hook: str) -> None:
    context = row("pass")
    assert extension_hook(hook, context) is context


@pytest.mark.parametrize(
    "context",
    [
        None,
        {},
        {"result": None},
        {"result": {"gradingResult": None}},
        row(),
        row("unheard of"),
        {"result": {"gradingResult": {"componentResults": [{"metadata": {"voirdire": "x"}}]}}},
    ],
)
def test_rows_that_voirdire_graded_nothing_of_come_back_as_they_were(context: Any) -> None:
    assert extension_hook("afterEach", context) is context


def test_the_reply_of_a_judge_error_becomes_metadata_of_the_row() -> None:
    context = row("pass", "judge_error", metadata={"mine": 1})
    parts = context["result"]["gradingResult"]["componentResults"]
    parts[0]["metadata"]["voirdire"]["payload"] = "a verdict's"
    parts[1]["metadata"]["voirdire"]["payload"] = '{"cut'
    parts[1]["assertion"] = {"type": "python", "metric": "grounded"}
    changed = extension_hook("afterEach", context)
    assert changed["result"]["metadata"] == {"mine": 1, "raw reply (grounded)": '{"cut'}
    assert context["result"]["metadata"] == {"mine": 1}


def test_a_judge_error_without_a_reply_leaves_the_metadata_alone() -> None:
    assert "metadata" not in extension_hook("afterEach", row("judge_error"))["result"]
