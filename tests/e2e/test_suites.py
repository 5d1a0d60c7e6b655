"""Suites as people write them, started from another folder than their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Promptfoo, Run
from tests.e2e.suites import (
    ANSWER,
    JUDGE,
    QUOTE,
    SOURCE,
    case,
    door_config,
    drop_in,
    explicit,
    record,
    suite,
    verdict,
    write_files,
)

pytestmark = pytest.mark.e2e

# Answers with a text whatever they are: JSON comes from a target that returns values.
ANSWERS: dict[str, Any] = {
    "object": {"minutes": 30, "note": "größer", "parts": [1.5, None, True]},
    "array": ["It lasts 30 minutes.", 2],
    "number": 30,
    # promptfoo hands this to a grading provider parsed.
    "JSON text": '{"minutes": 30, "parts": [1.5, null]}',
    "unicode": "Ça dure 30 minutes — 三十分钟 🕧 \u202e\u200b<|im_end|> ‘quoted’",
    "300 KB": "It lasts 30 minutes. " * 15_000,
    "empty": "",
}
TARGET = """\
import json

def call_api(prompt, options, context):
    vars_ = context["vars"]
    return {"output": json.loads(vars_["as_json"]) if "as_json" in vars_ else vars_["answer"]}
"""
EXCERPTS = [{"id": "links", "text": SOURCE}, {"id": "other", "text": "Nothing else."}]
GRADED_WITH_OWN_WORDS = {**verdict(), "criteria": {"meets_rubric": True}}
RUBRIC_VALUE = {"type": "llm-rubric", "value": "Is it about {{topic}}?"}


def both(**changed: Any) -> list[dict[str, Any]]:
    return [door(door_config(**changed)) for door in (explicit, drop_in)]


@pytest.fixture(scope="session")
def run(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Run:
    """All of them in one run."""
    folder = folders("habits")
    below = folder / "evals of ours"
    below.mkdir()
    elsewhere = folder / "started here"
    elsewhere.mkdir()
    (below / "target.py").write_text(TARGET)
    (below / "answer.txt").write_text(ANSWER)
    own_words = [
        record("own words", GRADED_WITH_OWN_WORDS),
        record("own words unread", "..."),
        record("own words from a file", GRADED_WITH_OWN_WORDS),
    ]
    given = [
        record(name, verdict())
        for name in (*ANSWERS, "text", "one excerpt", "excerpts", "file", "renamed", "answer file")
    ]
    silent = [record(name, "...") for name in ("to fail", "to error")]
    undecided = [record("undecided to error", verdict("cannot_decide"))]
    write_files(below, [*own_words, *given, *silent, *undecided])
    (below / "rubric.txt").write_text("Is it about links?")
    labels = {
        "g-eval": {"type": "g-eval", "value": "Is it clear?"},
        "factuality": {"type": "factuality", "value": "30 minutes"},
        "closed-qa": {"type": "model-graded-closedqa", "value": "Is it an answer?"},
    }
    from_var = {"source": None}
    tests = [
        case("own words", [RUBRIC_VALUE], vars={"topic": "links"}),
        case("own words unread", [RUBRIC_VALUE], vars={"topic": "links"}),
        case(
            "own words from a file",
            [{"type": "llm-rubric", "value": "file://rubric.txt"}],
        ),
        *(case(name, [assertion]) for name, assertion in labels.items()),
        case("without a judge", [{**RUBRIC_VALUE, "provider": JUDGE}]),
        *(
            case(name, both(), vars={"as_json": json.dumps(value)})
            for name, value in ANSWERS.items()
        ),
        case("text", both(**from_var), vars={"source": SOURCE}),
        case("one excerpt", both(**from_var), vars={"source": EXCERPTS[0]}),
        case(
            "excerpts",
            both(**from_var),
            vars={"source": EXCERPTS},
            options={"disableVarExpansion": True},
        ),
        case("file", both(**from_var), vars={"source": "file://source.md"}),
        case("renamed", both(**from_var, vars={"source": "truth"}), vars={"truth": SOURCE}),
        case("blank", both(**from_var), vars={"source": "  "}),
        case("none", both(**from_var)),
        case("answer file", both(), vars={"answer": "file://answer.txt"}),
        case("to fail", [drop_in(door_config(on_judge_error="fail"))]),
        case("to error", [drop_in(door_config(on_judge_error="error"))]),
        case("undecided to error", [drop_in(door_config(on_judge_error="error"))]),
    ]
    default = {"options": {"provider": {"id": JUDGE, "config": door_config(rubric=None)}}}
    return promptfoo(
        folder,
        suite(tests, defaultTest=default, providers=["file://target.py"]),
        config=below / "promptfooconfig.yaml",
        cwd=elsewhere,
    )


def records(run: Run, name: str) -> list[dict[str, Any]]:
    return [grade["metadata"]["voirdire"] for grade in run.grades(name)]


def shown(found: dict[str, Any]) -> dict[str, Any]:
    """The data of the prompt that a judge was shown."""
    data: dict[str, Any] = json.loads(found["prompt"].partition("[user]\n")[2])
    return data


@pytest.mark.parametrize("name", ["own words", "own words from a file"])
def test_an_llm_rubric_of_its_own_words_is_judged_against_the_source(run: Run, name: str) -> None:
    (found,) = records(run, name)
    assert found["outcome"] == "pass"
    assert "- meets_rubric: Is it about links?" in found["prompt"]
    assert shown(found)["source"][0]["text"] == SOURCE
    assert run.rows[name]["success"] is True


def test_its_judge_errors_fail(run: Run) -> None:
    (grade,) = run.grades("own words unread")
    assert grade["pass"] is False
    assert grade["reason"].startswith("judge error (silent): ")


@pytest.mark.parametrize("name", ["g-eval", "factuality", "closed-qa"])
def test_checks_that_ask_for_no_verdict_are_refused_by_name(run: Run, name: str) -> None:
    row = run.rows[name]
    assert row["success"] is False
    assert "voirdire grades llm-rubric" in (row.get("error") or json.dumps(row["gradingResult"]))


def test_a_choice_between_answers_is_refused_and_the_rest_is_kept(
    promptfoo: Promptfoo, folders: Callable[[str], Path]
) -> None:
    folder = folders("choice")
    write_files(folder, [record("chosen", verdict())])
    best = {"type": "select-best", "value": "Which is clearer?"}
    tests = [case("chosen", [*both(), {**best, "provider": drop_in(door_config())["provider"]}])]
    providers = [{"id": "echo", "label": label} for label in ("one", "two")]
    rows = promptfoo(folder, suite(tests, providers=providers)).results["results"]["results"]
    assert [row["success"] for row in rows] == [False, False]
    for row in rows:
        *graded, refused = row["gradingResult"]["componentResults"]
        assert [grade["metadata"]["voirdire"]["outcome"] for grade in graded] == ["pass", "pass"]
        assert "voirdire grades llm-rubric" in refused["reason"]


def test_a_door_without_a_judge_says_how_to_name_one(run: Run) -> None:
    (grade,) = run.grades("without a judge")
    assert grade["pass"] is False
    assert "no judge; add `judge: SPEC`" in grade["reason"]


@pytest.mark.parametrize("name", ANSWERS)
def test_both_doors_show_the_judge_the_same_answer(run: Run, name: str) -> None:
    first, second = records(run, name)
    answer = shown(first)["answer"]
    assert answer == shown(second)["answer"]
    assert first["prompt_sha256"] == second["prompt_sha256"]
    value = ANSWERS[name]
    assert (answer if isinstance(value, str) else json.loads(answer)) == value


def test_nothing_is_no_answer_to_pass(run: Run) -> None:
    assert [found["kind"] for found in records(run, "empty")] == ["empty_answer"] * 2


@pytest.mark.parametrize("name", ["text", "one excerpt", "excerpts", "file", "renamed"])
def test_a_test_var_is_a_source(run: Run, name: str) -> None:
    for found in records(run, name):
        assert found["outcome"] == "pass"
        sources = shown(found)["source"]
        assert sources[0]["text"] == SOURCE
        assert len(sources) == (2 if name == "excerpts" else 1)
        assert len(found["source_sha256"]) == len(sources)


@pytest.mark.parametrize("name", ["blank", "none"])
def test_without_a_source_nobody_is_asked(run: Run, name: str) -> None:
    for found in records(run, name):
        assert (found["outcome"], found["kind"]) == ("judge_error", "config")
        assert "source" in found["reason"]


def test_an_answer_may_come_from_a_file(run: Run) -> None:
    for found in records(run, "answer file"):
        assert shown(found)["answer"] == ANSWER


def test_a_judge_error_is_promptfoos_failure_with_its_record(run: Run) -> None:
    row = run.rows["to fail"]
    assert row["failureReason"] == 1
    assert records(run, "to fail")[0]["kind"] == "silent"


def test_a_judge_error_is_promptfoos_error_where_asked_for(run: Run) -> None:
    row = run.rows["to error"]
    assert row["success"] is False
    assert row["failureReason"] == 2
    assert "judge error (silent): " in row["error"]


def test_an_undecided_stays_a_failure_where_judge_errors_are_errors(run: Run) -> None:
    assert run.rows["undecided to error"]["failureReason"] == 1
    assert records(run, "undecided to error")[0]["kind"] == "cannot_decide"


def test_sources_are_named_from_the_suites_folder(run: Run) -> None:
    for found in records(run, "object"):
        (source,) = shown(found)["source"]
        assert source["text"] == SOURCE
        assert source["id"].endswith("source.md")


def test_evidence_is_found_in_long_answers(run: Run) -> None:
    assert QUOTE in SOURCE
    assert [found["outcome"] for found in records(run, "300 KB")] == ["pass", "pass"]
