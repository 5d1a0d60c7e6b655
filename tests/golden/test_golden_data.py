"""The golden data is what its notes say: labels, quotes, kinds of fault, and figures."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from voirdire.grade import Case, grade
from voirdire.journal import Journal
from voirdire.judges.replay import ReplayJudge
from voirdire.reading import read
from voirdire.reply import Reply, Usage
from voirdire.rubric import load_rubric
from voirdire.source import load_sources
from voirdire.verdict import Verdict

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
KITE_CRITERIA = ("grounded", "answers_question")


def lines(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / path).read_text("utf-8").splitlines()]


def by_id(path: str) -> dict[str, dict[str, Any]]:
    return {record["id"]: record for record in lines(path)}


def fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def reading_of(record: dict[str, Any], criteria: tuple[str, ...]) -> tuple[str, Verdict | None]:
    reply = Reply(
        text=record["reply"],
        finish_reason=record["finish_reason"],
        reasoning=record.get("reasoning"),
        usage=Usage(**record["usage"]),
    )
    reading = read(reply, criteria)
    return reading.kind, reading.verdict


EXCERPTS: list[dict[str, str]] = json.loads((GOLDEN / "kitebase/excerpts.json").read_text("utf-8"))
KITE = lines("kitebase/cases.jsonl")
KITE_REPLIES = by_id("kitebase/replies.jsonl")
RESUME = (GOLDEN / "resume/resume.md").read_text("utf-8")
ANSWERS = lines("resume/answers.jsonl")
RESUME_REPLIES = by_id("resume/replies.jsonl")
RESUME_RUBRIC = yaml.safe_load((GOLDEN / "resume/rubric.yaml").read_text("utf-8"))
READABLE = [answer for answer in ANSWERS if not answer["expect"]["grounded"].startswith("judge")]


def case_id(case: dict[str, Any]) -> str:
    return str(case["id"])


kite_case = pytest.mark.parametrize("case", KITE, ids=case_id)
resume_case = pytest.mark.parametrize("case", ANSWERS, ids=case_id)
readable_case = pytest.mark.parametrize("case", READABLE, ids=case_id)


@pytest.mark.parametrize(
    ("folder", "cases", "count"), [("kitebase", "cases", 12), ("resume", "answers", 16)]
)
def test_every_case_has_one_grounded_and_one_blind_reply(
    folder: str, cases: str, count: int
) -> None:
    ids = [record["id"] for record in lines(f"{folder}/{cases}.jsonl")]
    assert len(ids) == len(set(ids)) == count
    for replies in ("replies", "blind"):
        assert [record["id"] for record in lines(f"{folder}/{replies}.jsonl")] == ids


@pytest.mark.parametrize(
    ("folder", "cases", "source"),
    [("kitebase", "cases", "excerpts.json"), ("resume", "answers", "resume.md")],
)
def test_the_grounded_grader_says_what_every_case_expects(
    folder: str, cases: str, source: str, tmp_path: Path
) -> None:
    judge = ReplayJudge(str(GOLDEN / folder / "replies.jsonl"))
    rubric = load_rubric(GOLDEN / folder / "rubric.yaml")
    sources = tuple(load_sources(GOLDEN / folder / source))
    journal = Journal(tmp_path / "journal")
    expected, got = {}, {}
    for record in lines(f"{folder}/{cases}.jsonl"):
        case = Case(sources, record["question"], record["answer"], record["id"])
        result = grade(case, rubric, judge, journal)
        error = result.outcome == "judge_error"
        got[case.id] = f"judge_error:{result.kind}" if error else result.outcome
        expected[case.id] = record["expect"]["grounded"]
    assert got == expected


@pytest.mark.parametrize("folder", ["kitebase", "resume"])
@pytest.mark.parametrize("name", ["replies", "blind"])
def test_recorded_replies_say_that_no_model_wrote_them(folder: str, name: str) -> None:
    for record in lines(f"{folder}/{name}.jsonl"):
        assert record["origin"] == "written by hand for this project; no model produced it"


@pytest.mark.parametrize("folder", ["kitebase", "resume"])
def test_the_blind_judge_passes_everything_with_a_reason(folder: str) -> None:
    for record in lines(f"{folder}/blind.jsonl"):
        body = json.loads(record["reply"])
        assert body["pass"] is True
        assert body["score"] == 1
        assert len(body["reason"]) > 20


@pytest.mark.parametrize("folder", ["kitebase", "resume"])
def test_token_counts_are_possible(folder: str) -> None:
    for record in lines(f"{folder}/replies.jsonl"):
        usage = record["usage"]
        assert usage["prompt"] > 0
        assert 0 <= usage["reasoning"] <= usage["completion"]


@pytest.mark.parametrize(
    ("path", "mode"),
    [
        ("kitebase/rubric.yaml", "criteria"),
        ("kitebase/rubric-grounded.yaml", "criteria"),
        ("resume/rubric.yaml", "claims"),
    ],
)
def test_rubrics_use_known_keys_only(path: str, mode: str) -> None:
    rubric = yaml.safe_load((GOLDEN / path).read_text("utf-8"))
    assert set(rubric) <= {"name", "mode", "criteria", "rules", "threshold", "ignore"}
    assert rubric.get("mode", "criteria") == mode
    assert ("criteria" in rubric) == (mode == "criteria")


def test_excerpts_have_ids_of_their_own_and_none_is_empty() -> None:
    assert len(EXCERPTS) >= 15
    assert len({excerpt["id"] for excerpt in EXCERPTS}) == len(EXCERPTS)
    assert all(excerpt["title"] and excerpt["text"] for excerpt in EXCERPTS)


@pytest.mark.parametrize(
    "near_misses",
    [
        ["reset link", "30 minutes", "invite link", "7 days", "confirmation link", "24 hours"],
        ["trash of their base for 30 days", "restored by an owner for 14 days"],
        ["files of up to 250 MB", "files of up to 50 MB"],
    ],
)
def test_the_help_centre_holds_figures_that_are_easily_mixed_up(near_misses: list[str]) -> None:
    text = " ".join(excerpt["text"] for excerpt in EXCERPTS)
    assert [fact for fact in near_misses if fact not in text] == []


@kite_case
def test_kitebase_notes_cite_excerpts_that_exist(case: dict[str, Any]) -> None:
    cited = set(re.findall(r"kb-\d+", case["note"]))
    assert cited
    assert cited <= {excerpt["id"] for excerpt in EXCERPTS}


@kite_case
def test_kitebase_replies_are_verdicts_whose_quotes_stand(case: dict[str, Any]) -> None:
    kind, verdict = reading_of(KITE_REPLIES[case["id"]], KITE_CRITERIA)
    assert kind == "verdict"
    assert verdict is not None
    assert verdict.decision == case["expect"]["grounded"]
    assert verdict.decision == ("pass" if all(verdict.criteria.values()) else "fail")
    assert verdict.confidence >= 0.9
    texts = [fold(excerpt["text"]) for excerpt in EXCERPTS]
    in_source = [quote for quote in verdict.evidence if any(fold(quote) in t for t in texts)]
    elsewhere = [quote for quote in verdict.evidence if quote not in in_source]
    assert all(fold(quote) in fold(case["answer"]) for quote in elsewhere)
    assert in_source or verdict.decision == "fail"


def test_kitebase_figures_are_those_that_the_readme_gives() -> None:
    pairs = Counter((case["label"], case["expect"]["grounded"]) for case in KITE)
    assert pairs == {
        ("pass", "pass"): 8,
        ("pass", "fail"): 1,
        ("fail", "fail"): 2,
        ("fail", "pass"): 1,
    }
    agreement = (pairs["pass", "pass"] + pairs["fail", "fail"]) / 12
    person_pass, judge_pass = 9 / 12, 9 / 12
    chance = person_pass * judge_pass + (1 - person_pass) * (1 - judge_pass)
    kappa = (agreement - chance) / (1 - chance)
    assert round(agreement, 4) == 0.8333
    assert round(kappa, 4) == 0.5556


def test_the_resume_set_is_four_models_by_four_postings() -> None:
    postings = {path.stem for path in (GOLDEN / "resume/postings").glob("*.md")}
    assert len(postings) == 4
    models: dict[str, set[str]] = {}
    for answer in ANSWERS:
        models.setdefault(answer["model"], set()).add(answer["posting"])
    assert len(models) == 4
    assert all(name.endswith("(fictitious)") for name in models)
    assert all(covered == postings for covered in models.values())
    assert Counter(answer["label"] for answer in ANSWERS) == {"pass": 6, "fail": 10}


def uncovered(answer: str, quotes: list[str]) -> str:
    """What is left of an answer without its claims, ignored lines and list marks."""
    for part in (*quotes, *RESUME_RUBRIC["ignore"]):
        answer = answer.replace(part, "")
    return answer.replace("- ", "").strip(" \n-")


@resume_case
def test_a_person_labelled_every_claim_and_the_label_follows(case: dict[str, Any]) -> None:
    quotes = [claim["quote"] for claim in case["claims"]]
    assert 3 <= len(quotes) <= 5
    assert [quote for quote in quotes if quote not in case["answer"]] == []
    assert uncovered(case["answer"], quotes) == ""
    statuses = {claim["label"] for claim in case["claims"]}
    assert statuses <= {"supported", "overstated", "unsupported"}
    assert all(claim["note"] for claim in case["claims"])
    assert case["label"] == ("pass" if statuses == {"supported"} else "fail")


@readable_case
def test_resume_verdicts_cover_the_answer_and_quote_the_resume(case: dict[str, Any]) -> None:
    kind, verdict = reading_of(RESUME_REPLIES[case["id"]], ())
    assert kind == "verdict"
    assert verdict is not None
    assert verdict.decision == case["expect"]["grounded"] == case["label"]
    assert verdict.confidence >= RESUME_RUBRIC.get("threshold", 0.9)
    assert uncovered(case["answer"], [claim.answer_quote for claim in verdict.claims]) == ""
    assert [claim.status for claim in verdict.claims] == [c["label"] for c in case["claims"]]
    for claim in verdict.claims:
        assert claim.source_quote is None or fold(claim.source_quote) in fold(RESUME)


@pytest.mark.parametrize(
    "case", [answer for answer in ANSWERS if answer not in READABLE], ids=case_id
)
def test_unreadable_resume_replies_have_the_fault_they_stand_for(case: dict[str, Any]) -> None:
    kind, verdict = reading_of(RESUME_REPLIES[case["id"]], ())
    assert f"judge_error:{kind}" == case["expect"]["grounded"]
    assert verdict is None


def test_the_resume_set_holds_every_common_fault_of_a_judge() -> None:
    kinds = Counter(
        answer["expect"]["grounded"].partition(":")[2]
        for answer in ANSWERS
        if answer not in READABLE
    )
    assert kinds == {"silent": 2, "truncated": 1, "prose": 1, "malformed": 1, "ambiguous": 1}


@pytest.mark.parametrize(
    "invented",
    [
        *("Snowflake", "48 TB", "75 analysts", "dbt", "320", "FHIR", "hospital", "HIPAA"),
        *("Certified Kubernetes", "40-node", "99.99", "Solutions Architect", "9 engineers"),
        *("MSc", "keynote", "1,200", "Confluent", "Fluent", "Architected", "under 100 ms"),
    ],
)
def test_what_the_models_invent_is_in_an_answer_and_not_in_the_resume(invented: str) -> None:
    guilty = [
        claim["label"]
        for answer in ANSWERS
        for claim in answer["claims"]
        if invented in claim["quote"]
    ]
    assert guilty
    assert "supported" not in guilty
    assert invented.casefold() not in RESUME.casefold()


def test_every_number_in_a_supported_claim_stands_in_the_resume() -> None:
    converted = {"340": "5 h 40 min", "110": "1 h 50 min"}
    known = set(re.findall(r"\d+(?:[.,]\d+)*", RESUME))
    for answer in ANSWERS:
        for claim in answer["claims"]:
            if claim["label"] != "supported":
                continue
            for number in re.findall(r"\d+(?:[.,]\d+)*", claim["quote"]):
                assert number in known or converted[number] in RESUME, claim["quote"]
