"""Judges that would look fit by what was left out, and are found out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.calibration.test_attacks import run
from tests.calibration.test_calibrate import SOURCE, calibrate, project, verdict
from tests.judges.judge_server import JudgeServer, reply
from voirdire.calibration.casefile import rows
from voirdire.certificate import certify, load, standing
from voirdire.errors import ConfigError
from voirdire.grade import Setup
from voirdire.minima import COVERAGE_WANTED, Minimum, measured, read_minimum

GATE = ("--min-agreement", "0.8", "--min-kappa", "0.6", "--min-fails-caught", "0.8")
SOUND = [("pass", verdict("pass"))] * 30 + [("fail", verdict("fail"))] * 20


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOIRDIRE_JOURNAL", str(tmp_path / "journal.jsonl"))
    monkeypatch.delenv("VOIRDIRE_JUDGE", raising=False)


def certified(folder: Path, labelled: Sequence[tuple[str, str]], cases: Any = ()) -> Path:
    """The certificate of the recorded judge with these labels and replies."""
    path = folder / "judge.json"
    calibrate(project(folder, labelled, cases), "--judge", "replay", "--certificate", path)
    return path


def status(path: Path, minimum: Minimum | None = None) -> str:
    """How the judge of a certificate stands."""
    judge = load(path)["judge"]
    return standing(path, Setup(**{name: judge[name] for name in Setup._fields}), minimum).status


def drifted(certificate: Path) -> dict[str, Any]:
    """The record of ``voirdire drift``."""
    found: dict[str, Any] = json.loads(run("drift", certificate, "--json").stdout)
    return found


def test_a_judge_that_errs_on_the_hard_cases_alone_holds_nothing(tmp_path: Path) -> None:
    silent = [("pass", verdict("pass"))] * 95 + [("fail", "nonsense")] * 4
    path = certified(tmp_path, [*silent, ("fail", verdict("fail"))])
    calibration = load(path)["calibration"]
    assert calibration["kappa"]["value"] == 1
    assert measured(calibration, "coverage") == 0.2  # of the fails; 96 of all 100
    assert status(path) == "uncertified"
    assert status(path, read_minimum("coverage>=0.2")) == "certified"
    failed = run("gate", path, *GATE)
    assert failed.return_value == 1
    assert "FAILS  coverage" in failed.stdout
    assert run("gate", path, *GATE, "--min-coverage", "0.2").return_value == 0


@pytest.mark.parametrize(("silent", "holds"), [(4, True), (5, False)])
def test_the_least_coverage_is_met_or_not(tmp_path: Path, silent: int, holds: bool) -> None:
    fails = [("fail", "nonsense")] * silent + [("fail", verdict("fail"))] * (20 - silent)
    path = certified(tmp_path, [("pass", verdict("pass")), *fails])
    assert (1 - silent / 20 >= COVERAGE_WANTED) == holds
    assert (status(path) == "certified") == holds


@pytest.mark.parametrize("value", [{"n": 4, "fails": 4}, {"n": 4}, {"n": "4", "fails": 1}, []])
def test_a_coverage_that_cannot_be_told_is_none(value: Any) -> None:
    table = {"caught": 1, "missed": 1, "harsh": 0, "kept": 0}
    found = measured({"cases": value, "confusion": table}, "coverage")
    assert found == (0.5 if value == {"n": 4, "fails": 4} else None)


def test_the_gate_fails_a_judge_that_failed_its_examination(tmp_path: Path) -> None:
    path = certified(tmp_path, SOUND)
    assert run("gate", path, *GATE).return_value == 0
    before = load(path)
    content = {"date": "2026-11-01", "questions": {"sight": "fail", "form": "pass"}}
    certify(path, before["judge"], before["rubric"], "examination", content)
    failed = run("gate", path, *GATE)
    assert failed.return_value == 1
    assert "FAILS  sight" in failed.stdout
    shown = json.loads(run("gate", path, *GATE, "--json").stdout)
    assert (shown["passed"], shown["failed_questions"]) == (False, ["sight"])


def test_a_run_that_was_broken_off_certifies_nobody_until_it_is_finished(tmp_path: Path) -> None:
    cases, path = project(tmp_path, SOUND[25:35]), tmp_path / "judge.json"
    kept = ("--cache", tmp_path / "cache.sqlite", "--certificate", path)
    with JudgeServer([reply(verdict("pass"))]) as server:
        judge = ("--judge", f"openai:m-2024-08-06@{server.url}/v1", "--set", "in_flight=1")
        broken = run("calibrate", cases, *judge, *kept, "--set", "max_calls=4")
        assert broken.return_value == 1
        assert "was not written: on 6 of 10 cases no reply came (budget 6)" in broken.stderr
        assert not path.exists()
        asked = len(server.requests)
        assert run("calibrate", cases, *judge, *kept).return_value == 0
        assert len(server.requests) == 10 > asked
    assert load(path)["calibration"]["missing"] == {}


def test_copies_of_easy_cases_show_no_lower_bound(tmp_path: Path) -> None:
    easy = [{"answer": f"{label} as  it is" + " " * (n % 2)} for n, (label, _) in enumerate(SOUND)]
    path = certified(tmp_path, SOUND, easy)
    calibration = load(path)["calibration"]
    assert (calibration["cases"]["n"], calibration["cases"]["distinct"]) == (
        50,
        {"n": 2, "fails": 1},
    )
    for minimum in ("n>=3", "fails>=2", "fails_caught_low>=0.1"):
        assert status(path, read_minimum(minimum)) == "uncertified"
    assert status(path, read_minimum("fails_caught>=0.9, n>=2")) == "certified"
    assert run("gate", path, *GATE, "--lower-bounds").return_value == 1


def test_a_copy_or_two_leave_the_bounds(tmp_path: Path) -> None:
    path = certified(tmp_path, SOUND, [{"answer": "the same"}] * 2)
    assert status(path, read_minimum("fails_caught_low>=0.8, n>=49")) == "certified"


def test_rows_that_could_not_be_read_are_told_where_the_figures_stand(tmp_path: Path) -> None:
    cases = project(tmp_path, [*SOUND[28:32], ("failed", verdict("pass"))])
    assert "left out 1 that cannot be read" in run("calibrate", cases, "--judge", "replay").stdout


@pytest.mark.parametrize("name", ["none/judge.json", "report.json"])
def test_a_certificate_that_cannot_be_written_is_told_before_anything_is_asked(
    tmp_path: Path, name: str
) -> None:
    cases = project(tmp_path, SOUND[28:32])
    (tmp_path / "report.json").write_text("{}", "utf-8")
    with JudgeServer([reply(verdict("pass"))]) as server:
        judge = f"openai:m-2024-08-06@{server.url}/v1"
        done = run("calibrate", cases, "--judge", judge, "--certificate", tmp_path / name)
        assert isinstance(done.exception, ConfigError)
        assert server.requests == []


def test_drift_finds_the_cases_beside_the_certificate_from_any_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases, judges = tmp_path / "cases", tmp_path / "judges"
    cases.mkdir()
    judges.mkdir()
    project(cases, SOUND[20:40])
    monkeypatch.chdir(cases)
    calibrate(Path("cases.jsonl"), "--judge", "replay", "--certificate", "../judges/judge.json")
    assert load(judges / "judge.json")["calibration"]["cases"]["path"] == "../cases/cases.jsonl"
    for folder in (tmp_path, judges):
        monkeypatch.chdir(folder)
        done = drifted(judges / "judge.json")
        assert done["changed"] == []
        assert done["right"]["now"] == {"k": 20, "n": 20}


def test_other_sources_are_no_drift_of_the_judge(tmp_path: Path) -> None:
    quoting = [(label, verdict(label).replace(SOURCE, "30 minutes")) for label, _ in SOUND[20:40]]
    path = certified(tmp_path, quoting)
    (tmp_path / "source.txt").write_text("It lasts 30 minutes, no longer.", "utf-8")
    done = drifted(path)
    assert done["changed"] == ["sources"]
    assert "the sources changed" in done["conclusion"]


def test_cases_by_the_thousand_may_stand_in_yaml_and_a_bomb_of_aliases_may_not(
    tmp_path: Path,
) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text("- {id: c, answer: a, label: pass, tags: []}\n" * 5000, "utf-8")
    assert len(list(rows(path))) == 5000
    links = "".join(f"- &a{n} [{f'*a{n - 1}, ' * 9}]\n" for n in range(1, 9))
    path.write_text(f"- &a0 [1]\n{links}", "utf-8")
    with pytest.raises(ConfigError, match="drop the YAML aliases"):
        list(rows(path))
