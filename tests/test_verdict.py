"""The check of a verdict says what the schema says, and says what is wrong."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.verdict import MAX_CRITIQUE, MAX_QUOTE, Verdict, check_verdict, verdict_schema

CRITERIA = ("grounded", "answers_question")
MODES = pytest.mark.parametrize("criteria", [CRITERIA, ()], ids=["criteria", "claims"])
VALIDATORS: dict[tuple[str, ...], jsonschema.Draft202012Validator] = {
    mode: jsonschema.Draft202012Validator(verdict_schema(mode)) for mode in (CRITERIA, ())
}


def good(criteria: tuple[str, ...]) -> dict[str, Any]:
    middle: dict[str, Any] = (
        {"criteria": dict.fromkeys(criteria, True), "evidence": ["a quote"]}
        if criteria
        else {"claims": [{"answer_quote": "x", "status": "supported", "source_quote": "y"}]}
    )
    return {"critique": "", **middle, "verdict": "pass", "confidence": 0.9}


@MODES
def test_schema_is_a_schema_and_takes_a_good_verdict(criteria: tuple[str, ...]) -> None:
    jsonschema.Draft202012Validator.check_schema(verdict_schema(criteria))
    VALIDATORS[criteria].validate(good(criteria))
    assert isinstance(check_verdict(good(criteria), criteria), Verdict)


@MODES
def test_schema_lists_the_critique_first_and_the_decision_late(criteria: tuple[str, ...]) -> None:
    names = list(verdict_schema(criteria)["properties"])
    assert names[0] == "critique"
    assert names[-2:] == ["verdict", "confidence"]
    assert verdict_schema(criteria)["required"] == names


ODD = st.sampled_from(
    [  # each of them fits somewhere, or nearly
        *(
            None,
            True,
            False,
            0,
            1,
            -1,
            0.5,
            1.0,
            1.1,
            "",
            "pass",
            "Pass",
            "supported",
            "x" * MAX_QUOTE,
        ),
        *("x" * (MAX_QUOTE + 1), "x" * MAX_CRITIQUE, "x" * (MAX_CRITIQUE + 1), [], ["x"], [""]),
        *(float("inf"), -0.0, 10**400, "😀" * MAX_QUOTE, {}, {"grounded": True}, ["x", 1]),
    ]
)
ANYTHING = st.recursive(
    ODD | st.text(max_size=3) | st.floats(allow_nan=False) | st.integers(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=4,
)


def paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path]
    items: Any = ()
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    for key, inner in items:
        found += paths(inner, (*path, key))
    return found


@st.composite
def nearly_good(draw: st.DrawFn, criteria: tuple[str, ...]) -> Any:
    """A good verdict with up to three places replaced, removed or added."""
    value: Any = good(criteria)
    for _ in range(draw(st.integers(0, 3))):
        path = draw(st.sampled_from(paths(value)))
        if not path:
            return draw(ANYTHING)
        parent = value
        for key in path[:-1]:
            parent = parent[key]
        change = draw(st.sampled_from(["replace", "remove", "add"]))
        if change == "replace":
            parent[path[-1]] = copy.deepcopy(draw(ANYTHING))
        elif change == "remove":
            del parent[path[-1]]
        elif isinstance(parent, dict):
            parent[draw(st.text(max_size=3))] = True
        else:
            parent.append(copy.deepcopy(draw(ANYTHING | st.just(parent[0]))))
    return value


@MODES
@settings(max_examples=500)
@given(data=st.data())
def test_check_and_jsonschema_agree(criteria: tuple[str, ...], data: st.DataObject) -> None:
    value = data.draw(nearly_good(criteria) | ANYTHING)
    checked = check_verdict(value, criteria)
    assert isinstance(checked, Verdict) == VALIDATORS[criteria].is_valid(value), checked


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"verdict": "PASS"}, 'verdict must be one of pass, fail, cannot_decide, not "PASS"'),
        ({"confidence": True}, "confidence must be a number, not True"),
        ({"confidence": 97}, "confidence must lie between 0 and 1, not 97"),
        ({"confidence": 10**5000}, "confidence must lie between 0 and 1, not a number"),
        ({"confidence": "0.9"}, 'confidence must be a number, not "0.9"'),
        ({"critique": None}, "critique must be a string of at most 2000 characters"),
        ({"evidence": []}, "evidence must be a list of at least one quote"),
        ({"evidence": ["x" * 281]}, "every evidence quote must be a string of 1 to 280 characters"),
        ({"criteria": [True]}, "criteria is an array, not an object"),
        ({"criteria": {"grounded": True}}, "criteria lacks answers_question"),
        (
            {"criteria": dict.fromkeys((*CRITERIA, "x"), True)},
            'criteria has an unexpected field "x"',
        ),
        (
            {"criteria": dict.fromkeys(CRITERIA, "yes")},
            'criterion grounded must be true or false, not "yes"',
        ),
        ({"note": ""}, 'the reply has an unexpected field "note"'),
    ],
)
def test_a_fault_is_named(change: dict[str, Any], words: str) -> None:
    assert check_verdict({**good(CRITERIA), **change}, CRITERIA) == words


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (
            {"status": "supported", "source_quote": None},
            "claim 1 is supported but quotes no source",
        ),
        (
            {"status": "true"},
            'claim 1: status must be one of supported, overstated, unsupported, not "true"',
        ),
        ({"answer_quote": ""}, "claim 1: answer_quote must be a string that is not empty"),
        ({"source_quote": ""}, "claim 1: source_quote must be a string that is not empty, or null"),
        ({"page": 1}, 'claim 1 has an unexpected field "page"'),
    ],
)
def test_a_claims_fault_is_named(claim: dict[str, Any], words: str) -> None:
    value = good(())
    value["claims"][0].update(claim)
    assert check_verdict(value, ()) == words


def test_neither_mode_takes_the_others_verdict() -> None:
    assert check_verdict(good(()), CRITERIA) == "the reply lacks criteria, evidence"
    assert check_verdict(good(CRITERIA), ()) == "the reply lacks claims"


@pytest.mark.parametrize(
    ("held", "score"), [((True, True), 1.0), ((True, False), 0.5), ((False, False), 0.0)]
)
def test_score_is_the_share_of_criteria_that_hold(held: tuple[bool, bool], score: float) -> None:
    value = {**good(CRITERIA), "criteria": dict(zip(CRITERIA, held, strict=True))}
    verdict = check_verdict(value, CRITERIA)
    assert isinstance(verdict, Verdict)
    assert verdict.score == score


def test_score_is_the_share_of_claims_that_are_supported() -> None:
    claim = {"answer_quote": "x", "status": "overstated", "source_quote": None}
    value = good(())
    value["claims"] += [claim, claim, claim]
    verdict = check_verdict(value, ())
    assert isinstance(verdict, Verdict)
    assert verdict.score == 0.25


@MODES
def test_a_verdict_is_written_as_it_was_read(criteria: tuple[str, ...]) -> None:
    verdict = check_verdict(good(criteria), criteria)
    assert isinstance(verdict, Verdict)
    assert verdict.to_json() == good(criteria)
