"""The rules judge: what it catches, what it lets stand, and the form of its verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from voirdire.evidence import Texts
from voirdire.judges.base import Ask
from voirdire.judges.rules import RulesJudge
from voirdire.prompt import Prompt
from voirdire.source import Source
from voirdire.verdict import Verdict, check_verdict

HERE = Path(__file__).parent
PAIRS = [json.loads(line) for line in (HERE / "pairs.jsonl").read_text("utf-8").splitlines()]
TRUE = [json.loads(line) for line in (HERE / "true_answers.jsonl").read_text("utf-8").splitlines()]


def judge(
    sources: dict[str, str],
    answer: str,
    question: str = "",
    criteria: tuple[str, ...] = ("grounded",),
    ignore: tuple[str, ...] = (),
) -> dict[str, Any]:
    ask = Ask(
        prompt=Prompt("", "", ()),
        schema={},
        rubric_criteria=criteria,
        sources=tuple(Source(id_, text) for id_, text in sources.items()),
        question=question,
        answer=answer,
        ignore=ignore,
    )
    reply = RulesJudge().ask(ask)
    assert reply.finish_reason == "stop"
    assert reply.raw == reply.text
    assert not reply.canned
    verdict: dict[str, Any] = json.loads(reply.text or "")
    assert isinstance(check_verdict(verdict, criteria), Verdict), check_verdict(verdict, criteria)
    return verdict


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["changed"][:40])
def test_a_changed_fact_fails_and_the_same_fact_written_otherwise_does_not(
    pair: dict[str, str],
) -> None:
    source = {"s-1": pair["source"]}
    assert judge(source, pair["same"], pair["question"])["verdict"] == "pass"
    changed = judge(source, pair["changed"], pair["question"])
    assert changed["verdict"] == "fail"
    assert changed["criteria"] == {"grounded": False}


@pytest.mark.parametrize("case", TRUE, ids=lambda case: case["answer"][:40])
def test_a_true_answer_never_fails(case: dict[str, str]) -> None:
    verdict = judge({"s-1": case["source"]}, case["answer"], case["question"])
    assert verdict["verdict"] != "fail", verdict["critique"]


def test_evidence_of_a_pass_stands_word_for_word_in_the_source() -> None:
    text = "Links expire after 30 minutes. " + "Other matters fill this page. " * 40
    verdict = judge({"kb-1": text}, "They work for half an hour.")
    assert verdict["verdict"] == "pass"
    assert verdict["evidence"] == ["Links expire after 30 minutes."]


def test_evidence_of_a_fail_shows_the_answer_and_what_the_source_says() -> None:
    verdict = judge(
        {"kb-1": "Links expire after 30 minutes."}, "Good news! It works for an hour: 60 min."
    )
    assert "It works for an hour: 60 min." in verdict["evidence"]
    assert "Links expire after 30 minutes." in verdict["evidence"]
    assert "60 min" in verdict["critique"]


def test_a_long_sentence_is_quoted_in_280_characters_cut_between_words() -> None:
    text = "word " * 200 + "costs $5 " + "more " * 200
    verdict = judge({"kb-1": text}, "It costs 5 dollars.")
    (quote,) = verdict["evidence"]
    assert "$5" in quote
    assert len(quote) <= 280
    assert Texts([text]).hold(quote)


def test_nothing_checkable_cannot_be_decided() -> None:
    verdict = judge({"kb-1": "Refunds are made to the card."}, "You get the money back.")
    assert verdict["verdict"] == "cannot_decide"
    assert verdict["criteria"] == {"grounded": False}


@pytest.mark.parametrize("answer", ["", " \n\t", "…", "!!!"])
def test_an_empty_answer_cannot_be_decided(answer: str) -> None:
    for criteria in (("grounded",), ()):
        assert judge({"s": "Open at 9."}, answer, criteria=criteria)["verdict"] == "cannot_decide"


def test_the_critique_says_that_only_the_listed_facts_were_checked() -> None:
    critique = judge({"s": "It costs $5."}, "It costs 5 USD.")["critique"]
    assert "5 USD" in critique
    assert "Only these facts were checked" in critique


def test_a_long_critique_is_cut_and_says_how_many_more() -> None:
    answer = " ".join(f"Room {n} has {n + 1000} chairs." for n in range(100, 300))
    critique = judge({"s": "There are 3 rooms."}, answer)["critique"]
    assert len(critique) <= 2000
    assert " more." in critique


# questions ----------------------------------------------------------------------------------


def test_agreeing_with_a_wrong_number_of_the_question_fails() -> None:
    source = {"s": "Returns are free for 30 days."}
    question = "I heard returns are free for 45 days, is that right?"
    assert judge(source, "Yes, for 45 days.", question)["verdict"] == "fail"
    assert judge(source, "No, not for 45 days, but for 30 days.", question)["verdict"] == "pass"


def test_what_the_asker_says_of_themselves_may_be_repeated() -> None:
    source = {"s": "The Team plan has up to 30 seats. The Solo plan has 1 seat."}
    verdict = judge(source, "18 people fit: it has 30 seats.", "We are 18 people. Is Team enough?")
    assert verdict["verdict"] == "pass"


def test_names_and_quotes_of_the_question_may_be_repeated() -> None:
    verdict = judge(
        {"s": "Parcels take 3 days."},
        'Hi Dana, "express" to Porto takes 3 days.',
        'I am Dana. How long does "express" to Porto take?',
    )
    assert verdict["verdict"] == "pass"


def test_the_question_says_which_of_two_values_is_asked_for() -> None:
    source = {"a": "Small boxes weigh up to 5 kg.", "b": "Large boxes weigh up to 25 kg."}
    question = "What may a large box weigh?"
    assert judge(source, "Up to 25 kilos.", question)["verdict"] == "pass"
    assert judge(source, "Up to 5 kilos.", question)["verdict"] == "fail"
    both = judge(source, "Up to 25 kg. Small ones: 5 kg.", question)
    assert both["verdict"] == "pass"


# what no source states, and follows from it -------------------------------------------------


@pytest.mark.parametrize(
    ("source", "question", "answer"),
    [
        ("Entry is €14.50, a tour €5.", "", "Entry €14.50 plus €5, so €19.50 altogether."),
        ("A carton holds 5 reams of 500 sheets.", "", "5 reams of 500, i.e. 2,500 sheets."),
        ("Of 400 people, 260 agreed.", "", "260 of 400, that is 65 %."),
        ("Returns within 14 days.", "I got it on 3 March.", "You have 14 days, so until 17 March."),
        ("Boarding ends 25 minutes before 14:10.", "", "25 min before 2:10 pm, so at 1:45 pm."),
        ("The lake is 12 km long.", "", "The lake is 12 km (about 7.5 miles) long."),
        ("Bake at 200 °C.", "", "Bake at 200 °C (392 °F)."),
        ("Half of the seats are kept.", "", "50 % of the seats are kept, that's half of them."),
    ],
)
def test_what_follows_from_the_source_is_no_invention(
    source: str, question: str, answer: str
) -> None:
    verdict = judge({"s": source}, answer, question)
    assert verdict["verdict"] == "pass", verdict["critique"]


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("Entry is €14.50, a tour €5.", "Entry €14.50 plus €5, so €29.50 altogether."),
        ("The lake is 12 km long.", "The lake is 12 km (about 17.5 miles) long."),
        ("Bake at 200 °C.", "Bake at 200 °C (492 °F)."),
    ],
)
def test_what_does_not_follow_from_the_source_fails(source: str, answer: str) -> None:
    assert judge({"s": source}, answer)["verdict"] == "fail"


# citations ----------------------------------------------------------------------------------

CITED = {
    "kb-12": "Invoices can be downloaded under Billing.",
    "kb-15": "Only workspace owners see the Billing page. Guests cannot.",
}


def test_a_citation_must_be_of_a_given_source() -> None:
    assert judge(CITED, "Invoices are under Billing [kb-12].")["verdict"] == "pass"
    assert judge(CITED, "Invoices are under Billing [kb-51].")["verdict"] == "fail"


def test_a_citation_of_the_wrong_source_fails() -> None:
    answer = "Invoices can be downloaded there [kb-15]. Only owners see the page [kb-15]."
    verdict = judge(CITED, answer)
    assert verdict["verdict"] == "fail"
    assert "another source" in verdict["critique"]


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
    "1.2.3.4", "Q3", "the third", "\n",
]  # fmt: skip
TEXT = st.one_of(
    st.text(max_size=200),
    st.lists(st.one_of(st.sampled_from(PHRASES), st.text(max_size=5)), max_size=25).map(" ".join),
    st.lists(st.sampled_from(PHRASES), max_size=25).map("".join),
)


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
