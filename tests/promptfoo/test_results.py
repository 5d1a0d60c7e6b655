"""promptfoo's results file, read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import ConfigError
from voirdire.promptfoo.results import Row, load_rows


def rows_of(tmp_path: Path, *rows: dict[str, Any]) -> list[Row]:
    path = tmp_path / "results.json"
    path.write_text(json.dumps({"results": {"results": rows}}), encoding="utf-8")
    return load_rows(path)


def graded(**fields: Any) -> dict[str, Any]:
    item = {"pass": False, "reason": "because", "assertion": {"type": "llm-rubric"}, **fields}
    return {
        "vars": {"case_id": "1"},
        "response": {"output": "an answer"},
        "failureReason": 1,
        "gradingResult": {"componentResults": [item]},
    }


@pytest.mark.parametrize(
    ("fields", "outcome", "kind"),
    [
        ({"pass": True}, "pass", "pass"),
        ({"pass": False}, "fail", "fail"),
        ({"metadata": {"graderError": True}}, "judge_error", "judge_error"),
        (
            {"metadata": {"voirdire": {"outcome": "undecided", "kind": "incomplete"}}},
            "undecided",
            "incomplete",
        ),
        (
            # What our own drop-in door hands on is not what the row's `graderError` says.
            {
                "metadata": {
                    "graderError": True,
                    "voirdire": {"outcome": "undecided", "kind": "low_confidence"},
                }
            },
            "undecided",
            "low_confidence",
        ),
    ],
)
def test_errors_are_told_from_fails(
    tmp_path: Path, fields: dict[str, Any], outcome: str, kind: str
) -> None:
    (row,) = rows_of(tmp_path, graded(**fields))
    grade = row.grades["llm-rubric"]
    assert (grade.outcome, grade.kind, grade.reason) == (outcome, kind, "because")


def test_grades_are_named_by_their_metric(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, graded(assertion={"type": "python", "metric": "grounded"}))
    assert list(row.grades) == ["grounded"]


def test_what_the_judge_was_shown_is_ours_where_we_wrote_it_down(tmp_path: Path) -> None:
    both = {"renderedGradingPrompt": "theirs", "voirdire": {"prompt": "ours", "outcome": "pass"}}
    (row,) = rows_of(tmp_path, graded(metadata=both))
    assert row.grades["llm-rubric"].shown == "ours"
    (row,) = rows_of(tmp_path, graded(metadata={"renderedGradingPrompt": "theirs"}))
    assert row.grades["llm-rubric"].shown == "theirs"


def test_an_error_of_promptfoos_has_no_grades(tmp_path: Path) -> None:
    (row,) = rows_of(
        tmp_path, {"vars": {"case_id": "1"}, "failureReason": 2, "error": "down", "response": None}
    )
    assert (row.error, row.grades, row.output) == ("down", {}, "null")


def test_an_answer_that_is_json_is_its_json(tmp_path: Path) -> None:
    (row,) = rows_of(tmp_path, {**graded(), "response": {"output": {"a": 1}}})
    assert row.output == '{"a": 1}'


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"results": {"results": [7]}}', "\ud800"])
def test_another_file_is_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "results.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ConfigError, match="is no results file; write one with promptfoo eval"):
        load_rows(path)
    with pytest.raises(ConfigError, match="cannot be read"):
        load_rows(tmp_path / "none.json")
