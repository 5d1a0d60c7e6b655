"""Stored outputs of promptfoo, read by production's parser: do pass rates or ranks change?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.audit.conftest import Ran, voirdire
from voirdire.audit.rescore import _ranks
from voirdire.errors import ConfigError

SAME = '{"a": 1}'
TWO = 'draft {"a": 1} final {"a": 2}'
PROSE = '{"a": 3} so much for that'


def row(provider: str, output: str, *, success: bool, right: str | None = None) -> dict[str, Any]:
    """A row as promptfoo writes it, as far as this reads it."""
    return {
        "provider": {"id": provider, "label": ""},
        "response": {"output": output},
        "vars": {} if right is None else {"right": right},
        "success": success,
        "failureReason": 0 if success else 1,
        "promptIdx": 0,
        "testCase": {},
    }


def rescored(folder: Path, rows: list[dict[str, Any]], *args: str, first: str, second: str) -> Ran:
    """Audit with these results."""
    results = {"version": 3, "results": rows}
    (folder / "results.json").write_text(json.dumps({"results": results}), encoding="utf-8")
    words = ["audit", "--eval", first, "--production", second, "--corpus", "corpus.jsonl"]
    return voirdire(*words, "--no-growth", "--results", "results.json", *args)


def test_passes_that_production_cannot_read_are_lost_and_the_rank_changes(project: Path) -> None:
    rows = [row("talks", PROSE, success=True)] * 9 + [row("talks", "no", success=False)]
    rows += [row("terse", SAME, success=True)] * 8 + [row("terse", SAME, success=False)] * 2
    ran = rescored(project, rows, "--json", first="forward", second="strict")
    found = ran.json["rescored"]
    assert found["models"]["talks"]["passed"] == {"recorded": 0.9, "least": 0.0, "most": 0.0}
    assert found["models"]["talks"]["lost"] == 9
    assert found["models"]["terse"]["passed"] == {"recorded": 0.8, "least": 0.8, "most": 0.8}
    assert found["ranks"] == "changed"
    shown = rescored(project, rows, first="forward", second="strict").out
    assert "talks: pass rate 90.0% recorded, 0.0% in production" in shown
    assert "the models' ranks change" in shown


def test_other_values_were_never_graded_so_the_rate_lies_between_bounds(project: Path) -> None:
    rows = [row("one", SAME, success=True)] * 6 + [row("one", TWO, success=True)] * 2
    rows += [row("one", TWO, success=False)] * 2
    rows += [row("other", SAME, success=True)] * 7 + [row("other", SAME, success=False)] * 3
    found = rescored(project, rows, "--json", first="backward", second="forward").json["rescored"]
    assert found["models"]["one"]["passed"] == {"recorded": 0.8, "least": 0.6, "most": 1.0}
    assert found["models"]["one"]["ungraded"] == 4
    assert found["ranks"] == "unsure"


def test_nothing_changes_where_both_parsers_read_the_same(project: Path) -> None:
    rows = [row("one", SAME, success=True), row("one", "no", success=True)]
    rows += [row("other", SAME, success=True), row("other", SAME, success=False)]
    found = rescored(project, rows, "--json", first="forward", second="forward").json["rescored"]
    assert found["ranks"] == "unchanged"
    assert found["models"]["one"]["passed"] == {"recorded": 1.0, "least": 1.0, "most": 1.0}
    assert found["outputs"] == 4


def test_with_the_right_value_both_parsers_rates_are_exact(project: Path) -> None:
    rows = [row("one", TWO, success=True, right='{"a": 2}')] * 3
    rows += [row("one", PROSE, success=False, right='{"a": 3}')]
    ran = rescored(
        project, rows, "--json", "--expected", "right", first="backward", second="forward"
    )
    found = ran.json["rescored"]
    assert found["models"]["one"]["expected"] == {"outputs": 4, "eval": 3, "production": 1}
    assert found["ranks_by_value"] == "unchanged"


def test_outputs_that_are_missing_are_counted_and_none_at_all_is_refused(project: Path) -> None:
    gone = {**row("one", "", success=False), "response": {}, "error": "HTTP 500"}
    rows = [gone, row("one", SAME, success=True)]
    found = rescored(project, rows, "--json", first="strict", second="strict").json["rescored"]
    assert (found["outputs"], found["no_output"]) == (1, 1)
    ran = rescored(project, [gone], first="strict", second="strict")
    assert isinstance(ran.error, ConfigError)
    assert "no output" in str(ran.error)


@pytest.mark.parametrize("content", ["[]", "{}", "no"])
def test_what_is_no_results_file_is_refused(project: Path, content: str) -> None:
    (project / "other.json").write_text(content, encoding="utf-8")
    words = ["audit", "--eval", "strict", "--production", "strict", "--corpus", "corpus.jsonl"]
    ran = voirdire(*words, "--no-growth", "--results", "other.json")
    assert isinstance(ran.error, ConfigError)
    assert "other.json" in str(ran.error)


def test_a_variable_that_no_test_has_is_refused(project: Path) -> None:
    rows = [row("one", SAME, success=True)]
    ran = rescored(project, rows, "--expected", "wrong", first="strict", second="strict")
    assert isinstance(ran.error, ConfigError)
    assert "'wrong'" in str(ran.error)


def bounds(recorded: float, least: float, most: float) -> dict[str, float]:
    """A model's rates."""
    return {"recorded": recorded, "least": least, "most": most}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (bounds(0.9, 0.9, 0.9), bounds(0.8, 0.8, 0.8), "unchanged"),
        (bounds(0.9, 0.7, 0.7), bounds(0.8, 0.8, 0.8), "changed"),
        (bounds(0.9, 0.8, 0.8), bounds(0.8, 0.8, 0.8), "changed"),  # a tie is another order
        (bounds(0.9, 0.7, 0.9), bounds(0.8, 0.8, 0.8), "unsure"),
        (bounds(0.9, 0.85, 0.9), bounds(0.8, 0.8, 0.8), "unchanged"),
        (bounds(0.8, 0.8, 0.8), bounds(0.8, 0.8, 0.8), "unchanged"),
        (bounds(0.8, 0.7, 0.7), bounds(0.8, 0.8, 0.8), "changed"),
        (bounds(0.8, 0.7, 0.8), bounds(0.8, 0.8, 0.8), "unsure"),
    ],
)
def test_ranks_change_must_or_may(
    one: dict[str, float], other: dict[str, float], expected: str
) -> None:
    assert _ranks({"one": one, "other": other}) == expected
    assert _ranks({"other": other, "one": one}) == expected
