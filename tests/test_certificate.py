"""Certificates: what was measured of which judge, and whether it still holds."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from voirdire.certificate import _digest, certify, load, standing
from voirdire.errors import ConfigError
from voirdire.grade import Setup
from voirdire.minima import Minimum, measured, read_minimum

SETUP = Setup("f" * 64)
TODAY = date(2026, 12, 1)
RUBRIC = {"name": "support", "version": "v" * 64}
CALIBRATION: dict[str, Any] = {
    "date": "2026-11-01",
    "cases": {"path": "cases.jsonl", "sha256": "c" * 64, "n": 60, "fails": 20},
    "agreement": {"value": 0.9, "low": 0.8, "high": 0.95},
    "kappa": {"value": 0.7, "low": 0.5, "high": 0.8},
    "balanced_accuracy": {"value": None, "low": None, "high": None},
    "fails_caught": {"k": 18, "n": 20, "low": 0.683, "high": 0.988},
    "passes_kept": {"k": 0, "n": 0, "low": None, "high": None},
    "confusion": {"caught": 18, "missed": 2, "harsh": 4, "kept": 36},
}


def written(path: Path, setup: Setup = SETUP, **parts: Any) -> Path:
    """A certificate with these parts."""
    judge = {"spec": "openai:m", "policy": "strict", **setup._asdict()}
    for name, content in (parts or {"calibration": CALIBRATION}).items():
        certify(path, judge, RUBRIC, name, content)
    return path


def test_a_calibrated_judge_is_certified_until_its_setup_changes(tmp_path: Path) -> None:
    path = written(tmp_path / "c.json")
    assert standing(path, SETUP, today=TODAY).status == "certified"
    for setup in (
        Setup("e" * 64),
        SETUP._replace(samples=3),
        SETUP._replace(order="both"),
        SETUP._replace(precheck=True),
    ):
        found = standing(path, setup, today=TODAY)
        assert found.status == "changed"
        assert found.why


def test_no_certificate_or_one_without_a_calibration_certifies_nobody(tmp_path: Path) -> None:
    assert standing(None, SETUP).status == "uncertified"
    path = written(tmp_path / "c.json", examination={"date": "2026-11-01", "questions": {}})
    assert standing(path, SETUP).status == "uncertified"


def test_a_judge_that_failed_its_examination_is_not_certified(tmp_path: Path) -> None:
    questions = {"sight": "fail", "form": "pass", "position": "not shown"}
    path = written(
        tmp_path / "c.json",
        calibration=CALIBRATION,
        examination={"date": "2026-11-01", "questions": questions},
    )
    found = standing(path, SETUP, today=TODAY)
    assert found.status == "uncertified"
    assert "sight" in found.why


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ("kappa>=0.7", "certified"),
        ("kappa>=0.71", "uncertified"),
        ("kappa_low>=0.6", "uncertified"),
        ("fails_caught>=0.9, fails_caught_low>=0.6", "certified"),
        ("balanced_accuracy>=0.1", "uncertified"),  # undefined is not enough
        ("passes_kept>=0.1", "uncertified"),
        ("mcc>=0.1", "uncertified"),  # not measured
        ("n>=50, fails>=15", "certified"),
        ("n>=100", "uncertified"),
        ("max_age: 30d", "certified"),
        ("max_age: 29d", "expired"),
        ({"kappa": 0.6, "max_age": "90d"}, "certified"),
        ({"kappa": 0.9}, "uncertified"),
    ],
)
def test_minima_are_held(tmp_path: Path, asked: Any, status: str) -> None:
    path = written(tmp_path / "c.json")
    assert standing(path, SETUP, read_minimum(asked), today=TODAY).status == status


def test_what_requires_nothing_and_what_requires_any_certificate() -> None:
    assert read_minimum(False) is None
    assert read_minimum(True) == Minimum()


@pytest.mark.parametrize(
    "value",
    [
        *("", "kappa", "kappa>=x", "no_such>=1", "max_age: 90", "max_age: soon", 7, [], None),
        # What could never hold anybody to anything, or never be reached.
        *("kappa>=nan", "kappa>=-inf", "n>=inf", "agreement>=-5", "kappa>=60", "kappa>=60%"),
        *("kappa>0.6", "kappa=0.6", "true", "yes", 0, 1.0, ["kappa>=0.6"], "n_low>=1"),
        *("max_age>=90d", "max_age: -5d", "max_age: 1e9d", "max_age: 90 d", "max_age: ٩d"),
        # Of two, the weaker one might win.
        *("kappa>=0.6, kappa>=0.1", "max_age: 9d, max_age: 900d"),
        *({"kappa": float("nan")}, {"kappa": None}, {"kappa": True}, {"max_age": 90}, {1: 2}),
    ],
)
def test_minima_that_cannot_be_read_are_refused(value: Any) -> None:
    with pytest.raises(ConfigError, match="require_certificate"):
        read_minimum(value)


def test_a_certificate_that_was_changed_by_hand_is_not_taken(tmp_path: Path) -> None:
    path = written(tmp_path / "c.json")
    path.write_text(path.read_text("utf-8").replace('"k": 18', '"k": 20'), encoding="utf-8")
    with pytest.raises(ConfigError, match="changed after it was written"):
        standing(path, SETUP)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"voirdire_certificate": 2}', "no"])
def test_what_is_no_certificate_is_refused_in_one_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"c\.json"):
        load(path)
    with pytest.raises(ConfigError, match="voirdire calibrate"):
        load(tmp_path / "none.json")


def test_another_part_stays_for_the_same_judge_and_goes_for_another(tmp_path: Path) -> None:
    path = written(tmp_path / "c.json")
    examination = {"date": "2026-11-02", "questions": {"sight": "pass"}}
    written(path, examination=examination)
    assert load(path)["calibration"] == CALIBRATION
    written(path, Setup("e" * 64), examination=examination)
    assert load(path)["calibration"] is None


def test_something_else_is_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "notes.json"
    path.write_text('{"my": "notes"}', encoding="utf-8")
    with pytest.raises(ConfigError, match="is no certificate"):
        written(path)
    assert json.loads(path.read_text("utf-8")) == {"my": "notes"}


def test_measures_are_found_by_name() -> None:
    assert measured(CALIBRATION, "fails_caught") == 0.9
    assert measured(CALIBRATION, "fails_caught_low") == 0.683
    assert measured(CALIBRATION, "passes_kept") is None
    assert measured(CALIBRATION, "balanced_accuracy_low") is None
    assert measured(CALIBRATION, "fails") == 20


def forged(path: Path, change: Any) -> Path:
    """A certificate changed by hand, its hash written anew: nothing guards against that."""
    certificate = json.loads(written(path).read_text("utf-8"))
    change(certificate)
    certificate["sha256"] = _digest(certificate)
    path.write_text(json.dumps(certificate), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), "0.9", True, [0.9], {}, 10**400, None]
)
@pytest.mark.parametrize("name", ["kappa", "kappa_low", "fails_caught", "n", "fails"])
def test_what_is_no_number_reaches_no_minimum(tmp_path: Path, name: str, value: Any) -> None:
    def change(certificate: dict[str, Any]) -> None:
        calibration = certificate["calibration"]
        calibration["kappa"] = {"value": value, "low": value}
        calibration["fails_caught"] = {"k": value, "n": value}
        calibration["cases"] |= {"n": value, "fails": value}

    path = forged(tmp_path / "c.json", change)
    found = standing(path, SETUP, read_minimum(f"{name}>=0.1"), today=TODAY)
    assert found.status == "uncertified"


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("calibration", "yes"),
        ("calibration", []),
        ("calibration", {"date": 7}),
        ("calibration", {"date": "soon"}),
        ("examination", "yes"),
        ("examination", []),
        ("examination", {"questions": [["a", "b"]]}),
        ("judge", "openai:m"),
        ("judge", None),
        ("judge", {}),
    ],
)
def test_a_part_of_another_shape_is_one_sentence(tmp_path: Path, part: str, value: Any) -> None:
    path = forged(tmp_path / "c.json", lambda certificate: certificate.update({part: value}))
    with pytest.raises(ConfigError, match="is no certificate"):
        standing(path, SETUP, today=TODAY)


def test_text_too_deep_to_read_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(ConfigError, match="is no certificate"):
        load(path)


def test_a_date_to_come_never_lasts(tmp_path: Path) -> None:
    path = written(tmp_path / "c.json", calibration={**CALIBRATION, "date": "2026-12-02"})
    assert standing(path, SETUP, today=TODAY).status == "certified"  # another time zone
    for day in ("2026-12-03", "2999-01-01"):
        written(path, calibration={**CALIBRATION, "date": day})
        found = standing(path, SETUP, read_minimum("max_age: 30d"), today=TODAY)
        assert found.status == "uncertified"
        assert day in found.why


def test_a_judge_that_decided_nothing_is_not_certified(tmp_path: Path) -> None:
    nothing = {"value": None, "low": None, "high": None, "why": "no labelled case was decided"}
    path = written(tmp_path / "c.json", calibration={**CALIBRATION, "agreement": nothing})
    found = standing(path, SETUP, read_minimum(True), today=TODAY)
    assert found.status == "uncertified"
    assert "decided none" in found.why


def test_a_failed_question_stays_failed_until_it_is_passed(tmp_path: Path) -> None:
    path = written(tmp_path / "c.json")

    def examined(**questions: str) -> tuple[str, dict[str, str]]:
        written(path, examination={"date": "2026-11-02", "questions": questions})
        return standing(path, SETUP, today=TODAY).status, load(path)["examination"]["questions"]

    assert examined(sight="fail", form="pass")[0] == "uncertified"
    assert examined(form="pass")[0] == "uncertified"  # not asked again
    assert examined(sight="not shown")[0] == "uncertified"
    status, questions = examined(sight="pass")
    assert status == "certified"
    assert questions == {"sight": "pass", "form": "pass"}
    assert examined(sight="not shown")[1] == {"sight": "not shown", "form": "pass"}
