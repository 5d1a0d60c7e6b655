"""What the built-in parsers read, as their docstrings say."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.audit.parsers.builtin import (
    BUILTINS,
    backward,
    fenced,
    first_brace_to_last,
    forward,
    forward_first,
)
from voirdire.audit.parsers.spec import described, open_parser
from voirdire.errors import ConfigError

LOST = "lost"
TWO = 'draft {"verdict":"SKIP"} final: {"verdict":"APPLY"}'
REASONED = '<think>A set {x, y}?</think> {"a": {"b": 1}}'
READINGS: list[tuple[str, dict[str, Any]]] = [
    ('{"a": 1}', {letter: {"a": 1} for letter in "sbfFl"}),
    ("[1]", {"s": [1]}),
    ("NaN and", {}),
    ("", {}),
    (TWO, {"b": {"verdict": "APPLY"}, "f": {"verdict": "SKIP"}, "F": {"verdict": "SKIP"}}),
    (REASONED, {"b": {"a": {"b": 1}}, "f": {"a": {"b": 1}}}),
    (f"{REASONED} I hope it helps.", {"f": {"a": {"b": 1}}}),
    ('It is {"a": 1}.', {"f": {"a": 1}, "F": {"a": 1}, "l": {"a": 1}}),
    (
        'Here:\n```json\n{"a": 1}\n```\nSo.',
        {"f": {"a": 1}, "F": {"a": 1}, "l": {"a": 1}, "p": {"a": 1}},
    ),
    ("```python\nx = {}\n```\n```\n[1, 2]\n```", {"f": {}, "F": {}, "l": {}, "p": [1, 2]}),
    ('```json\n{"a": 1}', {letter: {"a": 1} for letter in "bfFlp"}),
    ('{"a": {"b": 1}, bad}', {"f": {"b": 1}}),
    ('{"a": {"b": 1}', {"f": {"b": 1}, "b": {"b": 1}}),
]
"""Texts, and what is read from each by the parsers with these letters; the others read nothing."""
NAMES = {
    "s": "strict",
    "b": "backward",
    "f": "forward",
    "F": "forward-first",
    "l": "first-brace-to-last",
    "p": "fenced",
}


def read(name: str, text: str) -> Any:
    try:
        found = BUILTINS[name](text)
    except ValueError:
        return LOST
    return LOST if found is None else found


@pytest.mark.parametrize(("text", "values"), READINGS)
def test_each_reads_what_it_says(text: str, values: dict[str, Any]) -> None:
    expected = {name: values.get(letter, LOST) for letter, name in NAMES.items()}
    assert {name: read(name, text) for name in NAMES.values()} == expected


objects = st.dictionaries(
    st.text(max_size=3),
    st.recursive(st.integers() | st.text(max_size=5), st.lists, max_leaves=5),
    max_size=3,
)
pieces = st.sampled_from(["{", "}", '"', ":", "1", '{"a": 1}', "```", "json", "\n", "\\", "x", " "])


@given(st.lists(pieces, max_size=12).map("".join))
def test_whatever_is_read_from_the_end_is_also_read_from_the_front(text: str) -> None:
    """So the published finding holds for every text: none is read by ``backward`` alone."""
    assert read("backward", text) == LOST or read("forward", text) != LOST


@given(st.lists(pieces, max_size=12).map("".join))
def test_whatever_the_first_brace_gives_every_brace_gives_too(text: str) -> None:
    assert read("forward-first", text) in (LOST, read("forward", text))


@given(objects)
def test_all_read_an_object_that_stands_alone(value: dict[str, Any]) -> None:
    text = json.dumps(value)
    assert backward(text) == forward(text) == forward_first(text) == first_brace_to_last(text)
    assert forward(text) == value


@given(objects, st.sampled_from(["", "json"]))
def test_a_fence_holds_its_value(value: dict[str, Any], tag: str) -> None:
    text = json.dumps(value).replace("`", "'")
    assert fenced(f"So:\n```{tag}\n{text}\n```\nDone.") == json.loads(text)


def test_json_repair_mends_and_its_empty_text_is_nothing() -> None:
    pytest.importorskip("json_repair")
    parse = open_parser("json-repair", timeout=1, memory=1 << 30)
    assert parse("{'a': 1,") == {"a": 1}
    assert parse("no JSON") is None


def test_without_json_repair_the_message_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.path", [])
    monkeypatch.delitem(sys.modules, "json_repair", raising=False)
    with pytest.raises(ConfigError, match="pip install json-repair"):
        open_parser("json-repair", timeout=1, memory=1 << 30)


def test_every_built_in_is_described_in_a_line() -> None:
    assert {*BUILTINS, "promptfoo"} == described().keys()
    assert all(line.endswith(".") for line in described().values())
