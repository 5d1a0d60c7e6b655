"""The demonstration's summary, on results and labels made for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.demo import main


@pytest.fixture(autouse=True)
def _no_other_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("VOIRDIRE_JUDGE", raising=False)
    monkeypatch.setenv("NO_COLOR", "1")


def case(name: str, label: str, expect: str) -> dict[str, Any]:
    return {
        "id": name,
        "question": "How long?",
        "answer": f"The answer of {name}.",
        "label": label,
        "note": f"Because of {name}.",
        "expect": {"grounded": expect},
    }


def row(name: str, outcome: str, kind: str = "", **changed: Any) -> dict[str, Any]:
    """A test's result: a blind pass beside the grounded outcome."""
    user = json.dumps({"source": [{"id": "s", "text": "What is true."}], "answer": "x"})
    record = {
        "outcome": outcome,
        "kind": kind or outcome,
        "raw": f"raw of {name}",
        "canned": True,
        "prompt": f"[system]\nJudge.\n[user]\n{user}",
    }
    blind = json.dumps([{"role": "user", "content": "<Output>x</Output>"}])
    components = [
        {
            "pass": True,
            "reason": "[canned reply] fine",
            "assertion": {"type": "llm-rubric", "metric": "blind llm-rubric"},
            "metadata": {"renderedGradingPrompt": blind},
        },
        {
            "pass": outcome == "pass",
            "reason": "because",
            "assertion": {"type": "python", "metric": "grounded"},
            "metadata": {"voirdire": record},
        },
    ]
    return {
        "vars": {"case_id": name},
        "response": {"output": "x"},
        "failureReason": 0,
        "gradingResult": {"componentResults": components},
        **changed,
    }


CASES = [
    case("a", "pass", "pass"),
    case("b", "fail", "fail"),
    case("c", "fail", "judge_error:silent"),
]
ROWS = [row("a", "pass"), row("b", "fail"), row("c", "judge_error", "silent")]


def summary(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    cases: list[dict[str, Any]] = CASES,
    rows: list[dict[str, Any]] = ROWS,
) -> tuple[int, str]:
    folder = tmp_path / "suite"
    folder.mkdir(exist_ok=True)
    (folder / "cases.jsonl").write_text("".join(json.dumps(case) + "\n" for case in cases))
    (tmp_path / "results.json").write_text(json.dumps({"results": {"results": rows}}))
    code = main([str(tmp_path / "results.json"), str(folder / "cases.jsonl")])
    return code, capsys.readouterr().out


def test_as_expected_is_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed = summary(tmp_path, capsys)
    assert code == 0
    assert "All 3 cases came out as their golden labels expect." in printed
    assert "\x1b" not in printed


def test_what_each_judge_was_shown_stands_side_by_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, printed = summary(tmp_path, capsys)
    assert "What the judges were shown of b" in printed
    assert "a person: fail. Because of b." in printed
    blind = printed.index("source of truth among them: 0 of 1 documents")
    sighted = printed.index("source of truth among them: 1 of 1 documents")
    assert blind < sighted
    assert "<Output>x</Output>" in printed


def test_errors_are_counted_apart_and_shown_raw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, printed = summary(tmp_path, capsys)
    assert "silent     raw of c" in printed
    assert "grounded          1 of 2 decided answers pass; fails caught 1 of 1" in printed
    assert "coverage 2 of 3 (without silent 1)" in printed
    assert "suite, grounded     agreement 100%, kappa 1.00, fails caught 1 of 1" in printed


def test_a_judge_that_could_not_be_asked_says_why_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [row(name, "judge_error", "config") for name in "abc"]
    for each in rows:
        record = each["gradingResult"]["componentResults"][1]["metadata"]["voirdire"]
        record.update(raw=None, reason="judge error (config): set the key")
    code, printed = summary(tmp_path, capsys, rows=rows)
    assert code == 1
    assert printed.count("judge error (config): set the key") == 1
    assert "3 of 3  judge error (config): set the key" in printed
    assert "nobody could read" not in printed


def test_a_judge_that_passes_everything_is_a_red_flag(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, printed = summary(tmp_path, capsys)
    flagged = [line for line in printed.splitlines() if "100 %: a red flag" in line]
    assert len(flagged) == 1
    assert "blind llm-rubric  3 of 3 decided answers pass; fails caught 0 of 2" in flagged[0]


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        (row("b", "pass"), "b: expected fail, got pass"),
        (row("b", "undecided", "incomplete"), "b: expected fail, got undecided"),
        (row("b", "judge_error", "prose"), "b: expected fail, got judge_error:prose"),
        (row("b", "fail", failureReason=2, error="down"), "b: was not graded: down"),
        (row("b", "fail", gradingResult=None), "b: was not graded"),
        (row("other", "fail"), "b: was not graded"),
    ],
)
def test_what_came_out_otherwise_is_named_and_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: dict[str, Any], line: str
) -> None:
    code, printed = summary(tmp_path, capsys, rows=[ROWS[0], changed, ROWS[2]])
    assert code == 1
    assert "1 of 3 cases did not come out as their golden labels expect:" in printed
    assert line in printed


def test_another_kind_of_error_is_not_the_one_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [*ROWS[:2], row("c", "judge_error", "prose")]
    code, printed = summary(tmp_path, capsys, rows=rows)
    assert code == 1
    assert "c: expected judge_error:silent, got judge_error:prose" in printed


def test_a_real_judge_is_held_to_the_labels_of_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOIRDIRE_JUDGE", "rules")
    code, printed = summary(tmp_path, capsys)
    assert code == 1
    assert "1 of 3 cases did not come out as people labelled them:" in printed
    assert "c: expected fail, got judge_error:silent" in printed


def test_input_that_cannot_be_read_is_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "none.json"), "cases.jsonl"]) == 2
    assert "run the eval first" in capsys.readouterr().err
    assert main([str(tmp_path / "none.json")]) == 2
    assert "the files of the cases" in capsys.readouterr().err


def test_no_results_at_all_are_no_success(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed = summary(tmp_path, capsys, rows=[])
    assert code == 1
    assert "3 of 3 cases did not come out" in printed
