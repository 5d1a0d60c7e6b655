"""The repository's own suite under the real promptfoo, and the summary that judges it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.e2e.conftest import Promptfoo, Run
from tests.e2e.suites import ROOT
from voirdire.jsonl import objects
from voirdire.promptfoo.results import Row, load_rows
from voirdire.stats.table import Table, count, measure

pytestmark = pytest.mark.e2e

SUPPORT = ROOT / "golden" / "kitebase" / "cases.jsonl"
RESUMES = ROOT / "golden" / "resume" / "answers.jsonl"


@pytest.fixture(scope="session")
def run(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Run:
    return promptfoo(folders("the demonstration"), config=ROOT / "promptfooconfig.yaml", cwd=ROOT)


@pytest.fixture(scope="session")
def rows(run: Run) -> dict[str, Row]:
    assert run.rows
    return {row.case_id: row for row in load_rows(run.folder / "results.json")}


def summary(results: Path, cases: Sequence[Path]) -> tuple[int, str]:
    """What the summary prints, and its exit code."""
    command = [sys.executable, "-m", "voirdire.demo", str(results), *map(str, cases)]
    kept = {name: value for name, value in os.environ.items() if name != "VOIRDIRE_JUDGE"}
    done = subprocess.run(
        command, cwd=ROOT, env=kept, capture_output=True, encoding="utf-8", check=False
    )
    assert done.stderr == ""
    return done.returncode, done.stdout


def test_every_case_comes_out_as_its_label_expects(run: Run) -> None:
    assert len(run.rows) == 28
    code, printed = summary(run.folder / "results.json", [SUPPORT, RESUMES])
    assert "All 28 cases came out as their golden labels expect." in printed
    assert code == 0


def test_the_figures_are_those_of_the_golden_data(run: Run, rows: dict[str, Row]) -> None:
    pairs = [
        (case["label"], rows[case["id"]].grades["grounded"].outcome) for _, case in objects(SUPPORT)
    ]
    found = count(pairs)
    assert found == Table(caught=2, missed=1, harsh=1, kept=8)
    assert round(measure("agreement", found) or 0, 2) == 0.83
    assert round(measure("kappa", found) or 0, 2) == 0.56
    _, printed = summary(run.folder / "results.json", [SUPPORT])
    assert "agreement 83%, kappa 0.56, fails caught 2 of 3, passes kept 8 of 9" in printed
    assert "agreement 75%, kappa 0.00, fails caught 0 of 3, passes kept 9 of 9" in printed


def test_the_blind_judge_passes_all_and_was_shown_no_source(rows: dict[str, Row]) -> None:
    source = json.loads((ROOT / "golden" / "kitebase" / "excerpts.json").read_text())
    texts = [item["text"] for item in (source["excerpts"] if isinstance(source, dict) else source)]
    for _, case in objects(SUPPORT):
        grades = rows[case["id"]].grades
        assert grades["blind llm-rubric"].outcome == "pass"
        assert not any(text in grades["blind llm-rubric"].shown for text in texts)
        assert all(json.dumps(text)[1:-1] in grades["grounded"].shown for text in texts)


def test_the_verdicts_of_the_rules_are_computed_and_canned_ones_labelled(
    rows: dict[str, Row],
) -> None:
    for row in rows.values():
        assert row.grades["rules"].canned is False
        assert row.grades["rules"].record["judge"] == "rules"
        assert row.grades["grounded"].canned is True
        assert row.grades["blind llm-rubric"].reason.startswith("[canned reply]")


def test_unreadable_replies_keep_their_raw_text(rows: dict[str, Row]) -> None:
    errors = [
        row.grades["grounded"].record
        for row in rows.values()
        if row.grades["grounded"].outcome == "judge_error"
    ]
    assert {record["kind"] for record in errors} >= {"silent", "prose", "truncated"}
    assert all(record["payload"] for record in errors)


@pytest.fixture(scope="session")
def changed(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Run:
    """A copy of the repository in which one recorded reply says the opposite."""
    folder = folders("a changed copy")
    for name in ("voirdire", "assertions", "providers", "extensions", "golden"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "promptfooconfig.yaml", folder)
    replies = folder / "golden" / "kitebase" / "replies.jsonl"
    lines = replies.read_text(encoding="utf-8").split("\n")
    assert '"kite-02"' in lines[1]
    lines[1] = lines[1].replace(r"\"grounded\": true", r"\"grounded\": false")
    lines[1] = lines[1].replace(r"\"verdict\": \"pass\"", r"\"verdict\": \"fail\"")
    replies.write_text("\n".join(lines), encoding="utf-8")
    return promptfoo(folder, None, "--filter-first-n", "2")


def test_one_reply_that_says_the_opposite_is_named(changed: Run) -> None:
    assert len(changed.rows) == 2
    cases = changed.folder / "golden" / "kitebase" / "cases.jsonl"
    lines = cases.read_text(encoding="utf-8").splitlines()
    cases.write_text("\n".join(lines[:2]), encoding="utf-8")
    code, printed = summary(changed.folder / "results.json", [cases])
    assert code == 1
    assert "1 of 2 cases did not come out as their golden labels expect:" in printed
    assert "kite-02: expected pass, got fail" in printed


def test_another_judge_takes_the_place_of_the_recorded_one(
    promptfoo: Promptfoo, folders: Callable[[str], Path]
) -> None:
    run = promptfoo(
        folders("another judge"),
        None,
        "--filter-first-n",
        "2",
        config=ROOT / "promptfooconfig.yaml",
        cwd=ROOT,
        env={"VOIRDIRE_JUDGE": "rules"},
    )
    assert len(run.rows) == 2
    for row in load_rows(run.folder / "results.json"):
        assert row.grades["grounded"].record["judge"] == "rules"
        assert row.grades["grounded"].canned is False
