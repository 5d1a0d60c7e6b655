"""The judge's own suite: each labelled case a test, passed where judge and person agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import ConfigError
from voirdire.promptfoo.labelled import assertion, create_tests
from voirdire.promptfoo.overruled import NotAVerdictError

CONFIG: dict[str, Any] = {
    "rubric": {"name": "r", "criteria": {"grounded": "Is every statement in the source?"}},
    "source": {"id": "s", "text": "The reset link lasts 30 minutes."},
    "judge": "rules",
}
RIGHT, WRONG = "It lasts 30 minutes.", "It lasts 24 hours."


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("VOIRDIRE_JUDGE", "VOIRDIRE_JOURNAL"):
        monkeypatch.delenv(name, raising=False)


def judged(answer: str, label: str, **more: Any) -> dict[str, Any]:
    """The door's result on an answer that a person has labelled."""
    vars_ = {"label": label, "note": "so I think"}
    return assertion(answer, {"config": {**CONFIG, **more}, "vars": vars_})


@pytest.mark.parametrize(
    ("answer", "label", "agrees", "score"),
    [
        (RIGHT, "pass", True, "pass_kept"),
        (RIGHT, "fail", False, "fail_missed"),
        (WRONG, "fail", True, "fail_caught"),
        (WRONG, "pass", False, "pass_lost"),
        (WRONG, "FAIL", True, "fail_caught"),
    ],
)
def test_a_test_passes_where_judge_and_person_agree(
    answer: str, label: str, agrees: bool, score: str
) -> None:
    result = judged(answer, label)
    assert result["pass"] is agrees
    assert result["score"] == float(agrees)
    scores = {
        name: value
        for name, value in result["namedScores"].items()
        if name.startswith(("pass_", "fail_"))
    }
    assert scores.pop(score) == 1
    assert set(scores.values()) == {0}
    record = result["metadata"]["voirdire"]
    assert record["judge_said"] == ("pass" if answer == RIGHT else "fail")
    assert ("so I think" in result["reason"]) is not agrees


def test_a_judge_that_gives_no_verdict_agrees_with_nobody() -> None:
    result = judged(RIGHT, "fail", judge="replay:none.jsonl")
    assert result["pass"] is False
    assert result["metadata"]["voirdire"]["outcome"] == "judge_error"
    with pytest.raises(NotAVerdictError):
        assertion(
            RIGHT,
            {
                "config": {**CONFIG, "judge": "replay:none.jsonl"},
                "vars": {"label": "fail"},
                "test": {"assert": [{"type": "not-python", "value": "file://agreement.py"}]},
            },
        )


def test_a_test_without_a_label_is_a_judge_error() -> None:
    result = assertion(RIGHT, {"config": CONFIG, "vars": {}})
    assert result["pass"] is False
    assert "`label`" in result["reason"]


def test_labelled_cases_become_tests(tmp_path: Path) -> None:
    case = {"id": "c1", "question": "How long?", "answer": RIGHT, "label": "pass", "note": "yes"}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    (found,) = create_tests({"cases": "cases.jsonl"})
    assert found == {
        "description": "c1 · person: pass",
        "vars": {"case_id": "c1", "question": "How long?", "label": "pass", "note": "yes"},
    }
    assert "options" not in found
    for config in (None, {}, {"cases": "none.jsonl"}):
        with pytest.raises(ConfigError):
            create_tests(config)


def test_a_case_brings_its_own_source_and_no_question_that_nobody_asked(tmp_path: Path) -> None:
    own = [{"id": "a", "text": "It lasts 30 minutes."}, {"id": "b", "text": "It is sent by post."}]
    case = {"id": "c1", "answer": RIGHT, "label": "pass", "source": own}
    (tmp_path / "cases.jsonl").write_text(json.dumps(case) + "\n", encoding="utf-8")
    (found,) = create_tests({"cases": "cases.jsonl"})
    assert "question" not in found["vars"]
    assert found["vars"]["source"] == own
    assert found["options"] == {"disableVarExpansion": True}
    config = {name: value for name, value in CONFIG.items() if name != "source"}
    assert assertion(RIGHT, {"config": config, "vars": found["vars"]})["pass"] is True
