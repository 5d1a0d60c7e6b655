"""The rules judge: what it catches and what it lets stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.judges.rules.judging import judge
from voirdire.evidence import Texts

HERE = Path(__file__).parent
PAIRS = [json.loads(line) for line in (HERE / "pairs.jsonl").read_text("utf-8").splitlines()]
TRUE = [json.loads(line) for line in (HERE / "true_answers.jsonl").read_text("utf-8").splitlines()]


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
