"""Red flags: each is raised where it should be, and not where it should not."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import click
import pytest

from tests.report.made import CLAIMS, error, made, ours, plain, raised, row, rubric, write
from voirdire.cli import cli
from voirdire.examination.questions import QUESTIONS
from voirdire.promptfoo.runs import open_runs
from voirdire.report.flags import KINDS
from voirdire.report.report import make_report

DOCUMENT = "Jane Doe led a team of five at Northgate. " * 10


def rows(grade: dict[str, Any], count: int = 12, **changed: Any) -> list[dict[str, Any]]:
    return [row(f"c{number}", grade, **changed) for number in range(count)]


def test_a_rubric_that_speaks_of_a_document_nobody_showed_is_blind(tmp_path: Path) -> None:
    flag = raised(made(tmp_path, rows(rubric())))["blind"]
    assert (
        flag["text"]
        == "llm-rubric: 12 of 12 were judged blind: no source was in the judge's prompt"
    )
    assert flag["command"] == "voirdire init"
    assert CLAIMS in flag["evidence"][0]


@pytest.mark.parametrize(
    "value",
    [
        "The answer says nothing that the help centre does not support",
        "Is the answer faithful to the source?",
        "Uses only facts found in the transcript.",
        "Le résumé appears in the answer only as far as it matches the CV",
    ],
)
def test_documents_have_many_names(tmp_path: Path, value: str) -> None:
    assert "blind" in raised(made(tmp_path, rows(rubric(value=value))))


@pytest.mark.parametrize(
    "value",
    ["Is polite and short.", "Speaks like a pirate", "Returns valid source code with comments"],
)
def test_a_rubric_that_speaks_of_no_document_is_not_blind(tmp_path: Path, value: str) -> None:
    assert "blind" not in raised(made(tmp_path, rows(rubric(value=value))))


def test_a_rubric_that_brings_the_document_is_not_blind(tmp_path: Path) -> None:
    grade = rubric(value=f"{CLAIMS} {{{{resume}}}}", rendered=f"{CLAIMS} {DOCUMENT}")
    assert "blind" not in raised(made(tmp_path, rows(grade)))


def test_a_document_written_into_the_rubric_is_not_blind(tmp_path: Path) -> None:
    assert "blind" not in raised(made(tmp_path, rows(rubric(value=CLAIMS + DOCUMENT * 5))))


def test_a_long_answer_is_no_document(tmp_path: Path) -> None:
    answer = "Led a team of five. " * 100
    assert "blind" in raised(made(tmp_path, rows(rubric(answer=answer), answer=answer)))


def test_our_prompt_without_a_source_is_blind(tmp_path: Path) -> None:
    assert "blind" in raised(made(tmp_path, rows(ours(source_sha256=[]))))
    assert "blind" not in raised(made(tmp_path, rows(ours())))


@pytest.mark.parametrize(
    ("grade", "why"),
    [
        (rubric(reason="Grading passed"), "gave no reason"),
        (rubric(reason="bad", score=0), "with the score 0"),
        (rubric(reason="Not supported by the resume."), "reads like a fail"),
    ],
)
def test_a_pass_of_promptfoos_own_making_is_found(
    tmp_path: Path, grade: dict[str, Any], why: str
) -> None:
    assert why in raised(made(tmp_path, rows(grade)))["fail_open"]["evidence"][0]


@pytest.mark.parametrize(
    "grade",
    [
        rubric(),
        rubric(False, "Not supported."),
        rubric(reason="No claim goes beyond the resume."),
        rubric(reason="Grading passed", type_="not-llm-rubric"),
        plain(),
        ours(),
    ],
)
def test_a_pass_that_the_judge_gave_is_none_of_promptfoos(
    tmp_path: Path, grade: dict[str, Any]
) -> None:
    assert "fail_open" not in raised(made(tmp_path, rows(grade)))


def test_grader_errors_that_count_as_fails_are_found(tmp_path: Path) -> None:
    report = made(
        tmp_path,
        [
            row("c1", error("Could not extract JSON from llm-rubric response")),
            row("c2", error("HTTP 500")),
            row("c3", rubric(False, "No.")),
        ],
    )
    flag = raised(report)["silent_error"]
    assert flag["text"].startswith("llm-rubric: 2 of 3 ")
    results = tmp_path / "run-1.json"
    assert flag["command"] == f"npx promptfoo eval --no-cache --filter-failing {results}"
    assert report["leaderboard"][0]["errors"] == {"grader_error": 1, "unreadable": 1}
    assert report["leaderboard"][0]["decided"] == 1


def test_our_own_errors_are_not_silent(tmp_path: Path) -> None:
    grade = ours("judge_error", "truncated")
    grade["metadata"]["graderError"] = True
    assert "silent_error" not in raised(made(tmp_path, rows(grade)))


def test_only_passes_is_a_flag_of_a_judge_and_none_of_code(tmp_path: Path) -> None:
    assert "all_pass" in raised(made(tmp_path, rows(ours())))
    assert "all_pass" not in raised(made(tmp_path, rows(plain())))
    assert "all_pass" not in raised(made(tmp_path, [*rows(ours()), row("x", ours("fail"))]))


def test_all_models_that_pass_are_said_to(tmp_path: Path) -> None:
    report = made(tmp_path, [*rows(ours()), *rows(ours(), model="two")])
    assert "all 2 passed throughout" in raised(report)["all_pass"]["evidence"][-1]


def test_only_fails_and_one_confidence_are_no_variance(tmp_path: Path) -> None:
    evidence = raised(made(tmp_path, rows(ours("fail"))))["no_variance"]["evidence"]
    assert evidence == [
        "one: 12 of 12 failed",
        "the confidence 0.9 is stated in all 12 verdicts",
    ]
    mixed = [*rows(ours()), row("x", ours("fail"))]
    assert "0.9 is stated in all 13" in raised(made(tmp_path, mixed))["no_variance"]["evidence"][0]


def test_models_that_are_never_told_apart_are_no_variance(tmp_path: Path) -> None:
    def run(last: bool) -> list[dict[str, Any]]:
        """Every other case passes, whoever answers; but one of the second model's may not."""
        return [
            row(f"c{at}", rubric(last if (model, at) == ("two", 0) else at % 2 == 0), model=model)
            for model in ("one", "two")
            for at in range(12)
        ]

    assert "no_variance" in raised(made(tmp_path, run(True)))
    assert "no_variance" not in raised(made(tmp_path, run(False)))


def test_low_coverage_names_the_kinds(tmp_path: Path) -> None:
    report = made(tmp_path, [*rows(ours()), row("x", ours("undecided", "low_confidence"))])
    assert raised(report)["coverage"]["evidence"] == ["one: 12 of 13 (92%); low_confidence 1"]
    assert "coverage" not in raised(made(tmp_path, rows(ours())))


def test_judge_errors_on_one_model_are_told_from_errors_on_all(tmp_path: Path) -> None:
    good, bad = rows(ours()), rows(ours("judge_error", "prose"), 6, model="two")
    report = made(tmp_path, [*good, *bad, *rows(ours(), 6, model="three")])
    evidence = raised(report)["errors_on_one_model"]["evidence"]
    assert len(evidence) == 1
    assert evidence[0].startswith("two: 6 of 6; all others 0 of 18")
    alike = [*rows(ours("judge_error", "prose")), *bad]
    assert "errors_on_one_model" not in raised(made(tmp_path, alike))


def test_a_criterion_that_never_fails_is_named(tmp_path: Path) -> None:
    flag = raised(made(tmp_path, rows(ours())))["criterion_never_fails"]
    assert flag["evidence"] == ["grounded: failed in 0 of 12 verdicts"]
    mixed = [*rows(ours()), row("x", ours("fail"))]
    assert "criterion_never_fails" not in raised(made(tmp_path, mixed))


def test_verdicts_without_quotes_are_found(tmp_path: Path) -> None:
    verdict = {"criteria": {"grounded": True}, "evidence": [], "confidence": 1}
    assert "evidence_missing" in raised(made(tmp_path, rows(ours(verdict=verdict))))
    lost = rows(ours("undecided", "evidence_not_found"))
    assert "evidence_missing" in raised(made(tmp_path, lost))
    assert "evidence_missing" not in raised(made(tmp_path, rows(ours())))


def test_a_judge_of_the_models_own_family_is_found_without_voirdire(tmp_path: Path) -> None:
    grade = rubric()
    grade["assertion"]["provider"] = "openai:chat:gpt-4.1-2025-04-14"
    mini = made(tmp_path, rows(grade, provider="openai:gpt-4.1-mini-2025-04-14"))
    assert "openai" in raised(mini)["same_family"]["evidence"][0]
    other = made(tmp_path, rows(grade, provider="anthropic:messages:claude-haiku-4-5-20251001"))
    assert "same_family" not in raised(other)
    assert "same_family" in raised(made(tmp_path, rows(ours(same_family=True))))


def test_models_that_may_be_others_tomorrow_are_found(tmp_path: Path) -> None:
    grade = rubric()
    grade["assertion"]["provider"] = {"id": "openai:gpt-4.1"}
    assert "floating" in raised(made(tmp_path, rows(grade)))
    grade["assertion"]["provider"] = {"id": "openai:gpt-4.1-2025-04-14"}
    assert "floating" not in raised(made(tmp_path, rows(grade)))
    assert "floating" in raised(made(tmp_path, rows(grade, provider="ollama:qwen3")))
    assert "floating" in raised(made(tmp_path, rows(ours(floating=True))))


@pytest.mark.parametrize("status", ["uncertified", "expired", "changed"])
def test_a_judge_without_a_valid_certificate_is_found(tmp_path: Path, status: str) -> None:
    flag = raised(made(tmp_path, rows(ours(calibration=status))))["uncertified"]
    assert status in flag["evidence"][0]
    assert "uncertified" not in raised(made(tmp_path, rows(ours())))


def test_a_grade_is_counted_once_whatever_floats_in_it(tmp_path: Path) -> None:
    grade = rubric()
    grade["assertion"]["provider"] = "openai:chat:gpt-4o"
    flag = raised(made(tmp_path, rows(grade, provider="openai:chat:gpt-4.1")))["floating"]
    assert flag["text"].startswith("llm-rubric: 12 of 12 hang on")
    assert [line.partition(": ")[2][:8] for line in flag["evidence"]] == ["12 of 12", "the mode"]


@pytest.mark.parametrize(
    ("provider", "option"),
    [
        ("openai:chat:gpt-4.1-2025-04-14", "openai:gpt-4.1-2025-04-14"),
        ("openai:responses:gpt-4o", "openai:gpt-4o --set allow_floating=true"),
        ("anthropic:messages:claude-haiku-4-5-20251001", "anthropic:claude-haiku-4-5-20251001"),
        ("ollama:chat:qwen3:8b", "ollama:qwen3:8b"),
        ("echo", "SPEC"),
        ("file://grade.js", "SPEC"),
        ({"id": "python:grade.py; rm x"}, "SPEC"),
        (None, "SPEC"),
    ],
)
def test_a_command_names_the_judge_as_voirdire_takes_it(
    tmp_path: Path, provider: Any, option: str
) -> None:
    grade = rubric()
    grade["assertion"]["provider"] = provider
    command = raised(made(tmp_path, rows(grade)))["uncertified"]["command"]
    spec = "--certificate voirdire.certificate.json"
    assert command == f"voirdire calibrate CASES.jsonl --judge {option} {spec}"


def test_a_command_names_the_run_in_which_the_flag_was_seen(tmp_path: Path) -> None:
    bad = [row(f"c{at}", error("Could not extract JSON")) for at in range(3)]
    flag = raised(made(tmp_path, bad, rows(rubric())))["silent_error"]
    assert flag["command"].endswith(f"--filter-failing {tmp_path / 'run-1.json'}")


def test_promptfoo_takes_no_failed_tests_from_lines(tmp_path: Path) -> None:
    path = write(tmp_path / "run.jsonl", [row("c1", error("Could not extract JSON"))])
    flag = raised(make_report(open_runs([path])))["silent_error"]
    assert flag["command"] == "npx promptfoo eval --no-cache"


def test_a_judge_that_nobody_named_is_not_certified_either(tmp_path: Path) -> None:
    flag = raised(made(tmp_path, rows(rubric())))["uncertified"]
    assert "a judge that the results do not name: uncertified" in flag["evidence"][0]


def test_a_pass_that_our_own_record_denies_is_found(tmp_path: Path) -> None:
    grade = ours("judge_error", "truncated")
    report = made(tmp_path, rows({**grade, "pass": True, "score": 1}))
    assert report["leaderboard"][0]["decided"] == 0
    flag = raised(report)["fail_open"]
    assert "own record says judge_error" in flag["evidence"][0]
    assert flag["command"].startswith("npx promptfoo eval")
    assert "fail_open" not in raised(made(tmp_path, rows(grade)))


def test_the_gravest_stand_first(tmp_path: Path) -> None:
    found = [
        flag["kind"] for flag in made(tmp_path, rows(rubric(reason="Grading passed")))["flags"]
    ]
    assert found == sorted(found, key=list(KINDS).index)
    assert found[:2] == ["blind", "fail_open"]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind][1].startswith("voirdire")])
def test_the_command_that_settles_a_flag_is_there(kind: str) -> None:
    words = shlex.split(KINDS[kind][1])
    command = cli.get_command(click.Context(cli), words[1])
    assert command is not None
    options = {name for one in command.params for name in one.opts}
    assert {word for word in words if word.startswith("--")} <= options


def test_the_questions_that_settle_a_flag_are_asked_in_an_examination() -> None:
    names = {question.name for question in QUESTIONS}
    asked = {
        name
        for _, command in KINDS.values()
        if "--questions" in command
        for name in command.split("--questions ")[1].split(",")
    }
    assert asked <= names
