"""What promptfoo is handed, and what it can never make a pass of."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.checks.held import SOURCE
from voirdire.promptfoo import checks
from voirdire.promptfoo.checks import assertion
from voirdire.promptfoo.overruled import NotAVerdictError

CONFIG: dict[str, Any] = {
    "source": SOURCE,
    "schema": {"type": "object"},
    "required_fields": ["text"],
    "citations": True,
    "links": {"allow": ["example.org"]},
    "numbers": True,
    "forbidden": ["guarantee"],
    "length": {"max": 60, "unit": "words"},
}
GOOD = '{"text": "It works for 30 minutes [kb-01]."}'
BAD = '{"text": "We guarantee 45 minutes [kb-99]."}'


def graded(output: Any, config: Any = CONFIG, **test: Any) -> dict[str, Any]:
    return assertion(output, {"config": config, "vars": {}, "test": test})


def test_a_python_without_what_a_check_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def bare(*given: Any) -> None:
        raise ModuleNotFoundError("No module named 'jsonschema'", name="jsonschema")

    monkeypatch.setattr(checks, "read_config", bare)
    result = graded(GOOD)
    assert result["pass"] is False
    assert f"({sys.executable}) has no module 'jsonschema'" in result["reason"]


def test_each_check_is_a_component_and_a_named_score() -> None:
    result = graded(BAD)
    names = [name for name in CONFIG if name != "source"]
    failed = ["citations", "numbers", "forbidden"]
    components = {item["assertion"]["metric"]: item for item in result["componentResults"]}
    assert list(components) == names
    for name, item in components.items():
        assert item["pass"] is (name not in failed)
        assert result["namedScores"][f"check_{name}"] == item["score"] == float(item["pass"])
    assert (result["pass"], result["score"]) == (False, 0.0)
    assert result["reason"].startswith("3 of 7 checks failed: citations: [kb-99]")
    assert components["forbidden"]["metadata"] == {"faults": ["says 'guarantee'"], "fault_count": 1}


def test_it_passes_only_where_every_check_does() -> None:
    result = graded(GOOD)
    assert (result["pass"], result["score"]) == (True, 1.0)
    assert all(item["pass"] for item in result["componentResults"])


def test_an_answer_that_promptfoo_has_parsed_is_read_as_json() -> None:
    assert graded(json.loads(GOOD))["pass"] is True
    assert graded(json.loads(BAD))["pass"] is False
    assert graded(None)["reason"].count("the answer is empty") == 7


def test_many_faults_are_counted() -> None:
    answer = " ".join(f"[kb-{n}]" for n in range(100, 350))
    (item,) = graded(answer, {"source": SOURCE, "citations": True})["componentResults"]
    assert item["reason"].endswith("(and 247 more)")
    assert item["metadata"]["fault_count"] == 250
    assert len(item["metadata"]["faults"]) == 100


BROKEN = {"number": True}


def test_a_configuration_error_is_no_pass() -> None:
    result = graded(GOOD, BROKEN)
    assert result["pass"] is False
    assert result["reason"].startswith("checks not run: config: unknown field `number`")
    assert result["metadata"]["voirdire_checks"]["outcome"] == "error"
    assert result["namedScores"] == {"check_error": 1.0}


@pytest.mark.parametrize("fields", [{"type": "not-python"}, {"weight": 0}])
def test_a_configuration_error_is_raised_where_it_would_be_overruled(
    fields: dict[str, Any],
) -> None:
    item = {"type": "python", "config": BROKEN, **fields}
    with pytest.raises(NotAVerdictError, match="unknown field `number`"):
        graded(GOOD, BROKEN, **{"assert": [item]})


def test_a_configuration_error_is_not_outvoted() -> None:
    item = {"type": "python", "config": BROKEN}
    result = graded(GOOD, BROKEN, threshold=0.1, **{"assert": [item]})
    assert result["score"] < -1e6


def test_a_fault_of_ours_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr("voirdire.promptfoo.checks.read_config", broken)
    result = graded(GOOD)
    assert result["pass"] is False
    assert "ZeroDivisionError" in result["reason"]


SNIPPETS = st.sampled_from(
    ["[kb-99]", "[", "]", "](", "{", "}", '"', "```", "\n", "https://", "@", "a.b/c", "\\u0067",
     "30 minutes", "$", "\ud800", "\u200b", "e400", "-", "1", ",", ":", "<a href=", "guarantee"]
)  # fmt: skip
TEXTS = st.text() | st.lists(SNIPPETS | st.text(max_size=3), max_size=30).map("".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


def check_shape(result: dict[str, Any]) -> None:
    text = json.dumps(result, ensure_ascii=False, allow_nan=False)
    assert text.encode()  # as promptfoo's wrapper writes it
    assert isinstance(result["pass"], bool)
    components = result.get("componentResults", [])
    assert result["pass"] is (bool(components) and all(item["pass"] for item in components))


@settings(max_examples=80, deadline=None)
@given(TEXTS | VALUES)
def test_whatever_the_answer_it_is_graded(output: Any) -> None:
    result = graded(output)
    check_shape(result)
    assert result["metadata"]["voirdire_checks"]["outcome"] in ("pass", "fail")


KEYS = st.sampled_from([*CONFIG, "fence", "vars", "other"])


@settings(max_examples=80, deadline=None)
@given(VALUES | st.dictionaries(KEYS, VALUES | st.just(True), max_size=4), TEXTS)
def test_whatever_the_configuration_there_is_a_result(config: Any, output: str) -> None:
    result = graded(output, config)
    check_shape(result)
    assert not result["reason"].startswith("checks not run: internal")
