"""The doors and the certificate: an unexamined judge turns nothing green unnoticed."""

from __future__ import annotations

import shlex
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from voirdire.certificate import certify
from voirdire.cli import calibrate
from voirdire.cli.inputs import judge_settings
from voirdire.doorconfig import FILE_NAME, read_config
from voirdire.grade import Setup, fingerprint
from voirdire.judges.spec import make_judge
from voirdire.promptfoo.certifying import command_for
from voirdire.promptfoo.grading import assertion, provider
from voirdire.promptfoo.overruled import NotAVerdictError
from voirdire.quorum import read_quorum
from voirdire.rubric import rubric_from_mapping

RUBRIC = {"name": "r", "criteria": {"grounded": "Is every statement in the source?"}}
CONFIG: dict[str, Any] = {
    "rubric": RUBRIC,
    "source": {"id": "s", "text": "The reset link lasts 30 minutes."},
    "judge": "rules",
}
CALIBRATION: dict[str, Any] = {
    "date": date.today().isoformat(),
    "cases": {"n": 60, "fails": 20},
    "agreement": {"value": 0.9, "low": 0.8, "high": 0.95},
    "kappa": {"value": 0.7, "low": 0.5, "high": 0.8},
    "confusion": {"caught": 18, "missed": 2, "harsh": 4, "kept": 36},
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The suite's folder, in which promptfoo would run."""
    monkeypatch.chdir(tmp_path)
    for name in ("VOIRDIRE_JUDGE", "VOIRDIRE_JOURNAL"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def certified(path: Path, rubric: Any = RUBRIC, **changed: Any) -> None:
    """A certificate of the judge of ``CONFIG``."""
    mark = fingerprint(make_judge("rules"), rubric_from_mapping(rubric, "test"), "strict")
    judge = {"spec": "rules", "policy": "strict", **Setup(mark)._asdict()}
    certify(path, judge, {"name": "r"}, "calibration", {**CALIBRATION, **changed})


def explicit(**config: Any) -> dict[str, Any]:
    """The explicit door on an answer that the rules pass."""
    return assertion("It lasts 30 minutes.", {"config": {**CONFIG, **config}, "vars": {}})


def record(result: dict[str, Any]) -> dict[str, Any]:
    """What voirdire says of a result."""
    found: dict[str, Any] = result["metadata"]["voirdire"]
    return found


def test_without_a_certificate_the_status_is_told_and_nothing_else_changes() -> None:
    result = explicit()
    assert result["pass"] is True
    assert record(result)["calibration"] == "uncertified"


def test_a_certificate_beside_the_suite_is_found_and_told(folder: Path) -> None:
    certified(folder / FILE_NAME)
    assert record(explicit())["calibration"] == "certified"
    assert record(explicit(require_certificate=True))["outcome"] == "pass"


@pytest.mark.parametrize("asked", [True, "kappa>=0.6"])
def test_an_uncertified_judge_is_a_judge_error_with_the_command_that_mends_it(asked: Any) -> None:
    result = explicit(require_certificate=asked)
    assert result["pass"] is False
    assert (record(result)["outcome"], record(result)["kind"]) == ("judge_error", "uncertified")
    assert "voirdire calibrate" in result["reason"]
    assert result["namedScores"]["judge_error"] == 1


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"judge": {"spec": "openai:m-2024-08-06@http://127.0.0.1:9/v1", "temperature": 0.5}},
        {"judge": {"spec": "ollama:m:8b", "seed": 7, "reasoning": True, "extra": {"top_p": 0.9}}},
        {"samples": 3, "quorum": 3, "order": "both"},
        {"precheck": "rules", "policy": "tolerant"},
    ],
)
def test_the_command_that_mends_it_is_for_the_judge_as_the_suite_has_it(
    config: dict[str, Any], folder: Path
) -> None:
    checked = read_config({**CONFIG, **config, "certificate": "c.json"}, [folder])
    _, _, *options = shlex.split(command_for(checked).replace("RUBRIC", "rubric.yaml"))
    with calibrate.command.make_context("calibrate", options) as context:
        given = context.params
    votes = read_quorum(given["samples"], given["quorum"], "--")
    judge = make_judge(given["spec"], judge_settings(given["settings"]))
    assert checked.rubric is not None
    assert checked.setup(checked.rubric) == Setup(
        fingerprint(judge, checked.rubric, given["policy"]),
        votes.samples,
        votes.needed,
        given["order"],
        given["precheck"] is not None,
    )
    assert str(given["certificate"]) == "c.json"


def test_a_judge_below_the_minimum_or_out_of_date_is_a_judge_error(folder: Path) -> None:
    old = (date.today() - timedelta(days=91)).isoformat()
    certified(folder / "old.json", date=old)
    certified(folder / "new.json")
    assert explicit(certificate="new.json", require_certificate="kappa>=0.6")["pass"] is True
    for certificate, asked, status in (
        ("new.json", "kappa>=0.8", "uncertified"),
        ("old.json", "kappa>=0.6, max_age: 90d", "expired"),
    ):
        result = explicit(certificate=certificate, require_certificate=asked)
        assert record(result)["kind"] == "uncertified"
        assert record(result)["calibration"] == status


def test_one_word_of_the_rubric_expires_the_certificate(folder: Path) -> None:
    certified(folder / FILE_NAME)
    other = {"name": "r", "criteria": {"grounded": "Is each statement in the source?"}}
    assert record(explicit(rubric=other))["calibration"] == "changed"
    result = explicit(rubric=other, require_certificate=True)
    assert (record(result)["kind"], record(result)["calibration"]) == ("uncertified", "changed")


def test_a_certificate_that_is_named_and_missing_is_a_judge_error() -> None:
    result = explicit(certificate="none.json")
    assert record(result)["kind"] == "config"
    assert "none.json" in result["reason"]


def test_a_damaged_certificate_fails_only_where_one_is_required(folder: Path) -> None:
    (folder / FILE_NAME).write_text("{}", encoding="utf-8")
    assert record(explicit())["calibration"] == "uncertified"
    assert record(explicit(require_certificate=True))["outcome"] == "judge_error"


@pytest.mark.parametrize("asked", ["kappa>0.6", 7, "rubbish", None, "kappa>=nan", "true"])
def test_a_requirement_that_cannot_be_read_is_a_judge_error(asked: Any) -> None:
    result = explicit(require_certificate=asked)
    assert (record(result)["outcome"], record(result)["kind"]) == ("judge_error", "config")


def test_a_judge_put_in_its_place_is_another_judge(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = "openai:m@http://127.0.0.1:9/v1"
    mark = fingerprint(make_judge(spec), rubric_from_mapping(RUBRIC, "test"), "strict")
    judge = {"spec": spec, "policy": "strict", **Setup(mark)._asdict()}
    certify(folder / FILE_NAME, judge, {"name": "r"}, "calibration", CALIBRATION)
    wanted = {"judge": {"spec": spec, "retries": 0}, "require_certificate": True}
    assert record(explicit(**wanted))["kind"] == "unreachable"  # certified, and asked
    monkeypatch.setenv("VOIRDIRE_JUDGE", "openai:other@http://127.0.0.1:9/v1")
    result = explicit(**wanted)
    assert (record(result)["kind"], record(result)["calibration"]) == ("uncertified", "changed")


def test_each_record_says_all_that_makes_its_judge() -> None:
    def setup(**fields: Any) -> Any:
        return record(explicit(**fields))["setup"]

    plain = setup()
    assert set(plain) == set(Setup._fields)
    assert setup(precheck="rules") == {**plain, "precheck": True}
    assert setup(order="both")["order"] == "both"
    assert setup(policy="tolerant")["fingerprint"] != plain["fingerprint"]


def test_an_uncertified_judge_is_raised_where_it_would_be_inverted() -> None:
    context = {
        "config": {**CONFIG, "require_certificate": True},
        "vars": {},
        "test": {"assert": [{"type": "not-python", "value": "file://assertions/grounded.py"}]},
    }
    with pytest.raises(NotAVerdictError, match="uncertified"):
        assertion("It lasts 30 minutes.", context)


def test_the_drop_in_door_requires_it_too(folder: Path) -> None:
    def graded() -> dict[str, Any]:
        return provider(
            {"config": {**CONFIG, "require_certificate": True}},
            {
                "vars": {"output": "It lasts 30 minutes.", "rubric": "x"},
                "prompt": {"label": "llm-rubric"},
            },
        )

    before = graded()
    assert before["output"]["pass"] is False
    assert before["metadata"]["voirdire"]["kind"] == "uncertified"
    certified(folder / FILE_NAME)
    after = graded()
    assert after["output"]["pass"] is True
    assert after["metadata"]["voirdire"]["calibration"] == "certified"


def test_no_judge_is_asked_that_is_not_certified(folder: Path) -> None:
    explicit(require_certificate=True, journal=str(folder / "j.jsonl"))
    journal = folder / "j.jsonl"
    assert not journal.exists() or journal.read_text("utf-8") == ""
