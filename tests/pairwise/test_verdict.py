"""A preference meets its schema whole, or is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.pairwise.conftest import preference
from voirdire.pairwise.verdict import Preference, check_preference, preference_schema
from voirdire.reading import read_as
from voirdire.reply import Reply

VALIDATOR = Draft202012Validator(preference_schema())

FAULTY: dict[str, Any] = {
    "names the answer": preference("A"),
    "another case": preference("First"),
    "list": {**preference("first"), "winner": ["first"]},
    "no evidence": preference("first", evidence=[]),
    "empty quote": preference("first", evidence=[""]),
    "long quote": preference("first", evidence=["x" * 281]),
    "number as quote": preference("first", evidence=[30]),
    "text as evidence": preference("first", evidence="30 minutes"),
    "long critique": preference("first", critique="x" * 2001),
    "critique null": preference("first", critique=None),
    "confidence text": preference("first", confidence="0.9"),
    "confidence true": preference("first", confidence=True),
    "confidence above 1": preference("first", confidence=1.01),
    "confidence below 0": preference("first", confidence=-0.01),
    "extra field": preference("first", verdict="pass"),
    "no winner": {k: v for k, v in preference("first").items() if k != "winner"},
    "list of one": [preference("first")],
    "null": None,
    "text": "first",
}


@pytest.mark.parametrize("winner", ["first", "second", "tie"])
def test_a_preference_is_read_back_as_it_was(winner: str) -> None:
    value = preference(winner)
    found = check_preference(value)
    assert isinstance(found, Preference)
    assert found.to_json() == value
    assert list(found.to_json()) == list(preference_schema()["properties"])


@pytest.mark.parametrize("value", FAULTY.values(), ids=FAULTY)
def test_what_does_not_meet_the_schema_is_none_and_says_why(value: Any) -> None:
    assert not VALIDATOR.is_valid(value)
    fault = check_preference(value)
    assert isinstance(fault, str)
    assert fault


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "critique": st.text(max_size=5) | JSON,
            "evidence": st.lists(st.text(max_size=5), max_size=3) | JSON,
            "winner": st.sampled_from(["first", "second", "tie", "a"]) | JSON,
            "confidence": st.floats(-0.5, 1.5) | JSON,
            "more": JSON,
        },
    )
    | JSON
)
def test_the_check_and_the_schema_say_the_same(value: Any) -> None:
    assert isinstance(check_preference(value), Preference) == VALIDATOR.is_valid(value)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (json.dumps(preference("first")), "verdict"),
        (f"```json\n{json.dumps(preference('tie'))}\n```", "verdict"),
        (json.dumps(preference("first")) * 2, "ambiguous"),
        (f"Better: {json.dumps(preference('first'))}", "prose"),
        ('{"winner": "first", "winner": "second"}', "malformed"),
        (json.dumps(preference("A")), "schema"),
        (json.dumps(preference("first"))[:-9], "truncated"),
        ("...", "silent"),
        ("The first one.", "prose"),
        ('"first"', "schema"),
    ],
)
def test_replies_are_read_as_strictly_as_verdicts(text: str, kind: str) -> None:
    reading = read_as(Reply(text=text, finish_reason="stop"), check_preference)
    assert reading.kind == kind
    assert (reading.verdict is not None) == (kind == "verdict")


@given(st.text())
def test_no_text_but_a_whole_preference_is_one(text: str) -> None:
    reading = read_as(Reply(text=text, finish_reason="stop"), check_preference, "tolerant")
    assert reading.verdict is None or '"winner"' in text
