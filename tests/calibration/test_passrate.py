"""``voirdire corrected``: pass rates without the judge's measured errors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from voirdire.certificate import certify
from voirdire.cli import cli
from voirdire.errors import ConfigError
from voirdire.grade import Setup

SETUP = Setup("f" * 64)
GOOD = {"caught": 45, "missed": 5, "harsh": 2, "kept": 48}


def certificate(folder: Path, confusion: Any, setup: Setup = SETUP) -> Path:
    """A certificate of a judge with these counts."""
    path = folder / "judge.json"
    judge = {"spec": "openai:m", "policy": "strict", **setup._asdict()}
    content = {"date": "2026-11-01", "cases": {"n": 100, "fails": 50}, "confusion": confusion}
    certify(path, judge, {"name": "r"}, "calibration", content)
    return path


def results(
    folder: Path,
    outcomes: list[str],
    setup: Setup = SETUP,
    fingerprint: str = "f" * 64,
    type_: str = "python",
) -> Path:
    """A results file whose rows came out so."""
    record = {"fingerprint": fingerprint, "setup": setup._asdict()}
    rows = [
        {
            "provider": {"id": "p", "label": "model"},
            "response": {"output": "x"},
            "vars": {},
            "success": outcome == "pass",
            "gradingResult": {
                "componentResults": [
                    {
                        "pass": outcome == "pass",
                        "assertion": {"type": type_, "metric": "grounded"},
                        "metadata": {"voirdire": {"outcome": outcome, **record}},
                    }
                ]
            },
        }
        for outcome in outcomes
    ]
    path = folder / "results.json"
    path.write_text(json.dumps({"results": {"version": 3, "results": rows}}), encoding="utf-8")
    return path


def corrected(folder: Path, *words: str) -> Result:
    """Run the command."""
    args = ["corrected", str(folder / "results.json"), "--certificate", str(folder / "judge.json")]
    return CliRunner().invoke(cli, [*args, *words], standalone_mode=False)


def test_the_raw_rate_stands_beside_the_corrected_one(tmp_path: Path) -> None:
    certificate(tmp_path, GOOD)
    results(tmp_path, ["pass"] * 70 + ["fail"] * 25 + ["undecided"] * 3 + ["judge_error"] * 2)
    (row,) = json.loads(corrected(tmp_path, "--json").stdout)["models"]
    assert {key: row[key] for key in ("cases", "decided", "passed", "undecided", "errors")} == {
        "cases": 100,
        "decided": 95,
        "passed": 70,
        "undecided": 3,
        "errors": 2,
    }
    # Rogan and Gladen: (observed + TNR - 1) / (TPR + TNR - 1), of fails; here of passes.
    expected = (70 / 95 + 0.9 - 1) / (0.9 + 0.96 - 1)
    assert row["corrected"]["value"] == pytest.approx(expected)
    assert row["corrected"]["low"] < expected < row["corrected"]["high"]
    shown = corrected(tmp_path).stdout
    assert "model · grounded: 73.7% of 95 decided, coverage 95/100; corrected 74.1%" in shown


def test_a_judge_no_better_than_chance_corrects_nothing_and_says_why(tmp_path: Path) -> None:
    certificate(tmp_path, {"caught": 0, "missed": 10, "harsh": 0, "kept": 10})
    results(tmp_path, ["pass"] * 10)
    shown = corrected(tmp_path)
    assert shown.return_value == 0
    assert "not corrected: " in shown.stdout


def test_what_another_judge_graded_is_not_corrected(tmp_path: Path) -> None:
    certificate(tmp_path, GOOD)
    for setup in (
        Setup("e" * 64),
        SETUP._replace(precheck=True),
        SETUP._replace(samples=3, quorum=2),
        SETUP._replace(order="both"),
    ):
        results(tmp_path, ["pass"] * 10, setup)
        found = corrected(tmp_path)
        assert isinstance(found.exception, ConfigError), setup
        assert "--certificate" in str(found.exception)


def test_what_the_rules_failed_beforehand_is_in_the_rate(tmp_path: Path) -> None:
    checked = SETUP._replace(precheck=True)
    certificate(tmp_path, GOOD, checked)
    # Where the rules decide, the record bears their own fingerprint.
    results(tmp_path, ["fail"] * 4, checked, fingerprint="a" * 64)
    (row,) = json.loads(corrected(tmp_path, "--json").stdout)["models"]
    assert (row["passed"], row["decided"]) == (0, 4)


@pytest.mark.parametrize(
    "confusion", [None, [], {}, {**GOOD, "kept": -1}, {**GOOD, "kept": "9"}, {**GOOD, "more": 1}]
)
def test_a_damaged_table_is_one_sentence(tmp_path: Path, confusion: Any) -> None:
    certificate(tmp_path, confusion)
    results(tmp_path, ["pass"])
    found = corrected(tmp_path)
    assert isinstance(found.exception, ConfigError)
    assert "judge.json" in str(found.exception)


@pytest.mark.parametrize("content", ["", "[]", "{}"])
def test_what_is_no_results_file_is_refused(tmp_path: Path, content: str) -> None:
    certificate(tmp_path, GOOD)
    (tmp_path / "results.json").write_text(content, encoding="utf-8")
    assert isinstance(corrected(tmp_path).exception, ConfigError)


def test_a_rate_of_inverted_verdicts_is_not_corrected(tmp_path: Path) -> None:
    certificate(tmp_path, GOOD)
    results(tmp_path, ["pass"] * 70 + ["fail"] * 30, type_="not-python")
    (row,) = json.loads(corrected(tmp_path, "--json").stdout)["models"]
    assert row["corrected"]["value"] is None
    assert "inverts the verdicts" in row["corrected"]["refused"]
