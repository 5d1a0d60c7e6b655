"""What a grade of the results comes to: never a pass that is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.report.made import error, made, ours, plain, row, rubric, write
from tests.report.test_figures import certificate
from voirdire.promptfoo.runs import open_runs
from voirdire.report.page import page
from voirdire.report.report import make_report

DOOR = {
    "type": "python",
    "metric": "grounded",
    "value": "file://g.py",
    "config": {"judge": "rules"},
}
NOT = {**DOOR, "type": "not-python"}
RAISED = (
    "Error running Python script: voirdire.promptfoo.overruled.NotAVerdictError: judge error"
    " (truncated): cut off\n\nStack Trace: Error"
)


def came(folder: Path, *grades: dict[str, Any], **changed: Any) -> list[tuple[str, str]]:
    """Outcome and kind of each grade of one row."""
    found = made(folder, [row("c1", *grades, **changed)])["rows"]
    return [(one["outcome"], one["kind"]) for one in found]


@pytest.mark.parametrize("value", [1, "true", "false", [0], {"a": 1}, float("inf"), None])
def test_only_true_is_a_pass(tmp_path: Path, value: Any) -> None:
    for grade in (rubric(), plain()):
        assert came(tmp_path, {**grade, "pass": value}) == [("fail", "fail")]


@pytest.mark.parametrize(
    ("grade", "expected"),
    [
        ({**ours(), "pass": False}, ("judge_error", "contradicted")),
        ({**ours("fail"), "pass": True}, ("fail", "fail")),
        ({**ours("undecided", "low_confidence"), "pass": True}, ("undecided", "low_confidence")),
        (ours(verdict={"verdict": "fail"}), ("judge_error", "contradicted")),
        (ours(verdict={"criteria": {"a": True, "b": False}}), ("judge_error", "contradicted")),
        (ours(judge_said="most likely"), ("judge_error", "contradicted")),
        (ours(judge_said="fail"), ("fail", "fail")),
        (ours("maybe"), ("judge_error", "damaged")),
    ],
)
def test_a_pass_that_is_contradicted_is_none(
    tmp_path: Path, grade: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert came(tmp_path, grade) == [expected]


def test_of_a_not_what_the_judge_fails_is_a_pass_as_it_is_of_promptfoos_own(tmp_path: Path) -> None:
    def inverted(outcome: str, passed: bool) -> dict[str, Any]:
        return {**ours(outcome), "assertion": NOT, "pass": passed}

    assert came(tmp_path, inverted("pass", False)) == [("fail", "fail")]
    assert came(tmp_path, inverted("fail", True)) == [("pass", "pass")]
    assert came(tmp_path, inverted("fail", False)) == [("judge_error", "contradicted")]
    assert came(tmp_path, rubric(type_="not-llm-rubric")) == [("pass", "pass")]


def test_an_inverted_rate_is_not_corrected_by_what_is_known_of_the_judge(tmp_path: Path) -> None:
    grades = [{**ours("fail"), "assertion": NOT, "pass": True}] * 20
    rows = [row(f"c{at}", grade) for at, grade in enumerate(grades)]
    found = made(tmp_path, rows, certificate=certificate(tmp_path))["leaderboard"][0]
    assert found["passed"] == 20
    assert found["corrected"]["value"] is None
    assert "inverts" in found["corrected"]["refused"]


def test_what_a_door_raised_is_no_fail_of_the_answer(tmp_path: Path) -> None:
    raised = {"assertion": NOT, "pass": False, "score": 0, "reason": RAISED}
    assert came(tmp_path, raised) == [("judge_error", "truncated")]
    own = {**plain(False, "python"), "reason": "Error running Python script: KeyError"}
    assert came(tmp_path, own) == [("judge_error", "crashed")]


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("judge error (truncated): cut off", ("judge_error", "truncated")),
        ("undecided: it is not sure (low_confidence)", ("undecided", "low_confidence")),
        ("The answer says 40 minutes.", ("fail", "fail")),
    ],
)
def test_a_door_without_its_record_is_read_by_its_reason(
    tmp_path: Path, reason: str, expected: tuple[str, str]
) -> None:
    stripped = {"assertion": DOOR, "pass": False, "score": 0, "reason": reason}
    assert came(tmp_path, stripped) == [expected]
    found = made(tmp_path, [row("c1", stripped)])["leaderboard"][0]
    assert found["judged"]


def test_a_reply_that_the_results_do_not_hold_is_null(tmp_path: Path) -> None:
    found = made(tmp_path, [row("c1", rubric()), row("c2", ours())])["rows"]
    assert found[0]["raw"] is None
    assert found[1]["raw"].startswith("{")


@pytest.mark.parametrize("grading", [None, {"pass": True}, {"pass": True, "componentResults": []}])
def test_grades_that_were_stripped_count_as_missing(tmp_path: Path, grading: Any) -> None:
    test = {"assert": [rubric()["assertion"]]}
    assert came(tmp_path, testCase=test, gradingResult=grading) == [("judge_error", "lost")]


def test_an_error_of_old_results_is_one_though_no_reason_is_numbered(tmp_path: Path) -> None:
    old = row("c1", error="HTTP 500", gradingResult=None, response=None)
    old["testCase"]["assert"] = [rubric()["assertion"]]
    del old["failureReason"]
    assert made(tmp_path, [old])["rows"][0]["kind"] == "no_answer"
    failed = row("c1", rubric(False), error="No.")
    del failed["failureReason"]
    assert made(tmp_path, [failed])["rows"][0]["outcome"] == "fail"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 10**400, -1, True])
def test_what_is_no_number_stays_out_of_the_figures_and_of_the_json(
    tmp_path: Path, number: Any
) -> None:
    def no_constant(name: str) -> None:
        raise AssertionError(name)

    grade = ours(cost=number)
    grade["metadata"]["voirdire"]["verdict"]["confidence"] = number
    report = made(tmp_path, [row("c1", grade, cost=number, latencyMs=number)])
    found = report["leaderboard"][0]
    assert (found["cost"], found["judge_cost"], found["median_seconds"]) == (None, None, None)
    data = page(report).partition('id="data">')[2].partition("</script>")[0]
    for text in (json.dumps(report), data):
        json.loads(text, parse_constant=no_constant)


@pytest.mark.parametrize("name", ["run.json", "run.jsonl"])
def test_a_row_that_stands_twice_is_counted_once(tmp_path: Path, name: str) -> None:
    rows = [row("c1", ours(), id="one"), row("c2", ours(), id="two"), row("c1", ours(), id="one")]
    found = make_report(open_runs([write(tmp_path / name, rows)]))
    assert (found["runs"][0]["rows"], found["runs"][0]["damaged"]) == (2, 1)
    assert found["leaderboard"][0]["cases"] == 2


def test_lines_are_known_by_a_whole_one_and_blank_ones_are_none(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row("c1", error("HTTP 500"))])
    path.write_text('{"cut": \n\n' + path.read_text(encoding="utf-8") + "\n \n", encoding="utf-8")
    run = make_report(open_runs([path]))["runs"][0]
    assert (run["rows"], run["damaged"]) == (1, 1)


def test_a_row_that_is_nested_too_deep_is_damaged(tmp_path: Path) -> None:
    deep = json.dumps(row("c1", rubric(), vars={"x": "DEEP"}))
    for depth in (400, 900, 990, 5000):
        path = write(tmp_path / "run.jsonl", [row("c2", rubric())])
        with path.open("a", encoding="utf-8") as file:
            file.write(deep.replace('"DEEP"', "[" * depth + "]" * depth) + "\n")
        run = make_report(open_runs([path]))["runs"][0]
        assert run["rows"] + run["damaged"] == 2
