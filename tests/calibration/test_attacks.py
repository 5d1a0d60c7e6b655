"""What would make an unfit judge look fit, or a report say what is not so."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.calibration.test_calibrate import calibrate, project, verdict
from voirdire.certificate import certify, load
from voirdire.cli import cli
from voirdire.errors import ConfigError
from voirdire.grade import Setup

STEERING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
HOSTILE = "x\x1b[2J\u202e\n- the judge holds"
SETUP = Setup("f" * 64)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOIRDIRE_JOURNAL", str(tmp_path / "journal.jsonl"))
    monkeypatch.delenv("VOIRDIRE_JUDGE", raising=False)


def run(*words: str | Path) -> Result:
    """A command, as a user runs it."""
    return CliRunner().invoke(cli, list(map(str, words)), standalone_mode=False)


def nulls(value: Any, path: str = "") -> list[str]:
    """Where measures are null and no ``why`` stands beside them."""
    if isinstance(value, list):
        return [found for n, item in enumerate(value) for found in nulls(item, f"{path}.{n}")]
    if not isinstance(value, dict):
        return []
    bare = [
        f"{path}.{name}"
        for name in ("value", "agreement", "kappa", "balanced_accuracy")
        if name in value and value[name] is None and not value.get("why")
    ]
    return bare + [found for name, item in value.items() for found in nulls(item, f"{path}.{name}")]


@pytest.mark.parametrize(
    "rows",
    [
        [("pass", "nonsense")] * 3,
        [("fail", "nonsense")] * 2 + [("pass", verdict("pass"))],
        [("pass", verdict("pass"))] * 3,
        [("fail", verdict("fail"))],
        [("fail", verdict("pass"))],
        [("fail", verdict("pass")), ("pass", verdict("pass"))],
        [("fail", verdict("fail")), ("pass", verdict("fail"))],
    ],
)
def test_what_is_undefined_is_null_and_says_why(
    tmp_path: Path, rows: list[tuple[str, str]]
) -> None:
    cases = project(tmp_path, rows)
    out = tmp_path / "report.json"
    run("calibrate", cases, "--judge", "replay", "--out", out)

    def refused(name: str) -> Any:
        raise AssertionError(name)

    report = json.loads(out.read_text("utf-8"), parse_constant=refused)
    report.pop("comparison")
    assert nulls(report) == []


def test_a_judge_that_decides_only_the_easy_cases_is_not_the_best(tmp_path: Path) -> None:
    rows = [("pass", verdict("pass"))] * 18 + [("fail", verdict("fail"))] * 18
    rows += [("pass", verdict("fail")), ("fail", verdict("pass"))]
    cases = project(tmp_path, rows)
    shy = [{"id": f"c{n}", "reply": "nonsense", "finish_reason": "stop"} for n in range(len(rows))]
    for n in (0, 20):
        shy[n]["reply"] = rows[n][1]
    path = tmp_path / "shy.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in shy), "utf-8")
    report = calibrate(cases, "--judge", f"replay:{path}", "--compare", "replay")
    first, second = report["comparison"]["judges"]
    assert first["balanced_accuracy"] == 1.0  # of the two that it decided
    assert (first["decided"], first["n"]) == (2, 38)
    assert report["comparison"]["best"] == second["judge"]
    assert first["shown_worse"] is True


def test_a_judge_without_a_single_verdict_replaces_no_certificate(tmp_path: Path) -> None:
    cases = project(tmp_path, [("pass", verdict("pass")), ("fail", verdict("fail"))])
    path = tmp_path / "judge.json"
    calibrate(cases, "--judge", "replay", "--certificate", path)
    before = path.read_bytes()
    project(tmp_path, [("pass", "nonsense"), ("fail", "nonsense")])
    found = run("calibrate", cases, "--judge", "replay", "--certificate", path)
    assert found.return_value == 1
    assert "was not written: no case was decided" in found.stderr
    assert path.read_bytes() == before


def test_copies_of_a_case_are_said_where_the_figures_stand(tmp_path: Path) -> None:
    copy = {"answer": "Answer 0."}
    cases = project(tmp_path, [("pass", verdict("pass"))] * 50, [copy] * 50)
    found = run("calibrate", cases, "--judge", "replay")
    assert "49 copies of other cases count again" in found.stdout
    assert found.stderr.count("under another id") == 20
    assert "and 29 more such" in found.stderr


def test_a_label_of_a_criterion_that_the_rubric_has_not_is_said(tmp_path: Path) -> None:
    cases = project(tmp_path, [("pass", verdict("pass"))], [{"criteria": {"gruonded": True}}])
    found = run("calibrate", cases, "--judge", "replay")
    assert "cases.jsonl:1: the rubric has no criterion 'gruonded'" in found.stderr
    assert "there is grounded" in found.stderr


def test_no_text_of_a_case_steers_the_terminal_or_writes_a_line_of_the_report(
    tmp_path: Path,
) -> None:
    more = {"id": HOSTILE, "tags": [HOSTILE], "note": HOSTILE, "question": HOSTILE}
    cases = project(
        tmp_path,
        [("fail", verdict("pass"))] * 6,
        [{**more, "id": f"{HOSTILE}{n}", "answer": f"{HOSTILE}{n}"} for n in range(6)],
    )
    replies = [
        {"id": f"{HOSTILE}{n}", "reply": verdict("pass"), "finish_reason": "stop"} for n in range(6)
    ]
    (tmp_path / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in replies))
    found = run("calibrate", cases, "--judge", "replay")
    assert "6 disagreements" in found.stdout
    for shown in (found.stdout, found.stderr):
        assert not STEERING.search(shown)
        assert not any(line.startswith("- the judge holds") for line in shown.splitlines())


def test_no_name_in_results_steers_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    judge = {"spec": "openai:m", "policy": "strict", **SETUP._asdict()}
    confusion = {"caught": 45, "missed": 5, "harsh": 2, "kept": 48}
    content = {"date": "2026-11-01", "cases": {}, "confusion": confusion}
    certify(path, judge, {"name": "r"}, "calibration", content)
    record = {"outcome": "pass", "setup": SETUP._asdict()}
    component = {
        "pass": True,
        "assertion": {"type": "python", "metric": HOSTILE},
        "metadata": {"voirdire": record},
    }
    row = {
        "provider": {"id": "p", "label": HOSTILE},
        "response": {"output": "x"},
        "gradingResult": {"componentResults": [component]},
    }
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"results": {"version": 3, "results": [row]}}), "utf-8")
    found = run("corrected", results, "--certificate", path)
    assert "of 1 decided" in found.stdout
    assert not STEERING.search(found.stdout)
    assert len(found.stdout.splitlines()) == 1


@pytest.mark.parametrize("content", [b"[" * 100_000, b"\xff{", b"", b"7", b'{"kappa": {}}'])
def test_the_gate_refuses_what_is_no_report(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    assert isinstance(run("gate", path, "--min-kappa", "0.1").exception, ConfigError)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "0.9", [1], None, True, 10**400])
def test_the_gate_passes_no_measure_that_is_no_number(tmp_path: Path, value: Any) -> None:
    cases = project(tmp_path, [("pass", verdict("pass")), ("fail", verdict("fail"))])
    report = calibrate(cases, "--judge", "replay")
    path = tmp_path / "report.json"
    report["kappa"]["value"] = report["fails_caught"]["k"] = value
    path.write_text(json.dumps(report), "utf-8")
    for minimum in ("--min-kappa", "--min-fails-caught"):
        assert run("gate", path, minimum, "0").return_value == 1
    assert "nan" not in run("gate", path, "--min-kappa", "0", "--json").stdout.lower()


def test_the_gate_refuses_a_certificate_without_a_calibration(tmp_path: Path) -> None:
    path = tmp_path / "judge.json"
    judge = {"spec": "openai:m", "policy": "strict", **SETUP._asdict()}
    content = {"date": "2026-11-01", "questions": {"sight": "pass"}}
    certify(path, judge, {"name": "r"}, "examination", content)
    assert load(path)["calibration"] is None
    found = run("gate", path, "--min-kappa", "0").exception
    assert isinstance(found, ConfigError)
    assert "holds no calibration" in str(found)
