"""A suite that requires a certificate, before and after its judge is calibrated."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Promptfoo, Run
from tests.e2e.suites import (
    ANSWER,
    ROOT,
    RUBRIC,
    case,
    door_config,
    drop_in,
    explicit,
    record,
    suite,
    verdict,
    write_files,
    write_lines,
)

pytestmark = pytest.mark.e2e

REQUIRED = door_config(require_certificate="agreement>=0.9, max_age: 90d")
LABELLED = [("good", "pass"), ("bad", "fail")] * 10


def both_doors(config: dict[str, Any]) -> list[dict[str, Any]]:
    """A sound answer through both doors, and through one that would invert the verdict."""
    inverted = explicit(config)
    inverted["type"] = "not-python"
    return [
        case("doors", [explicit(config), drop_in(config)], vars={"case_id": "c0"}),
        case("inverted", [inverted], vars={"case_id": "c0"}),
    ]


def calibrate(folder: Path) -> None:
    """Write the certificate, as the judge error says."""
    words = ["calibrate", "cases.jsonl", "--judge", "replay"]
    words += ["--certificate", "voirdire.certificate.json"]
    subprocess.run(
        [sys.executable, "-m", "voirdire", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "VOIRDIRE_JOURNAL": str(folder / "j.jsonl")},
        capture_output=True,
        check=True,
    )


def records(run: Run) -> list[dict[str, Any]]:
    """What voirdire says of both doors' results."""
    return [grade["metadata"]["voirdire"] for grade in run.grades("doors")]


def test_an_uncertified_judge_turns_nothing_green_and_a_changed_one_neither(
    promptfoo: Promptfoo, folders: Callable[[str], Path]
) -> None:
    folder = folders("certificates")
    replies = [
        record(f"c{n}", verdict("pass" if label == "pass" else "fail"))
        for n, (_, label) in enumerate(LABELLED)
    ]
    write_files(folder, replies)
    write_lines(
        folder / "cases.jsonl",
        (
            {"id": f"c{n}", "question": "How long?", "answer": ANSWER, "label": label}
            for n, (_, label) in enumerate(LABELLED)
        ),
    )
    (folder / "source.txt").write_text((folder / "source.md").read_text("utf-8"), "utf-8")
    before = promptfoo(folder, suite(both_doors(REQUIRED)))
    for found in records(before):
        assert (found["outcome"], found["kind"]) == ("judge_error", "uncertified")
    assert not before.rows["doors"]["success"]
    assert not before.rows["inverted"]["success"]
    assert "voirdire calibrate" in json.dumps(before.rows["doors"])
    calibrate(folder)
    after = promptfoo(folder)
    assert after.rows["doors"]["success"], after.printed
    assert [found["calibration"] for found in records(after)] == ["certified", "certified"]
    rubric = {**RUBRIC, "criteria": {"grounded": "Is each statement in the source?"}}
    (folder / "rubric.yaml").write_text(json.dumps(rubric), encoding="utf-8")
    changed = promptfoo(folder)
    assert not changed.rows["doors"]["success"]
    assert {found["calibration"] for found in records(changed)} == {"changed"}
