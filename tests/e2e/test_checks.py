"""The deterministic checks under the real promptfoo: the shipped suite, and what they catch."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import FAILED_TESTS, Promptfoo, Run
from tests.e2e.suites import ROOT, suite

pytestmark = pytest.mark.e2e

CHECKS = f"file://{ROOT}/assertions/checks.py"
GOOD = "A reset link works for 30 minutes [kb-01]."
SOURCE = [{"id": "kb-01", "text": "A reset link works for 30 minutes. See https://a.example/x."}]
CONFIG: dict[str, Any] = {"source": "source.json", "numbers": True, "citations": True}
BROKEN = {**CONFIG, "number": True}
SCHEMA = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}

# Name → the answer, further config, and the checks that must fail, each with a word of its reason.
CAUGHT: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "number": ("It works for 45 minutes.", {}, {"numbers": "45 minutes is not in the source"}),
    "citation": (f"{GOOD} [kb-99]", {}, {"citations": "[kb-99] is the id of no source"}),
    "link": ("See https://b.example/x.", {"links": True}, {"links": "https://b.example/x"}),
    "forbidden": ("As an AI, no.", {"forbidden": ["as an ai"]}, {"forbidden": "says 'as an ai'"}),
    "length": (GOOD, {"length": {"max": 3, "unit": "words"}}, {"length": "at most 3"}),
    "schema": (
        '{"id": "x"}',
        {"schema": "schema.json", "required_fields": ["name"]},
        {"schema": "$.id: 'x' is not of type 'integer'", "required_fields": "`name` is missing"},
    ),
    "empty": ("", {}, {"numbers": "the answer is empty", "citations": "the answer is empty"}),
}
# Name → fields of the assertion, and of its test, each of which makes promptfoo overrule a grade.
OVERRULED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "alone": ({}, {}),
    "inverted": ({"type": "not-python"}, {}),
    "weight 0": ({"weight": 0}, {}),
    "threshold": ({}, {"threshold": 0.1}),
    "inverted, threshold": ({"type": "not-python"}, {"threshold": 0.1}),
    "weight 0, threshold": ({"weight": 0}, {"threshold": 0.1}),
}


def case(
    name: str, answer: str, config: Any, fields: dict[str, Any] | None = None, **test: Any
) -> dict[str, Any]:
    """A test with our assertion, beside two that hold."""
    ours = {"type": "python", "value": CHECKS, "config": config, **(fields or {})}
    beside = {"type": "javascript", "value": "true"}
    return {
        "description": name,
        "vars": {"answer": answer},
        "assert": [ours, beside, beside],
        **test,
    }


@pytest.fixture(scope="session")
def run(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Run:
    folder = folders("checks")
    (folder / "source.json").write_text(json.dumps(SOURCE))
    (folder / "schema.json").write_text(json.dumps(SCHEMA))
    tests = [case("good", GOOD, CONFIG)]
    tests += [
        case(name, answer, {**CONFIG, **config}) for name, (answer, config, _) in CAUGHT.items()
    ]
    tests += [
        case(f"broken, {name}", GOOD, BROKEN, fields, **test)
        for name, (fields, test) in OVERRULED.items()
    ]
    return promptfoo(folder, suite(tests))


def components(run: Run, name: str) -> dict[str, dict[str, Any]]:
    """The checks of a test by the name that promptfoo's viewer shows."""
    return {
        grade["assertion"]["metric"]: grade
        for grade in run.grades(name)
        if "metric" in grade["assertion"]
    }


def test_an_answer_passes_where_every_check_does(run: Run) -> None:
    assert run.rows["good"]["success"] is True
    assert {name: item["pass"] for name, item in components(run, "good").items()} == {
        "citations": True,
        "numbers": True,
    }


@pytest.mark.parametrize("name", CAUGHT)
def test_each_failed_check_is_a_component_with_its_reason(run: Run, name: str) -> None:
    wrong = CAUGHT[name][2]
    row = run.rows[name]
    assert row["success"] is False
    assert row["failureReason"] == 1
    found = components(run, name)
    assert {check for check, item in found.items() if not item["pass"]} == set(wrong)
    for check, item in found.items():
        assert item["assertion"]["type"] == "python"
        assert item["reason"].startswith(f"{check}: ")
        assert wrong.get(check, "passed") in item["reason"]
        assert row["namedScores"][f"check_{check}"] == int(check not in wrong)
    assert row["gradingResult"]["reason"].startswith(f"{len(wrong)} of {len(found)} checks failed")


@pytest.mark.parametrize("name", OVERRULED)
def test_a_configuration_error_is_never_a_pass(run: Run, name: str) -> None:
    row = run.rows[f"broken, {name}"]
    assert row["success"] is False
    # At weight 0 under a threshold only promptfoo's own error is left to say so.
    if name != "weight 0, threshold":
        (reason,) = [grade["reason"] for grade in run.grades(f"broken, {name}")][:1]
        assert "unknown field `number`" in reason or name == "inverted, threshold"


def test_failures_end_promptfoo_as_failed(run: Run) -> None:
    assert run.code == FAILED_TESTS


@pytest.fixture(scope="session")
def shipped(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Run:
    return promptfoo(
        folders("shipped checks"), config=ROOT / "promptfooconfig.checks.yaml", cwd=ROOT
    )


def test_the_shipped_suite_passes_so_that_it_may_gate_merges(shipped: Run) -> None:
    assert shipped.code == 0, shipped.printed
    stats = shipped.results["results"]["stats"]
    assert (stats["failures"], stats["errors"]) == (0, 0)
    assert stats["successes"] == len(shipped.rows) >= 4


def test_the_shipped_suite_runs_every_check(shipped: Run) -> None:
    run_checks = {name for row in shipped.rows for name in components(shipped, row)}
    assert run_checks >= {
        "schema", "required_fields", "citations", "links", "numbers", "forbidden", "length",
    }  # fmt: skip


def test_no_judge_is_asked(run: Run, shipped: Run) -> None:
    assert not run.journal.exists()
    assert not shipped.journal.exists()
