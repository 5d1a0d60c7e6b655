"""The rubric that is made out of an llm-rubric's words."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.initial.wording import needs_source, word_rubric
from voirdire.lint.check import lint
from voirdire.rubric import load_rubric


def criteria(tmp_path: Path, words: str, **known: str) -> dict[str, str]:
    """The criteria of the rubric that the words become, loaded from its file."""
    path = tmp_path / "rubric.yaml"
    path.write_text(word_rubric(words, "suite.yaml:3", "", known).text, encoding="utf-8")
    return dict(load_rubric(path).criteria)


@pytest.mark.parametrize(
    ("words", "question"),
    [
        (
            "Is every claim supported by the resume?",
            "Is every claim supported by the resume?",
        ),
        (
            "Is supported by the policy",
            "Does it hold that the answer is supported by the policy?",
        ),
        (
            "Answers from the context only.",
            "Does it hold that the answer answers from the context only?",
        ),
        (
            "Answers are backed by the context.",
            "Does it hold that answers are backed by the context?",
        ),
        (
            "The response only states what the handbook says.",
            "Does it hold that the response only states what the handbook says?",
        ),
        (
            "Ensure that the output matches the report",
            "Does it hold that the output matches the report?",
        ),
        (
            "Faithful to the document",
            "Does it hold that the answer is faithful to the document?",
        ),
        (
            "Do not go beyond the policy",
            "Does the answer keep to this: do not go beyond the policy?",
        ),
        (
            "PTO is quoted from the handbook",
            "Does it hold that PTO is quoted from the handbook?",
        ),
        (
            "Is factually accurate",
            "Held against the sources, does it hold that the answer is factually accurate?",
        ),
        (
            "Only uses {{ context }}",
            "Does it hold that the answer only uses the source?",
        ),
        (
            "Jede Zahl der Antwort muss in der Richtlinie stehen.",
            "Jede Zahl der Antwort muss in der Richtlinie stehen.",
        ),
    ],
)
def test_a_sentence_becomes_a_yes_no_question(words: str, question: str, tmp_path: Path) -> None:
    assert list(criteria(tmp_path, words, context="the source").values()) == [question]


def test_each_sentence_and_each_item_of_a_list_is_a_criterion(tmp_path: Path) -> None:
    words = "The answer must:\n- quote the policy\n- name the days\n\nIt is stated in the policy."
    assert criteria(tmp_path, words) == {
        "quote_policy": "Does it hold that the answer must quote the policy?",
        "name_days": "Does it hold that the answer must name the days?",
        "policy": "Does it hold that it is stated in the policy?",
    }


def test_two_sentences_of_the_same_words_have_names_of_their_own(tmp_path: Path) -> None:
    names = list(criteria(tmp_path, "Every date is in the policy. Is the date in the policy?"))
    assert names == ["date_policy", "date_policy_2"]


@pytest.mark.parametrize("words", ["No.", "On!", "9 days", "\x1b", "???", "資料"])
def test_words_that_name_nothing_still_make_a_criterion(words: str, tmp_path: Path) -> None:
    assert len(criteria(tmp_path, words)) == 1


def test_an_order_on_the_form_of_the_reply_is_left_out() -> None:
    worded = word_rubric("Every date is in the policy. Score it from 0 to 10.", "x:1", "", {})
    assert worded.left_out == ("Score it from 0 to 10.",)
    assert "Score" not in worded.text


@pytest.mark.parametrize(
    "words",
    [
        "The response only states what the handbook says.",
        "Every statement is backed by the refund policy. The answer names the number of days.",
        "Is every claim supported by the master resume?",
    ],
)
def test_the_lint_has_nothing_to_say_of_it(words: str, tmp_path: Path) -> None:
    path = tmp_path / "rubric.yaml"
    path.write_text(word_rubric(words, "x:1", "", {}).text, encoding="utf-8")
    assert lint(path).findings == []


@settings(deadline=None)
@given(st.text(min_size=1).filter(str.strip), st.text(max_size=20), st.text(max_size=20))
def test_any_words_make_a_rubric_whose_rules_need_no_mending(
    tmp_path_factory: pytest.TempPathFactory, words: str, metric: str, where: str
) -> None:
    path = tmp_path_factory.mktemp("any") / "rubric.yaml"
    text = word_rubric(words, where, metric, {}).text
    path.write_text(text.encode("utf-8", "surrogatepass").decode("utf-8", "replace"), "utf-8")
    assert load_rubric(path).rules
    rules = path.read_text("utf-8").splitlines().index("rules: |") + 1
    assert all(int(found.where.rpartition(":")[2]) < rules for found in lint(path).findings)


@pytest.mark.parametrize(
    ("words", "known", "needed"),
    [
        ("Every number is in the handbook.", (), True),
        ("Is factually accurate", (), True),
        ("Is polite", (), False),
        ("Names a price of 9 euros", (), False),
        ("The text is short", (), False),
        ("Sticks to the text", ("text",), True),
        ("Is every price stated on the shop's page?", (), True),
        ("The price is mentioned in the email", (), False),
        ("Uses {{context}}", (), False),
    ],
)
def test_what_a_source_settles_is_told_from_what_it_does_not(
    words: str, known: tuple[str, ...], needed: bool
) -> None:
    assert needs_source(words, known) is needed
