"""The scan finds what stands at the top level of a text, at a bounded cost."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.scan import MAX_DEPTH, TOKEN_BUDGET, scan
from voirdire.strictjson import has_lone_surrogate, parse, shorten


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("no braces", []),
        ('{"a": 1}', ["object"]),
        ('say {"a": 1} and {"b": 2}', ["object", "object"]),
        ("a {name} and a [mark]", []),
        ("[1] {}", ["array", "object"]),
        ('{"a": "}"}', ["object"]),
        ('{"a": "\\"}"}', ["object"]),
        ('{"a": {"b": [1, 2]}}', ["object"]),
        ("{'a': 1}", ["object"]),
        ("{a: 1}", ["object"]),
        ("so {“a”: 1}", ["object"]),
        ('so {{"a": 1}}', ["object"]),
        ('so [see {"a": 1}]', ["array"]),
        ('{"a": 1', ["open"]),
        ('so {"a": {"b": 1}', ["open"]),
        ("so { b", []),
        ('{"a": 1]', ["object"]),
        ('<think>{"a": 1}</think>{"b": 2}', ["object"]),
        ('{"a": 1}</think>{"b": 2}', ["object"]),
        ('{"a": 1}</think>', []),
    ],
)
def test_parts_at_the_top_level(text: str, kinds: list[str]) -> None:
    assert [part.kind for part in scan(text).parts] == kinds


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ('so {"a": 1} it is', ["so ", " it is"]),
        ("a {name} b", ["a {name} b"]),
        ("x</think>y {} z", ["y ", " z"]),
        ("<think>x</think>y", ["y"]),
    ],
)
def test_the_text_around_the_parts_is_kept(text: str, outside: list[str]) -> None:
    assert scan(text).outside == outside


def test_an_unclosed_brace_in_prose_is_remembered() -> None:
    assert scan("a { b").stray_open
    assert not scan("a {b} c").stray_open


def test_depth_is_bounded() -> None:
    whole, deep = (scan("[" * n + "]" * n).parts[0] for n in (MAX_DEPTH, MAX_DEPTH + 1))
    assert not whole.fault
    assert "deeper" in deep.fault


def test_cost_is_bounded_by_a_budget_of_structure() -> None:
    within, beyond = scan("{}" * (TOKEN_BUDGET // 4)), scan("{}" * TOKEN_BUDGET)
    assert not within.overrun
    assert beyond.overrun
    assert len(beyond.parts) <= TOKEN_BUDGET
    assert scan("{x " * TOKEN_BUDGET).unbalanced


PIECES = st.lists(st.sampled_from([*'{}[]":,a \\', "<think>", "</think>", '{"a": 1}']), max_size=20)


@settings(max_examples=300)
@given(PIECES.map("".join))
def test_parts_and_text_around_them_make_up_the_text_without_thinking(text: str) -> None:
    found = scan(text)
    if found.notes or found.unclosed_think:
        return
    rebuilt = found.outside[0]
    for part, after in zip(found.parts, found.outside[1:], strict=True):
        rebuilt += text[part.start : part.end] + after
    assert rebuilt == text


@settings(max_examples=300)
@given(PIECES.map("".join))
def test_parts_are_in_order_and_apart(text: str) -> None:
    edges = [edge for part in scan(text).parts for edge in (part.start, part.end)]
    assert edges == sorted(edges)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**18), 10**18) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(JSON_VALUES)
def test_parse_gives_back_what_json_wrote(value: object) -> None:
    assert parse(json.dumps(value)) == (value, "")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('{"a": 1, "a": 1}', 'duplicate key "a"'),
        ('{"a": 1, "\\u0061": 1}', 'duplicate key "a"'),
        ('[{"a": 1, "a": 1}]', 'duplicate key "a"'),
        ("NaN", "NaN is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
        ('"\\ud800"', "lone surrogate"),
        ('"\ud800"', "lone surrogate"),
        ('{"\\udfff": 1}', "lone surrogate"),
        ("", "Expecting value (character 0)"),
        ("{} {}", "Extra data (character 3)"),
        ("{'a': 1}", "Expecting property name enclosed in double quotes (character 1)"),
    ],
)
def test_parse_refuses_what_json_leaves_open(text: str, fault: str) -> None:
    assert parse(text) == (None, fault)


def test_parse_reads_a_number_of_any_length() -> None:
    assert parse("9" * 5000) == (float("inf"), "")
    assert parse("-" + "9" * 5000) == (float("-inf"), "")


@pytest.mark.parametrize(("text", "lone"), [("é😀", False), ("\ud800", True), ("", False)])
def test_a_lone_surrogate_is_what_utf_8_cannot_hold(text: str, lone: bool) -> None:
    assert has_lone_surrogate(text) is lone


def test_shorten_quotes_escapes_and_cuts() -> None:
    assert shorten('a "b"\n') == '"a \\"b\\"\\n"'
    assert shorten("x" * 10, 5) == '"xxxx\\u2026"'
    assert shorten("x" * 5, 5) == '"xxxxx"'
