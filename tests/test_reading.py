"""A reply is read as a verdict only where it is one whole valid verdict, and never raises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.reading import POLICIES, UNREADABLE, Reading, read
from voirdire.reply import Reply, Usage
from voirdire.rubric import Rubric
from voirdire.ruling import rule
from voirdire.source import Source

GOLDEN = Path(__file__).resolve().parents[1] / "golden"
CRITERIA = ("grounded", "answers_question")
GIVEN = json.loads((GOLDEN / "judge_replies.json").read_text("utf-8"))
FURTHER = json.loads((GOLDEN / "readings.json").read_text("utf-8"))
CASES: list[dict[str, Any]] = [*GIVEN["cases"], *FURTHER["cases"]]
PASS = next(case["reply"] for case in CASES if case["name"] == "plain-pass")

golden_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
both_policies = pytest.mark.parametrize("policy", POLICIES)


def text_of(reading: Reading) -> str:
    return f"verdict:{reading.verdict.decision}" if reading.verdict else reading.kind


def read_text(text: str | None, policy: str = "strict", **fields: Any) -> Reading:
    return read(Reply(text, fields.pop("finish_reason", "stop"), **fields), CRITERIA, policy)


def read_case(case: dict[str, Any], policy: str) -> Reading:
    return read_text(
        case["reply"],
        policy,
        finish_reason=case["finish_reason"],
        refusal=case.get("refusal"),
        reasoning=case.get("reasoning"),
        usage=Usage(**case.get("usage", {})),
        max_tokens=case.get("max_tokens"),
    )


@golden_case
def test_golden_reply_gets_its_reading_under_strict(case: dict[str, Any]) -> None:
    assert text_of(read_case(case, "strict")) == case["reading"], case["why"]


@golden_case
def test_golden_reply_gets_its_reading_under_tolerant(case: dict[str, Any]) -> None:
    wanted = case.get("tolerant", case["reading"])
    assert text_of(read_case(case, "tolerant")) == wanted, case["why"]


@pytest.mark.parametrize(
    "case", [case for case in CASES if "ruling" in case], ids=lambda case: case["name"]
)
def test_golden_reply_gets_its_ruling(case: dict[str, Any]) -> None:
    verdict = read_case(case, "strict").verdict
    assert verdict is not None
    rubric = Rubric("golden", dict.fromkeys(CRITERIA, "?"), threshold=GIVEN["threshold"])
    answer = GIVEN["answer_fail" if verdict.decision == "fail" else "answer_pass"]
    ruling = rule(verdict, rubric, [Source("excerpt", GIVEN["source"])], answer)
    assert ruling.outcome == case["ruling"], case["why"]


def test_golden_files_share_source_answers_and_criteria() -> None:
    shared = ("source", "answer_pass", "answer_fail", "criteria", "threshold")
    assert [GIVEN[key] for key in shared] == [FURTHER[key] for key in shared]
    assert tuple(GIVEN["criteria"]) == CRITERIA


def test_golden_names_are_unique_and_every_kind_of_reading_is_met() -> None:
    names = [case["name"] for case in CASES]
    assert len(names) == len(set(names))
    assert len(GIVEN["cases"]) == 65
    unmet = set(UNREADABLE) - {case["reading"] for case in CASES}
    assert unmet == {"unreachable"}  # there is no reply to read


def test_every_further_case_says_why_and_where_it_comes_from() -> None:
    assert [case["name"] for case in FURTHER["cases"] if not (case["why"] and case["origin"])] == []


@pytest.mark.parametrize(
    ("text", "fields", "wanted"),
    [
        (PASS, {}, ()),
        (f"```json\n{PASS}\n```", {}, ("fence",)),
        (f"<think>x</think>{PASS}", {}, ("think_block",)),
        (f"x</think>{PASS}", {}, ("think_prefix",)),
        (PASS, {"reasoning": "x"}, ("reasoning_field",)),
        (PASS, {"finish_reason": None}, ("no_finish_reason",)),
        (f"<think>x</think>~~~\n{PASS}\n~~~", {}, ("fence", "think_block")),
    ],
)
def test_what_was_set_aside_is_recorded(
    text: str, fields: dict[str, Any], wanted: tuple[str, ...]
) -> None:
    assert read_text(text, **fields).normalisations == wanted


def test_prose_set_aside_under_tolerant_is_recorded() -> None:
    assert read_text(f"So: {PASS}", "tolerant").normalisations == ("prose",)


@pytest.mark.parametrize(
    ("text", "fields", "word"),
    [
        ("", {}, "empty"),
        ("...", {}, "dots"),
        ("—", {}, "punctuation only"),
        ("<think>x</think>", {}, "nothing after the thinking"),
        ("", {"reasoning": "x"}, "nothing after the thinking"),
        ("", {"usage": Usage(completion=100, reasoning=81)}, "80 %"),
        ("", {"usage": Usage(completion=90, reasoning=81), "max_tokens": 100}, "80 %"),
        ("", {"usage": Usage(completion=90, reasoning=81), "max_tokens": 200}, "empty"),
    ],
)
def test_silence_says_how(text: str, fields: dict[str, Any], word: str) -> None:
    reading = read_text(text, **fields)
    assert reading.kind == "silent"
    assert word in reading.detail


@golden_case
@both_policies
def test_an_unreadable_reply_says_why_and_a_verdict_does_not(
    case: dict[str, Any], policy: str
) -> None:
    reading = read_case(case, policy)
    assert (reading.verdict is None) == bool(reading.detail) == (reading.kind in UNREADABLE)
