"""The rules judge: the form of its verdicts, in both modes and on any text."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.judges.rules.judging import judge
from voirdire.judges.rules import RulesJudge

# criteria -----------------------------------------------------------------------------------


def test_answers_question_holds_where_the_answer_shares_a_word_with_the_question() -> None:
    names = ("grounded", "answers_question")
    source = {"s": "The warranty lasts 2 years."}
    good = judge(source, "The warranty is 24 months.", "How long is the warranty?", names)
    assert good["criteria"] == {"grounded": True, "answers_question": True}
    assert good["verdict"] == "pass"
    off = judge(source, "It is 24 months.", "Which colours exist?", names)
    assert off["verdict"] == "cannot_decide"
    assert "answers_question" in off["critique"]


def test_a_criterion_that_no_rule_can_judge_keeps_an_answer_from_passing() -> None:
    names = ("grounded", "polite")
    source = {"s": "It costs $5."}
    verdict = judge(source, "It costs $5.", criteria=names)
    assert verdict["verdict"] == "cannot_decide"
    assert "polite" in verdict["critique"]
    failed = judge(source, "It costs $6.", criteria=names)
    assert failed["verdict"] == "fail"
    assert failed["criteria"] == {"grounded": False, "polite": True}
    assert "Not judged" in failed["critique"]


def test_no_criterion_about_the_source_leaves_nothing_to_fail() -> None:
    verdict = judge({"s": "It costs $5."}, "It costs $6.", criteria=("polite", "short"))
    assert verdict["verdict"] == "cannot_decide"
    assert "$6" in verdict["critique"]


# claims -------------------------------------------------------------------------------------


def test_claim_mode_gives_every_sentence_its_status() -> None:
    source = {"cv": "Cut the build from 26 minutes to 7. Mentors 2 engineers."}
    answer = "- Cut the build to 7 minutes.\n- Mentors 9 engineers.\n- Loves the job."
    verdict = judge(source, answer, criteria=())
    assert [claim["answer_quote"] for claim in verdict["claims"]] == [
        "Cut the build to 7 minutes.",
        "Mentors 9 engineers.",
        "Loves the job.",
    ]
    assert [claim["status"] for claim in verdict["claims"]] == [
        "supported",
        "unsupported",
        "unsupported",
    ]
    assert verdict["claims"][1]["source_quote"] == "Mentors 2 engineers."
    assert verdict["claims"][2]["source_quote"] is None
    assert "Loves the job." in verdict["critique"]
    assert verdict["verdict"] == "fail"


def test_claim_mode_passes_only_when_every_sentence_was_checked() -> None:
    source = {"cv": "Mentors 2 engineers since 2021."}
    assert judge(source, "Mentors two engineers.", criteria=())["verdict"] == "pass"
    mixed = judge(source, "Mentors two engineers. Loves it.", criteria=())
    assert mixed["verdict"] == "cannot_decide"


def test_claim_mode_takes_no_piece_for_a_line_that_makes_no_claim() -> None:
    source = {"cv": "Mentors 2 engineers since 2021."}
    answer = "# Experience\n\n**Dear team!**\n\n- Mentors two engineers."
    ignore = ("Dear Team", "experience:")
    verdict = judge(source, answer, criteria=(), ignore=ignore)
    assert verdict["verdict"] == "pass"
    assert [claim["answer_quote"] for claim in verdict["claims"]] == ["Mentors two engineers."]
    assert judge(source, answer, criteria=())["verdict"] == "cannot_decide"


def test_claim_mode_cannot_decide_where_every_line_is_ignored() -> None:
    verdict = judge({"cv": "Mentors 2."}, "Dear team,", criteria=(), ignore=("Dear team",))
    assert verdict["verdict"] == "cannot_decide"


# bounds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("criteria", [("grounded",), ()])
def test_more_facts_than_can_be_looked_at_cannot_be_decided(criteria: tuple[str, ...]) -> None:
    many = "It is 5 kg. " * 3001
    for source, answer in (("It is 5 kg.", many), (many * 10, "It is 6 kg.")):
        verdict = judge({"s": source}, answer, criteria=criteria)
        assert verdict["verdict"] == "cannot_decide"
        assert "more facts than can be checked" in verdict["critique"]


def test_a_longer_answer_than_can_be_looked_at_cannot_be_decided() -> None:
    verdict = judge({"s": "It is 5 kg."}, "It is 6 kg. " + "Nothing to see here. " * 5000)
    assert verdict["verdict"] == "cannot_decide"
    assert "more text" in verdict["critique"]


# form ---------------------------------------------------------------------------------------


def test_the_judge_names_itself_and_takes_no_second_question() -> None:
    made = RulesJudge()
    assert made.spec == "rules"
    assert made.identity["scheme"] == "rules"
    assert made.identity["version"]
    assert made.can_reask is False


PHRASES = [
    "30 min", "$1,200.00", "€9,50", "12 %", "March 1, 2026", "2026-03-01", "v2.3.1", "kb-12",
    "[kb-1]", "https://a.example/x", "a@b.example", '"Save changes"', "Marta Lindqvist",
    "twenty-five", "1 h", "3–5 days", "a.m.", "9:30", "\ud800", "\x00", "|a|b|", "```", "- ", "1. ",
    "U.S.", "x" * 300, "½", "per month", "half an hour", "and", "…", "²", "١٢", "12" * 30,
    "1.2.3.4", "Q3", "the third", "\n", "V0¼", "v", "version", "¼", "0", ".",
]  # fmt: skip
TEXT = st.one_of(
    st.text(max_size=200),
    st.lists(st.one_of(st.sampled_from(PHRASES), st.text(max_size=5)), max_size=25).map(" ".join),
    st.lists(st.sampled_from(PHRASES), max_size=25).map("".join),
)


@pytest.mark.parametrize("version", ["V0¼", "v2½", "version 1 ½", "v.1¾", "Version 3⅓.2"])
def test_a_version_that_ends_in_a_fraction_is_read(version: str) -> None:
    answer = f"It is {version}."
    assert judge({"s-1": answer}, answer)["verdict"] == "pass"
    assert judge({"s-1": "It is 7."}, answer)["verdict"] != "pass"


@given(source=TEXT, question=TEXT, answer=TEXT, criteria=st.sampled_from([
    (), ("grounded",), ("grounded", "answers_question"), ("grounded", "kind"), ("kind", "short"),
]))  # fmt: skip
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_gets_a_valid_and_consistent_verdict(
    source: str, question: str, answer: str, criteria: tuple[str, ...]
) -> None:
    verdict = judge({"s-1": source}, answer, question, criteria)
    quotes = verdict.get("evidence", [])
    if verdict["verdict"] == "pass":
        assert all(verdict["criteria"].values()) if criteria else True
        if not criteria:
            assert all(claim["status"] == "supported" for claim in verdict["claims"])
            quotes = [claim["source_quote"] for claim in verdict["claims"]]
        assert all(quote in source for quote in quotes)
    elif verdict["verdict"] == "fail" and criteria:
        assert verdict["criteria"]["grounded"] is False
        assert all(quote in answer or quote in source for quote in quotes)


@given(source=TEXT)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_source_itself_is_never_a_false_alarm(source: str) -> None:
    verdict = judge({"s-1": source}, source)
    assert verdict["verdict"] != "fail", verdict["critique"]


def test_a_contradiction_names_its_source_by_id() -> None:
    verdict = judge({"kb-7": "The link lasts 30 minutes."}, "The link lasts 45 minutes.")
    assert "the source kb-7 says: “The link lasts 30 minutes.”" in verdict["critique"]
