"""The leaderboard, two runs compared, and the rows that people look at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.report.made import CLAIMS, error, made, ours, plain, raised, row, rubric, write
from voirdire.calibration.passrate import corrected_rates
from voirdire.certificate import certify
from voirdire.errors import ConfigError
from voirdire.grade import Setup
from voirdire.promptfoo.runs import open_runs
from voirdire.report import leaderboard
from voirdire.report.page import page
from voirdire.report.report import make_report
from voirdire.report.terminal import terminal

MIXED = [
    row("c1", ours()),
    row("c2", ours()),
    row("c3", ours("fail")),
    row("c4", ours("undecided", "low_confidence")),
    row("c5", ours("judge_error", "truncated")),
]


def grades(passes: str, model: str) -> list[dict[str, Any]]:
    """A row a letter: ``p`` passed, ``f`` failed, ``u`` undecided."""
    words = {"p": "pass", "f": "fail", "u": "undecided"}
    return [row(f"c{at}", ours(words[one]), model=model) for at, one in enumerate(passes)]


def certificate(folder: Path, fingerprint: str = "f" * 64) -> Path:
    path = folder / "judge.json"
    judge = {"spec": "openai:judge-1", "policy": "strict", **Setup(fingerprint)._asdict()}
    content = {
        "date": "2026-11-01",
        "cases": {"n": 100, "fails": 50},
        "agreement": {"value": 0.93, "low": 0.86, "high": 0.97},
        "confusion": {"caught": 45, "missed": 5, "harsh": 2, "kept": 48},
    }
    certify(path, judge, {"name": "r"}, "calibration", content)
    return path


def test_the_rate_is_of_the_decided_and_the_rest_is_counted_by_kind(tmp_path: Path) -> None:
    found = made(tmp_path, MIXED)["leaderboard"][0]
    assert (found["passed"], found["decided"], found["cases"]) == (2, 3, 5)
    assert found["rate"]["value"] == pytest.approx(2 / 3)
    assert found["rate"]["low"] < 2 / 3 < found["rate"]["high"]
    assert found["coverage"] == 0.6
    assert (found["undecided"], found["errors"]) == (1, {"truncated": 1})


def test_cost_time_and_tokens_are_those_of_the_answers(tmp_path: Path) -> None:
    found = made(tmp_path, MIXED)["leaderboard"][0]
    assert found["cost"] == pytest.approx(0.05)
    assert found["judge_cost"] == pytest.approx(0.005)
    assert found["median_seconds"] == 0.5
    assert found["tokens"] == {"prompt": 50, "completion": 25, "reasoning": 10}


def test_the_judges_cost_is_unknown_where_one_grade_does_not_tell(tmp_path: Path) -> None:
    found = made(tmp_path, [row("c1", ours()), row("c2", ours(cost=None))])["leaderboard"][0]
    assert found["judge_cost"] is None


def test_a_model_that_gives_no_answer_is_said_to(tmp_path: Path) -> None:
    test = {"assert": [rubric()["assertion"]]}
    none = row("c1", response=None, gradingResult=None, testCase=test, failureReason=2)
    report = made(tmp_path, [none, row("c2", rubric())])
    found = report["leaderboard"][0]
    assert (found["undecided"], found["unanswered"], found["decided"]) == (1, 1, 1)
    assert "1 undecided, 1 of them without an answer" in terminal(report)
    assert "<td>1, 1 without an answer</td>" in page(report)


def test_a_model_without_a_verdict_has_no_rate(tmp_path: Path) -> None:
    found = made(tmp_path, [row("c1", ours("judge_error", "prose"))])["leaderboard"][0]
    assert found["rate"] == {"value": None, "low": None, "high": None}
    assert found["tie_with_next"] is None


def test_the_best_model_stands_first_and_a_tie_looks_like_one(tmp_path: Path) -> None:
    rows = [*grades("ppfpfpff", "two"), *grades("pppppppf", "one"), *grades("f" * 8, "three")]
    found = made(tmp_path, rows)["leaderboard"]
    assert [one["model"] for one in found] == ["one", "two", "three"]
    assert [one["tie_with_next"] for one in found] == [True, True, None]


def test_a_difference_is_told_by_the_cases_that_both_decided(tmp_path: Path) -> None:
    pytest.importorskip("statsmodels")
    rows = [*grades("p" * 8, "one"), *grades("f" * 8, "two")]
    assert [one["tie_with_next"] for one in made(tmp_path, rows)["leaderboard"]] == [False, None]
    rows = [*grades("p" * 8, "one"), *grades("f" * 5 + "u" * 3, "two")]
    assert made(tmp_path, rows)["leaderboard"][0]["tie_with_next"] is True


def test_pairs_show_what_intervals_do_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("statsmodels")
    rows = [*grades("p" * 30 + "f" * 10, "one"), *grades("p" * 23 + "f" * 17, "two")]
    assert made(tmp_path, rows)["leaderboard"][0]["tie_with_next"] is False
    monkeypatch.setattr(leaderboard, "available", lambda: False)
    assert made(tmp_path, rows)["leaderboard"][0]["tie_with_next"] is True


def test_prompts_of_one_model_are_rows_of_their_own(tmp_path: Path) -> None:
    found = made(tmp_path, [row("c1", ours()), row("c1", ours("fail"), promptIdx=1)])
    assert [one["model"] for one in found["leaderboard"]] == ["one · prompt 1", "one · prompt 2"]
    assert {one["model"] for one in found["rows"]} == {"one · prompt 1", "one · prompt 2"}


def test_the_same_test_twice_is_two_cases(tmp_path: Path) -> None:
    rows = [row("c1", ours()), row("c1", ours()), row("c1", ours("fail"))]
    assert made(tmp_path, rows)["leaderboard"][0]["cases"] == 3


def test_the_corrected_rate_is_that_of_the_other_command(tmp_path: Path) -> None:
    judge = certificate(tmp_path)
    found = made(tmp_path, grades("p" * 30 + "f" * 10, "one"), certificate=judge)
    expected = corrected_rates(tmp_path / "run-1.json", judge)[0]["corrected"]
    assert found["leaderboard"][0]["corrected"] == expected
    assert expected["value"] is not None


def test_another_judges_rate_is_not_corrected(tmp_path: Path) -> None:
    judge = certificate(tmp_path, "0" * 64)
    assert made(tmp_path, MIXED, certificate=judge)["leaderboard"][0]["corrected"] is None
    mixed = [*grades("pf", "one"), row("x", ours(setup=Setup("0" * 64)._asdict()))]
    found = made(tmp_path, mixed, certificate=judge)["leaderboard"][0]["corrected"]
    assert found["value"] is None
    assert "Other judges" in found["refused"]


def test_a_given_certificate_clears_its_judge_alone(tmp_path: Path) -> None:
    rows = [row("c1", ours(calibration="uncertified"))]
    assert "uncertified" not in raised(made(tmp_path, rows, certificate=certificate(tmp_path)))
    (tmp_path / "judge.json").unlink()
    other = certificate(tmp_path, "0" * 64)
    assert "uncertified" in raised(made(tmp_path, rows, certificate=other))


def test_a_calibration_gives_what_confidence_is_worth(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    bins = [
        {"start": 0.9, "end": 1.0, "cases": 9, "stated": 0.9, "right": 0.8, "low": 0.5, "high": 0.9}
    ]
    found = {
        "judge": "openai:judge-1",
        "date": "2026-11-01",
        "agreement": {"value": 0.9, "low": 0.8, "high": 0.95},
        "kappa": {"value": 0.7, "low": 0.5, "high": 0.8},
        "fails_caught": {"k": 9, "n": 10, "low": 0.6, "high": 0.99},
        "passes_kept": {"k": 9, "n": 10, "low": 0.6, "high": 0.99},
        "confusion": {"caught": 9, "missed": 1, "harsh": 1, "kept": 9},
        "confidence": {"brier": 0.1, "reliability": bins, "supported_threshold": None},
    }
    path.write_text(json.dumps(found))
    assert made(tmp_path, MIXED, calibration=path)["calibration"]["reliability"] == bins
    for content in (
        "[]",
        json.dumps({**found, "agreement": {}}),
        json.dumps({**found, "kappa": 1}),
    ):
        path.write_text(content)
        with pytest.raises(ConfigError, match="is no calibration"):
            made(tmp_path, MIXED, calibration=path)


def test_what_a_person_decided_is_found_by_the_answer(tmp_path: Path) -> None:
    lines = [
        {"id": "c1", "question": "Who led?", "answer": "Led a team of five.", "label": "fail"},
        {"id": "c2", "question": "Who led?", "answer": "Another answer.", "label": "fail"},
    ]
    cases = tmp_path / "cases.jsonl"
    cases.write_text("".join(json.dumps({**one, "source": "s"}) + "\n" for one in lines))
    found = made(tmp_path, MIXED, cases=cases)["rows"]
    # c2 answered otherwise when it was labelled, but that very question and answer were c1's.
    assert [one["label"] for one in found] == ["fail"] * 5
    found = made(tmp_path, [row("c2", ours(), question="Other?")], cases=cases)["rows"]
    assert found[0]["label"] is None


def test_a_thumb_of_the_viewer_is_a_label_and_no_grade(tmp_path: Path) -> None:
    thumb = {"assertion": {"type": "human"}, "pass": False, "score": 0, "comment": "Six."}
    found = made(tmp_path, [row("c1", ours(), thumb)])
    assert [one["metric"] for one in found["leaderboard"]] == ["grounded"]
    assert (found["rows"][0]["label"], found["rows"][0]["note"]) == ("fail", "Six.")


def test_the_suite_of_a_judge_shows_what_the_judge_said(tmp_path: Path) -> None:
    grade = ours("fail", judge_said="pass", label="fail")
    found = made(tmp_path, [row("c1", grade)])
    assert (found["rows"][0]["outcome"], found["rows"][0]["label"]) == ("pass", "fail")
    assert found["leaderboard"][0]["passed"] == 1


def test_a_row_shows_the_source_the_quotes_and_the_reply(tmp_path: Path) -> None:
    found = made(tmp_path, [row("c1", ours())])["rows"][0]
    assert found["source"] == "[cv]\nLed a team of five."
    assert found["evidence"] == ["Led a team of five."]
    assert found["critique"] == "The source says so."
    assert found["confidence"] == 0.9
    assert json.loads(found["raw"])["verdict"] == "pass"


def test_rows_past_the_most_are_counted_and_the_passes_go_first(tmp_path: Path) -> None:
    rows = [*grades("pppp", "one"), row("x", ours("fail")), row("y", error("HTTP 500"))]
    found = made(tmp_path, rows, most=3)
    assert [one["outcome"] for one in found["rows"]] == ["pass", "fail", "judge_error"]
    assert found["rows_left_out"] == 3
    assert sum(one["cases"] for one in found["leaderboard"]) == 6


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ({}, {"answer": "Other."}, ["answer"]),
        ({}, {"provider": "file://other.js"}, ["model"]),
        ({}, {"question": "Who led, and when?"}, ["prompt"]),
        ({"model": "one"}, {"model": "two"}, ["model"]),
        ({}, {}, []),
    ],
)
def test_a_flip_names_what_of_the_row_is_another(
    tmp_path: Path, before: dict[str, Any], after: dict[str, Any], changed: list[str]
) -> None:
    found = made(tmp_path, [row("c1", ours(), **before)], [row("c1", ours("fail"), **after)])
    flip = found["compared"]["flips"][0]
    assert (flip["before"], flip["after"], flip["changed"]) == ("pass", "fail", changed)


@pytest.mark.parametrize(
    ("record", "changed"),
    [
        (
            {
                "rubric": {"name": "r", "version": "2"},
                "fingerprint": "0" * 64,
                "setup": Setup("0" * 64)._asdict(),
            },
            ["rubric"],
        ),
        ({"fingerprint": "0" * 64}, ["judge"]),
        ({"model": "judge-2"}, ["judge"]),
        ({"setup": Setup("f" * 64, samples=3, quorum=2)._asdict()}, ["judge"]),
        ({"source_sha256": ["6" * 64]}, ["source"]),
        ({"rubric": {"name": "r", "version": "2"}, "judge": "rules"}, ["rubric", "judge"]),
    ],
)
def test_a_flip_names_what_of_the_judge_is_another(
    tmp_path: Path, record: dict[str, Any], changed: list[str]
) -> None:
    found = made(tmp_path, [row("c1", ours())], [row("c1", ours("fail", **record))])
    assert found["compared"]["flips"][0]["changed"] == changed


def test_without_voirdire_a_flip_names_the_rubric(tmp_path: Path) -> None:
    found = made(tmp_path, [row("c1", rubric())], [row("c1", rubric(False, value="Is short."))])
    assert found["compared"]["flips"][0]["changed"] == ["rubric"]


def test_what_did_not_flip_and_what_is_in_one_run_alone_is_counted(tmp_path: Path) -> None:
    found = made(tmp_path, grades("ppf", "one"), grades("ppp", "one")[1:])["compared"]
    assert (len(found["flips"]), found["same"], found["alone"]) == (1, 1, 1)


def test_of_a_lost_grade_no_rubric_and_no_judge_is_said_to_be_another(tmp_path: Path) -> None:
    door = {**ours()["assertion"], "config": {"judge": "openai:judge-1"}}
    test = {"assert": [door]}
    lost = row("c1", gradingResult=None, testCase=test, failureReason=2, error="at runAssertion")
    found = made(tmp_path, [row("c1", ours())], [lost])["compared"]["flips"][0]
    assert (found["after"], found["changed"]) == ("judge_error", [])
    silent = row("c1", response=None, gradingResult=None, testCase=test, failureReason=2)
    found = made(tmp_path, [row("c1", ours())], [silent])["compared"]["flips"][0]
    assert (found["after"], found["changed"]) == ("undecided", ["answer"])


def test_a_rubric_is_not_another_because_an_error_kept_none_of_its_words(tmp_path: Path) -> None:
    template = f"{CLAIMS} {{{{resume}}}}"
    failed = error("HTTP 500")
    failed["assertion"]["value"] = template
    graded = rubric(value=template, rendered=f"{CLAIMS} Jane led.")
    found = made(tmp_path, [row("c1", failed)], [row("c1", graded)])["compared"]["flips"][0]
    assert found["changed"] == []


def test_an_error_in_grading_is_told_from_one_of_the_model(tmp_path: Path) -> None:
    def lost(error: str) -> dict[str, Any]:
        test = {"assert": [{"type": "assert-set", "assert": [rubric()["assertion"]]}]}
        return row(
            "c1", testCase=test, gradingResult=None, response=None, failureReason=2, error=error
        )

    rows = [
        lost("Error: 401\n at runAssertion (evaluator.js)"),
        lost("Error: 429\n at callApi (evaluator.js)"),
        lost("NotAVerdictError: judge error (truncated): cut off\n at runAssertion (x)"),
        lost("NotAVerdictError: undecided: no (low_confidence)\n at runAssertion (x)"),
    ]
    found = made(tmp_path, rows)
    assert [(one["outcome"], one["kind"]) for one in found["rows"]] == [
        ("judge_error", "lost"),
        ("undecided", "no_answer"),
        ("judge_error", "truncated"),
        ("undecided", "low_confidence"),
    ]


def test_a_reason_cannot_make_itself_a_judge_error(tmp_path: Path) -> None:
    words = "It says: NotAVerdictError: judge error (truncated): undecided: x (y)"
    found = made(tmp_path, [row("c1", rubric(True, words)), row("c2", rubric(False, words))])
    assert [one["outcome"] for one in found["rows"]] == ["pass", "fail"]


def test_what_a_check_of_code_threw_is_no_fail(tmp_path: Path) -> None:
    crashed = {**plain(False, "javascript"), "reason": "Custom function threw error: oops"}
    assert made(tmp_path, [row("c1", crashed)])["rows"][0]["kind"] == "crashed"


def test_lines_are_read_and_damaged_ones_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", MIXED)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"cut": ')
    found = make_report(open_runs([path]))
    assert (found["runs"][0]["rows"], found["runs"][0]["damaged"]) == (5, 1)
    assert found["leaderboard"] == [
        {**one, "run": str(path)} for one in made(tmp_path, MIXED)["leaderboard"]
    ]


def test_a_results_file_says_which_eval_it_is(tmp_path: Path) -> None:
    run = made(tmp_path, MIXED)["runs"][0]
    assert (run["eval_id"], run["at"]) == ("eval-1", "2026-12-01T10:00:00.000Z")


@pytest.mark.parametrize(
    "changed",
    [
        {"gradingResult": {"componentResults": [None, 3, {"pass": True}]}},
        {"gradingResult": "x", "vars": [1], "prompt": 7, "response": {"output": {"a": [1]}}},
        {"provider": "just-a-name", "testIdx": None, "latencyMs": "fast", "cost": "much"},
        {"gradingResult": {"componentResults": [{"assertion": 3, "metadata": {"voirdire": 1}}]}},
        {"failureReason": 2, "testCase": {"assert": "no list"}, "error": None},
    ],
)
def test_rows_of_other_shapes_are_borne(tmp_path: Path, changed: dict[str, Any]) -> None:
    assert made(tmp_path, [row("c1", ours(), **changed)])["runs"][0]["rows"] == 1


@pytest.mark.parametrize("record", ["verdict", "criteria", "evidence", "judge", "raw", "prompt"])
@pytest.mark.parametrize("value", [None, 3, "x", [1], {"a": 1}])
def test_records_of_other_shapes_are_borne(tmp_path: Path, record: str, value: Any) -> None:
    grade = ours()
    inner = grade["metadata"]["voirdire"]
    where = inner["verdict"] if record in ("criteria", "evidence") else inner
    where[record] = value
    assert made(tmp_path, [row("c1", grade)])["leaderboard"][0]["cases"] == 1


def test_a_run_without_an_answer_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no answer"):
        made(tmp_path, [])
