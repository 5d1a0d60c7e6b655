"""What the real promptfoo wrote, reported: also of judges that voirdire had no hand in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import suites
from tests.e2e.conftest import Promptfoo, Run
from voirdire.promptfoo.runs import open_runs
from voirdire.report.report import make_report

pytestmark = pytest.mark.e2e

BLIND = "Every claim is supported by the help centre."
REPLIES = {
    "good": '{"pass": true, "score": 1, "reason": "All is as it should be."}',
    "bad": '{"pass": false, "score": 0, "reason": "It invents a deadline."}',
    "no-pass": '{"score": 0, "reason": "It invents a deadline."}',
    "empty": "{}",
    "prose": "I think it fails.",
}


@pytest.fixture(scope="module")
def run(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Run:
    """One suite: a blind ``llm-rubric`` beside a grounded judge."""
    folder = folders("report")
    suites.write_files(folder, [suites.record(name, suites.verdict()) for name in REPLIES])
    suites.write_lines(
        folder / "blind.jsonl", [{"id": name, "reply": text} for name, text in REPLIES.items()]
    )
    blind = {
        "type": "llm-rubric",
        "metric": "blind",
        "value": BLIND,
        "provider": {"id": suites.REPLAY, "config": {"replies": "blind.jsonl"}},
    }
    grounded = suites.explicit(suites.door_config(), metric="grounded")
    tests = [suites.case(name, [blind, grounded]) for name in REPLIES]
    lost = {**blind, "metric": "lost", "provider": f"file://{folder / 'raises.py'}"}
    (folder / "raises.py").write_text(
        "def call_api(prompt, options, context):\n    raise RuntimeError('the grader broke')\n"
    )
    tests.append(suites.case("broken", [lost]))
    return promptfoo(folder, suites.suite(tests), "-o", str(folder / "results.jsonl"))


def reported(*paths: Path, eval_ids: tuple[str, ...] = ()) -> dict[str, Any]:
    return make_report(open_runs(paths, eval_ids))


def flags(report: dict[str, Any], metric: str) -> dict[str, dict[str, Any]]:
    return {flag["kind"]: flag for flag in report["flags"] if flag["metric"] == metric}


def test_a_blind_judge_its_silent_errors_and_passes_of_nobodys_are_found(run: Run) -> None:
    found = flags(reported(run.folder / "results.json"), "blind")
    assert found["blind"]["evidence"][0].startswith("echo: 5 of 5: ")
    assert found["fail_open"]["text"].startswith("blind: 2 of 5 ")
    assert "no-pass: a pass with the score 0" in found["fail_open"]["evidence"][0]
    assert found["silent_error"]["text"].startswith("blind: 1 of 5 ")


def test_a_grounded_judge_is_not_blind(run: Run) -> None:
    report = reported(run.folder / "results.json")
    assert not {"blind", "fail_open", "silent_error"} & flags(report, "grounded").keys()
    source = {one["source"] for one in report["rows"] if one["metric"] == "grounded"}
    assert source == {f"[source.md]\n{suites.SOURCE}"}


def test_the_leaderboard_counts_what_was_decided(run: Run) -> None:
    rows = {one["metric"]: one for one in reported(run.folder / "results.json")["leaderboard"]}
    assert (rows["blind"]["passed"], rows["blind"]["decided"]) == (3, 4)
    assert rows["blind"]["errors"] == {"unreadable": 1}
    assert (rows["grounded"]["passed"], rows["grounded"]["decided"]) == (5, 5)
    assert rows["grounded"]["canned"]
    assert rows["lost"]["decided"] == 0


def test_a_grader_that_raised_is_an_error_of_the_judge(run: Run) -> None:
    found = [
        one for one in reported(run.folder / "results.json")["rows"] if one["metric"] == "lost"
    ]
    assert [one["outcome"] for one in found] == ["judge_error"]


def test_lines_and_the_database_say_the_same(run: Run) -> None:
    whole = reported(run.folder / "results.json")
    eval_id = whole["runs"][0]["eval_id"]
    assert eval_id
    database = run.folder / "home" / "promptfoo.db"
    for other in (
        reported(run.folder / "results.jsonl"),
        reported(database),
        reported(database, eval_ids=(eval_id,)),
    ):
        assert figures(other) == figures(whole)
        assert [flag["text"] for flag in other["flags"]] == [
            flag["text"] for flag in whole["flags"]
        ]


def test_a_run_held_against_itself_has_no_flips(run: Run) -> None:
    compared = reported(run.folder / "results.json", run.folder / "results.jsonl")["compared"]
    assert (compared["flips"], compared["alone"]) == ([], 0)
    assert compared["same"] == 11


def figures(report: dict[str, Any]) -> list[dict[str, Any]]:
    """The leaderboard without what a row takes."""
    left_out = ("run", "median_seconds")
    return [
        {name: value for name, value in row.items() if name not in left_out}
        for row in report["leaderboard"]
    ]
