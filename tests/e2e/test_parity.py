"""Both doors say the same of the same case, under the real promptfoo."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Promptfoo, Run
from tests.e2e.suites import (
    ANSWER,
    HOOK,
    QUOTE,
    case,
    claims,
    door_config,
    drop_in,
    explicit,
    record,
    suite,
    verdict,
    write_files,
)
from voirdire.journal import entries

pytestmark = pytest.mark.e2e

# Case → what was recorded for it, the config's changes, and the outcome and kind it must get.
REPLIES: dict[str, tuple[dict[str, Any], str, str]] = {
    "pass": ({"reply": verdict()}, "pass", "pass"),
    "pass in a fence": ({"reply": f"```json\n{json.dumps(verdict())}\n```"}, "pass", "pass"),
    "fail": ({"reply": verdict("fail")}, "fail", "fail"),
    "cannot decide": ({"reply": verdict("cannot_decide")}, "undecided", "cannot_decide"),
    "low confidence": ({"reply": verdict(confidence=0.5)}, "undecided", "low_confidence"),
    "invented quote": (
        {"reply": verdict(evidence=["It lasts for ever."])},
        "undecided",
        "evidence_not_found",
    ),
    "contradiction": (
        {"reply": verdict("fail", criteria={"grounded": True})},
        "undecided",
        "contradiction",
    ),
    "silent": ({"reply": "..."}, "judge_error", "silent"),
    "nothing": ({"reply": None}, "judge_error", "silent"),
    "prose": ({"reply": "It looks fine to me."}, "judge_error", "prose"),
    "schema": ({"reply": {**verdict(), "extra": 1}}, "judge_error", "schema"),
    "malformed": ({"reply": "{'verdict': 'pass'}"}, "judge_error", "malformed"),
    "ambiguous": ({"reply": json.dumps(verdict()) * 2}, "judge_error", "ambiguous"),
    "truncated": (
        {"reply": json.dumps(verdict())[:40], "finish_reason": "length"},
        "judge_error",
        "truncated",
    ),
    "refused": ({"reply": "", "refusal": "I would rather not."}, "judge_error", "refused"),
    "filtered": (
        {"reply": json.dumps(verdict()), "finish_reason": "content_filter"},
        "judge_error",
        "refused",
    ),
    "tool call": (
        {"reply": json.dumps(verdict()), "finish_reason": "tool_calls"},
        "judge_error",
        "unexpected_stop",
    ),
}
CLAIMS: dict[str, tuple[dict[str, Any], str, str]] = {
    "claims pass": ({"reply": claims()}, "pass", "pass"),
    "claims fail": ({"reply": claims("overstated")}, "fail", "fail"),
    "claims incomplete": (
        {
            "reply": claims(
                claims=[{"answer_quote": "minutes", "status": "supported", "source_quote": QUOTE}]
            )
        },
        "undecided",
        "incomplete",
    ),
}
CONFIGS: dict[str, tuple[dict[str, Any], str, str]] = {
    "unrecorded": ({}, "judge_error", "no_record"),
    "no such source": ({"source": "missing.md"}, "judge_error", "config"),
    "empty source": ({"source": "empty.md"}, "judge_error", "config"),
    "no such rubric": ({"rubric": "missing.yaml"}, "judge_error", "config"),
    "unknown policy": ({"policy": "lenient"}, "judge_error", "config"),
    "unknown judge": ({"judge": "oracle:delphi"}, "judge_error", "config"),
    "tolerant": ({"policy": "tolerant"}, "pass", "pass"),
    "precheck": ({"precheck": "rules"}, "fail", "fail"),
}
ANSWERS = {"precheck": "It lasts 45 minutes.", "claims incomplete": "It lasts 30 minutes. Really."}
EXPECTED = {
    name: (outcome, kind)
    for group in (REPLIES, CLAIMS, CONFIGS)
    for name, (_, outcome, kind) in group.items()
}


@pytest.fixture(scope="session")
def run(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Run:
    """Every case through both doors, in one run."""
    folder = folders("both doors")
    recorded = [
        record(name, **fields, usage={"prompt": 700, "completion": 100, "reasoning": 40})
        for group in (REPLIES, CLAIMS)
        for name, (fields, _, _) in group.items()
    ]
    recorded += [
        record("tolerant", "Here you are:\n" + json.dumps(verdict())),
        record("precheck", verdict(), origin="never asked for: the rules fail it first"),
    ]
    write_files(folder, recorded)
    (folder / "empty.md").write_text(" \n")
    tests = []
    for name in EXPECTED:
        changed = CONFIGS[name][0] if name in CONFIGS else {}
        if name in CLAIMS:
            changed = {"rubric": "claims.yaml"}
        config = door_config(**changed)
        answer = ANSWERS.get(name, ANSWER)
        tests.append(case(name, [explicit(config), drop_in(config)], vars={"answer": answer}))
    return promptfoo(folder, suite(tests, extensions=[HOOK]))


def records(run: Run, name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    one, two = run.grades(name)
    return one["metadata"]["voirdire"], two["metadata"]["voirdire"]


@pytest.mark.parametrize("name", EXPECTED)
def test_both_doors_give_the_same_outcome_kind_and_record(run: Run, name: str) -> None:
    first, second = records(run, name)
    assert (first["outcome"], first["kind"]) == EXPECTED[name]
    passing = {"journal_id", "latency_ms"}
    assert {key: value for key, value in first.items() if key not in passing} == {
        key: value for key, value in second.items() if key not in passing
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_only_a_pass_passes_and_the_reason_says_what_else_it_is(run: Run, name: str) -> None:
    outcome, kind = EXPECTED[name]
    for grade in run.grades(name):
        assert grade["pass"] is (outcome == "pass")
        assert grade["score"] == (1 if outcome == "pass" else 0)
        if outcome == "undecided":
            assert grade["reason"].startswith("undecided: ")
            assert grade["reason"].endswith(f"({kind})")
        elif outcome == "judge_error":
            assert grade["reason"].startswith(f"judge error ({kind}): ")
        else:
            assert not grade["reason"].startswith(("undecided", "judge error"))
    assert run.rows[name]["success"] is (outcome == "pass")
    assert run.rows[name]["failureReason"] == (0 if outcome == "pass" else 1)


@pytest.mark.parametrize("name", [*REPLIES, *CLAIMS])
def test_the_raw_reply_is_in_the_result(run: Run, name: str) -> None:
    reply = {**REPLIES, **CLAIMS}[name][0]["reply"]
    for found in records(run, name):
        if reply in ("", None):
            assert json.loads(found["raw"])["reply"] == reply
        else:
            assert found["raw"] == (reply if isinstance(reply, str) else json.dumps(reply))
        if found["outcome"] == "judge_error":
            assert json.loads(found["payload"])["id"] == name


def test_the_reason_of_a_judge_error_shows_the_reply(run: Run) -> None:
    for grade in run.grades("prose"):
        assert "It looks fine to me." in grade["reason"]


def test_the_prompt_that_the_judge_was_sent_is_in_the_result(run: Run) -> None:
    one, two = run.grades("pass")
    for grade in (one, two):
        prompt = grade["metadata"]["voirdire"]["prompt"]
        assert QUOTE in prompt
        assert ANSWER in prompt
        assert "Is every statement in the source?" in prompt
    assert one["metadata"]["renderedGradingPrompt"] == one["metadata"]["voirdire"]["prompt"]


def test_outcomes_are_named_scores_of_the_row(run: Run) -> None:
    for name, (outcome, _) in EXPECTED.items():
        scores = run.rows[name]["namedScores"]
        wanted = f"judge_{outcome.removeprefix('judge_')}"
        names = ("judge_pass", "judge_fail", "judge_undecided", "judge_error")
        assert {key: scores.get(key) for key in names} == {key: key == wanted for key in names}


def test_tokens_of_both_doors_add_up(run: Run) -> None:
    graded = len(REPLIES) + len(CLAIMS)
    counted = run.results["results"]["stats"]["tokenUsage"]["assertions"]
    assert counted["total"] == 2 * graded * 800
    assert counted["prompt"] == 2 * graded * 700
    first, second = records(run, "pass")
    expected = {"prompt": 700, "completion": 100, "reasoning": 40, "total": 800}
    assert first["tokens"] == second["tokens"] == expected


def test_every_call_is_in_the_journal_under_the_id_that_the_result_names(run: Run) -> None:
    found, damages = entries(run.journal)
    assert damages == []
    by_id = {entry.call["id"]: entry for entry in found}
    for name in EXPECTED:
        if name in CONFIGS and CONFIGS[name][2] == "config":
            continue
        for result in records(run, name):
            entry = by_id[result["journal_id"]]
            assert entry.call["case_id"] == name
            assert entry.call["fingerprint"] == result["fingerprint"]


def test_a_canned_reply_is_labelled(run: Run) -> None:
    for grade in run.grades("pass"):
        assert grade["reason"].startswith("[canned reply] ")
        assert grade["metadata"]["voirdire"]["canned"] is True


def test_a_config_error_names_what_to_mend(run: Run) -> None:
    for name, word in {
        "no such source": "missing.md",
        "empty source": "empty.md",
        "no such rubric": "missing.yaml",
        "unknown policy": "lenient",
        "unknown judge": "oracle",
    }.items():
        for grade in run.grades(name):
            assert word in grade["reason"]
