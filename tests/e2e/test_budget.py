"""A budget behind both doors, and what the record says of judge and model under test."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Promptfoo, Run
from tests.e2e.suites import (
    ANSWER,
    case,
    door_config,
    drop_in,
    explicit,
    suite,
    verdict,
    write_files,
)
from tests.e2e.test_real_judges import judge_process, requests_to
from tests.judges.judge_server import reply

pytestmark = pytest.mark.e2e

GOOD = json.dumps(verdict())
MOST = 7
CASES = 8
PRICES = {"input": 2, "output": 8}


class Budgeted:
    """A run of two doors a case before one judge, and what that judge was sent in it."""

    def __init__(self, run: Run, sent: int) -> None:
        self.rows = run.rows  # read now: the next run writes over its results
        self.sent = sent
        self.counted = {
            path.name: json.loads(path.read_text())["calls"]
            for path in (run.folder / "runs").glob("*.json")
        }

    def records(self, name: str) -> list[dict[str, Any]]:
        """The records of one case's two grades."""
        grades = self.rows[name]["gradingResult"]["componentResults"]
        return [grade["metadata"]["voirdire"] for grade in grades]

    def all_records(self) -> list[dict[str, Any]]:
        """The records of all grades."""
        return [record for name in self.rows for record in self.records(name)]


@pytest.fixture(scope="session")
def budgeted(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> list[Budgeted]:
    """Sixteen grades through both doors at once, where seven calls are allowed; twice."""
    folder = folders("a budget")
    write_files(folder, [])
    with judge_process(folder, "judge", [reply(GOOD)]) as url:
        judge = {"spec": f"openai:qwen-2.5@{url}/v1", "max_calls": MOST, "prices": PRICES}
        config = door_config(judge=judge, cache="off")
        tests = [
            case(f"case {number}", [explicit(config), drop_in(config)]) for number in range(CASES)
        ]
        env = {"PROMPTFOO_PYTHON_WORKERS": "2"}
        runs: list[Budgeted] = []
        for _ in range(2):
            before = len(requests_to(url))
            run = promptfoo(folder, suite(tests), "-j", "8", env=env)
            runs.append(Budgeted(run, len(requests_to(url)) - before))
    return runs


def test_both_doors_share_one_budget_and_the_next_run_has_its_own(
    budgeted: list[Budgeted],
) -> None:
    for run in budgeted:
        assert run.sent == MOST
        kinds = Counter(record["kind"] for record in run.all_records())
        assert kinds == {"pass": MOST, "budget": 2 * CASES - MOST}
    assert list(budgeted[0].counted.values()) == [MOST]
    assert list(budgeted[1].counted.values()) == [MOST, MOST]


def test_what_the_budget_kept_from_being_judged_is_no_pass_and_says_why(
    budgeted: list[Budgeted],
) -> None:
    errors = [record for record in budgeted[0].all_records() if record["kind"] == "budget"]
    assert {record["outcome"] for record in errors} == {"judge_error"}
    reason = f"judge error (budget): max_calls {MOST} is reached in this run ("
    assert [record for record in errors if not record["reason"].startswith(reason)] == []
    for name, row in budgeted[0].rows.items():
        kinds = {record["kind"] for record in budgeted[0].records(name)}
        assert row["success"] == (kinds == {"pass"})


def test_the_record_says_what_a_verdict_cost(budgeted: list[Budgeted]) -> None:
    passes = [record for record in budgeted[0].all_records() if record["kind"] == "pass"]
    assert {(record["cost"], record["cost_basis"]) for record in passes} == {(0.0022, "settings")}


@pytest.fixture(scope="session")
def related(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Iterator[Run]:
    """Judges of several families, and a model under test of one of them."""
    folder = folders("families")
    write_files(folder, [])
    with (
        judge_process(folder, "judge", [reply(GOOD)]) as url,
        judge_process(folder, "target", [reply(ANSWER)]) as tested,
    ):
        moving = {"spec": f"openai:latest@{url}/v1", "allow_floating": True}
        judges: dict[str, Any] = {
            "same family": f"openai:gpt-4.1-2025-04-14@{url}/v1",
            "another family": f"anthropic:claude-sonnet-5@{url}",
            "unknown family": f"openai:our-own@{url}/v1",
            "moving": moving,
            "not allowed": moving["spec"],
        }
        tests = []
        for name, judge in judges.items():
            config = door_config(judge=judge, cache="off")
            tests.append(case(name, [explicit(config), drop_in(config)]))
        target = {
            "id": "openai:chat:gpt-4o-mini",
            "config": {"apiBaseUrl": f"{tested}/v1", "apiKey": "sk-of-the-target-0123456789"},
        }
        yield promptfoo(folder, {**suite(tests), "providers": [target]}, "--no-cache")


@pytest.mark.parametrize(
    ("name", "judge", "same"),
    [
        ("same family", "openai", True),
        ("another family", "anthropic", False),
        ("unknown family", None, None),
    ],
)
def test_the_explicit_door_compares_the_families_of_judge_and_model_under_test(
    related: Run, name: str, judge: str | None, same: bool | None
) -> None:
    found = related.grades(name)[0]["metadata"]["voirdire"]
    assert (found["judge_family"], found["tested_family"]) == (judge, "openai")
    assert found["same_family"] is same
    assert len(found["warnings"]) == int(same is True)


def test_the_drop_in_door_does_not_know_and_says_so(related: Run) -> None:
    found = related.grades("same family")[1]["metadata"]["voirdire"]
    assert (found["judge_family"], found["tested_family"]) == ("openai", None)
    assert found["same_family"] is None


@pytest.mark.parametrize("door", [0, 1])
def test_a_moving_judge_is_refused_or_marked(related: Run, door: int) -> None:
    found = related.grades("moving")[door]["metadata"]["voirdire"]
    assert found["outcome"] == "pass"
    assert found["floating"] is True
    assert found["notes"] == ["floating: latest names no fixed version"]
    assert "names no fixed version" in found["warnings"][0]
    refused = related.grades("not allowed")[door]["metadata"]["voirdire"]
    assert (refused["outcome"], refused["kind"]) == ("judge_error", "config")
    assert "or set allow_floating: true" in refused["reason"]


def test_the_key_of_the_model_under_test_is_in_no_record(related: Run) -> None:
    records = [
        grade["metadata"]["voirdire"] for name in related.rows for grade in related.grades(name)
    ]
    assert len(records) == 10
    assert "sk-of-the-target" not in json.dumps(records)
    assert "sk-of-the-target" not in related.journal.read_text()
