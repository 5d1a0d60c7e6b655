"""The doors' functions, called as promptfoo's wrappers call them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.judges.judge_server import JudgeServer, reply
from voirdire.promptfoo import grading, suite
from voirdire.promptfoo.grading import assertion, provider
from voirdire.promptfoo.overruled import OUTVOTED, NotAVerdictError

VERDICT: dict[str, Any] = {
    "critique": "So it says.",
    "criteria": {"grounded": True},
    "evidence": ["The link lasts 30 minutes."],
    "verdict": "pass",
    "confidence": 1,
}
REPLIES = {
    "pass": VERDICT,
    "fail": {**VERDICT, "criteria": {"grounded": False}, "verdict": "fail"},
    "undecided": {**VERDICT, "verdict": "cannot_decide"},
    "error": "...",
}
CONFIG: dict[str, Any] = {
    "rubric": {"name": "r", "criteria": {"grounded": "Is it in the source?"}},
    "source": {"id": "s", "text": "The link lasts 30 minutes."},
    "judge": "replay:replies.jsonl",
}
NONE_KNOWN: dict[str, Any] = {"tests": "file://made.py"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VOIRDIRE_JUDGE", raising=False)
    monkeypatch.setenv("VOIRDIRE_JOURNAL", str(tmp_path / "journal.jsonl"))
    monkeypatch.setattr(suite, "_parent_arguments", lambda: ["node", "promptfoo", "eval"])
    monkeypatch.setattr("sys.tracebacklimit", 1000, raising=False)
    lines = [
        json.dumps({"id": name, "reply": text if isinstance(text, str) else json.dumps(text)})
        for name, text in REPLIES.items()
    ]
    Path("replies.jsonl").write_text("\n".join(lines))
    write_suite({"tests": [{"assert": [{"type": "llm-rubric"}]}]})


def write_suite(value: dict[str, Any]) -> None:
    Path("promptfooconfig.json").write_text(json.dumps(value))


def explicit(case_id: str, test: dict[str, Any] | None = None, **config: Any) -> dict[str, Any]:
    context = {"vars": {"case_id": case_id}, "config": {**CONFIG, **config}, "test": test or {}}
    return assertion("It lasts 30 minutes.", context)


def drop_in(case_id: str, label: str = "llm-rubric", **config: Any) -> dict[str, Any]:
    vars_ = {"case_id": case_id, "output": "It lasts 30 minutes.", "rubric": "Is it?"}
    context = {"vars": vars_, "prompt": {"label": label}}
    return provider({"config": {**CONFIG, **config}}, context)


def ours(**fields: Any) -> dict[str, Any]:
    return {"type": "python", "config": CONFIG, **fields}


@pytest.mark.parametrize("case_id", REPLIES)
def test_both_doors_return_plain_json_and_only_a_pass_passes(case_id: str) -> None:
    first = explicit(case_id)
    second = drop_in(case_id)
    for response in (first, second):
        assert json.loads(json.dumps(response, allow_nan=False)) == response
    for result in (first, second["output"]):
        assert result["pass"] is (case_id == "pass")
        assert result["score"] == (1 if case_id == "pass" else 0)
    assert first["namedScores"][f"judge_{case_id}"] == 1
    assert sum(first["namedScores"].values()) == 1


@pytest.mark.parametrize("case_id", ["undecided", "error"])
def test_what_would_be_inverted_or_forced_is_raised(case_id: str) -> None:
    for test in (
        {"assert": [ours(type="not-python")]},
        {"assert": [ours(weight=0)]},
        {"assert": [ours(), ours(type="not-python")]},
    ):
        with pytest.raises(NotAVerdictError, match=r"^(undecided|judge error)"):
            explicit(case_id, test)


@pytest.mark.parametrize("case_id", ["undecided", "error"])
def test_what_would_be_outvoted_outweighs_everything(case_id: str) -> None:
    result = explicit(case_id, {"assert": [ours()], "threshold": 0.5})
    assert (result["pass"], result["score"]) == (False, OUTVOTED)
    inverted = explicit(case_id, {"assert": [ours(type="not-python")], "threshold": 0.5})
    assert (inverted["pass"], inverted["score"]) == (True, OUTVOTED)  # promptfoo inverts `pass`
    nothing = explicit(case_id, {"assert": [ours(weight=0)], "threshold": 0.5})
    assert nothing["componentResults"] == [None]


@pytest.mark.parametrize("case_id", ["pass", "fail"])
def test_decisions_are_left_to_promptfoo(case_id: str) -> None:
    for test in (
        {"assert": [ours(type="not-python", weight=0)], "threshold": 0},
        {"assert": [ours()], "threshold": 0.5},
    ):
        result, alone = explicit(case_id, test), explicit(case_id)
        assert result.pop("metadata")["voirdire"]["outcome"] == case_id
        assert {**result, "metadata": alone["metadata"]} == alone
    write_suite({"tests": [{"assert": [{"type": "llm-rubric", "weight": 0}], "threshold": 0}]})
    assert drop_in(case_id)["output"]["score"] in (0, 1)
    write_suite(NONE_KNOWN)
    assert drop_in(case_id)["output"]["score"] in (0, 1)


@pytest.mark.parametrize("case_id", ["undecided", "error"])
def test_the_drop_in_door_raises_or_outweighs_as_its_suite_needs(case_id: str) -> None:
    assert drop_in(case_id)["metadata"]["graderError"] is True
    assert drop_in(case_id)["output"]["score"] == 0
    write_suite({"tests": [{"assert": [{"type": "llm-rubric", "weight": 0}]}]})
    with pytest.raises(NotAVerdictError):
        drop_in(case_id)
    write_suite({"tests": [{"assert": [{"type": "llm-rubric"}], "threshold": 0}]})
    assert drop_in(case_id)["output"]["score"] == OUTVOTED
    write_suite(NONE_KNOWN)
    assert drop_in(case_id)["output"]["score"] == OUTVOTED


def test_judge_errors_are_raised_where_asked_for_and_undecided_ones_are_not() -> None:
    with pytest.raises(NotAVerdictError, match=r"judge error \(silent\)"):
        drop_in("error", on_judge_error="error")
    with pytest.raises(NotAVerdictError, match=r"judge error \(config\)"):
        drop_in("pass", on_judge_error="error", source="none.md")
    assert drop_in("undecided", on_judge_error="error")["output"]["pass"] is False


@pytest.mark.parametrize(
    "label", ["g-eval", "factuality", "model-graded-closedqa", "search-rubric", None]
)
def test_a_check_that_asks_for_no_verdict_is_refused(label: Any) -> None:
    with pytest.raises(NotAVerdictError, match=r"voirdire grades llm-rubric.*another provider"):
        drop_in("pass", label)


def test_a_check_of_several_answers_is_refused_without_a_raise_that_would_end_the_run() -> None:
    response = drop_in("pass", "select-best")
    assert "output" not in response
    assert "voirdire grades llm-rubric" in response["error"]


def test_nothing_is_stored_in_promptfoos_cache() -> None:
    for case_id in REPLIES:
        response = drop_in(case_id)
        assert response["error"] is False
        assert response["metadata"]["rateLimitKind"] == "quota"


@pytest.mark.parametrize("options", [None, {}, {"config": None}, {"config": {}}])
def test_a_door_without_a_config_is_a_judge_error(options: Any) -> None:
    context = {"vars": {"output": "x"}, "prompt": {"label": "llm-rubric"}}
    response = provider(options, context)
    assert response["output"]["pass"] is False
    assert response["metadata"]["voirdire"]["kind"] == "config"
    result = assertion("x", {})
    assert result["metadata"]["voirdire"]["kind"] == "config"


def test_a_fault_of_ours_is_a_judge_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any, **named: Any) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(grading, "grade", broken)
    result = explicit("pass")
    assert result["pass"] is False
    assert result["reason"] == "judge error (internal): ZeroDivisionError: oh"
    assert drop_in("pass")["output"]["pass"] is False


def test_a_python_without_what_a_judge_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def bare(*given: Any, **named: Any) -> None:
        raise ModuleNotFoundError("No module named 'requests'", name="requests")

    monkeypatch.setattr(grading, "grade", bare)
    result = explicit("pass")
    assert result["metadata"]["voirdire"]["kind"] == "config"
    assert f"({sys.executable}) has no module 'requests'" in result["reason"]
    assert "PROMPTFOO_PYTHON" in result["reason"]


def test_no_judge_is_asked_whose_reply_could_not_be_written_down(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with JudgeServer([reply(json.dumps(VERDICT))]) as server:
        judge = f"openai:m@{server.url}/v1"
        result = explicit("pass", judge=judge, journal=str(tmp_path / "file" / "journal.jsonl"))
        assert server.requests == []
    assert result["metadata"]["voirdire"]["kind"] == "config"
    assert "the journal cannot be written" in result["reason"]


def test_an_llm_rubric_of_its_own_words_has_one_criterion() -> None:
    response = drop_in("pass", rubric=None)
    # The recorded verdict is one on `grounded`, which this rubric does not have.
    assert response["metadata"]["voirdire"]["kind"] == "schema"
    assert "- meets_rubric: Is it?" in response["metadata"]["voirdire"]["prompt"]
    empty = {"vars": {"output": "x", "rubric": " "}, "prompt": {"label": "llm-rubric"}}
    config = {key: value for key, value in CONFIG.items() if key != "rubric"}
    assert "no rubric" in provider({"config": config}, empty)["output"]["reason"]
