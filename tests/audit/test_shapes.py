"""The shape of a text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.audit.growth import HOSTILE
from voirdire.audit.shapes import SHAPES, shape
from voirdire.strictjson import parse

EXAMPLES: dict[str, list[str]] = {
    "empty": [""],
    "blank": [" \n\t", "...", "…\n"],
    "lone surrogate": ['{"a": "\\ud83d"}', '{"a": "\ud83d"}'],
    "BOM": ['\ufeff{"a": 1}', '\ufeff```json\n{"a": 1}\n```'],
    "control characters": ['{"a": "x\x01"}', '{"a": 1}\x00', '{\x01"a": 1}'],
    "double encoded": ['"{\\"a\\": 1}"', ' "[1]"\n'],
    "scalar": ["12", " -1.5e3\n", '"yes"', "true", "null", "9" * 5_000],
    "unclosed think": ['<think> hm {"a": 1}', "<thinking>hm", "[THINK]hm"],
    "deep nesting": ["[" * 100 + "]" * 100, '{"a":' * 5_000, "say " + "[" * 70 + "]" * 70],
    "too many brackets": ["{a} " * 200_000],
    "draft in reasoning": [
        '<think>{"a": 1}</think>\n{"a": 2}',
        'perhaps {"a": 1}\n</think>\n{"a": 2}',
        "<reasoning>{x}</reasoning> yes",
    ],
    "truncated": ['{"a": 1, "b": "x', '```json\n{"a": [1, 2', '{"a": 1}\n{"a": ', "{'a': 1"],
    "extra closing brace": ['{"a": 1}}', '{"a": 1}\n]', '```\n{"a": 1}}\n```'],
    "several objects": ['{"a": 1} {"a": 2}', "{'a': 1}\n{'a': 2}", "<think>x</think>[{}] [{}]"],
    "single quotes": ["{'a': True}", "{\"a\": 'x'}"],
    "Python literals": ['{"a": True}', '[None, {"a": 1}]'],
    "smart quotes": ["{“a”: 1}", '{"a": “x”}'],
    "full-width marks": ['{"a"：1}', '{"a": 1，"b": 2}'],
    "HTML entities": ["{&quot;a&quot;: 1}"],
    "doubled braces": ['{{"a": 1}}', '\\boxed{{"a": 1}}'],
    "unquoted keys": ["{a: 1}", '{"a": 1, b_2: 1}'],
    "unquoted value": ['{"a": yes}', '{"a": undefined}'],
    "comments": [
        '{"a": 1, // x\n "b": 2}',
        '{/* x */ "a": 1}',
        '{"a": 1 # x\n}',
        '{"a": // x\n 1}',
    ],
    "trailing comma": ['{"a": 1,}', '{"a": [1, ] }', '{"a": 1,\n}'],
    "missing comma": ['{"a": 1 "b": 2}', '[{"a": 1} {"a": 2}]', '{"a": "x"\n"b": 1}'],
    "raw newline": ['{"a": "x\ny"}', '{"a": "x\ty"}'],
    "unescaped quotes": ['{"a": "he said "no" to it"}', '{"a": "5" wide"}'],
    "escaped quotes": ['{\\"a\\": 1}'],
    "bad escape": ['{"a": "x\\_y"}', '{"a": "\\u12"}'],
    "NaN": ['{"a": NaN}', '{"a": -Infinity}', '{"a": nan}'],
    "odd number": ['{"a": .5}', '{"a": +1}', '{"a": 01}', '{"a": 1/2}', '{"a": 50%}', '{"a": 1.}'],
    "duplicate key": ['{"a": 1, "a": 2}', 'So: {"a": {"b": 1, "b": 1}}'],
    "ellipsis": ['{"a": 1, ...}', '{"a": …}'],
    "mismatched brackets": ['{"a": 1, "b": 2]', '{"a": [1, 2}}'],
    "invisible characters": ['{\u00a0"a": 1}', '\u200b{"a": 1}', '{"a": 1}\u00a0'],
    "other damage": ['{"a"= 1}', '{"a": (1)}', '{"a": 1; "b": 2}', '{"a", "b"}'],
    "huge number": ['{"a": 12345678901234567890}', '{"a": 1e999}', '{"a": ' + "9" * 5_000 + "}"],
    "JSON in a string": ['{"a": "{\\"b\\": 1}"}', '["[1]", {}]'],
    "braces without JSON": ["so {x} then", "a } and a { b"],
    "no JSON": ["I cannot.", "```\nnothing\n```", "<think>hm</think> no"],
    "special tokens": ['<|begin_of_box|>{"a": 1}<|end_of_box|>', '{"a": 1}</s>'],
    "answer tags": ['<answer>{"a": 1}</answer>', '<output>\n```json\n{"a": 1}\n```\n</output>'],
    "several fences": ['```\nx\n```\n```json\n{"a": 1}\n```'],
    "unclosed fence": ['```json\n{"a": 1}', '{"a": 1}\n```'],
    "fence in prose": ['Here:\n```json\n{"a": 1}\n```\n', '~~~\n{"a": 1}\n~~~\nBye'],
    "fence": ['```json\n{"a": 1}\n```', "<think>x</think>\n```\n[1]\n```"],
    "reasoning tags": ['<think>hm</think>\n{"a": 1}', 'hm</thought>{"a": 1}'],
    "braces in prose": ['the set {x} is: {"a": 1}', '{"a": 1}\nThat was {b}.'],
    "prose around": ['Here: {"a": 1} Bye', '`{"a": 1}`'],
    "reasoning prefix": ['Here: {"a": 1}', 'Reasoning: []{"a": 1}'],
    "trailing prose": ['{"a": 1} Bye', '{"a": 1} [2]'],
    "array of objects": ['[{"a": 1}]'],
    "nested": ['{"a": {"b": 1}}', '{"a": [1]}'],
    "plain JSON": [' {"a": 1, "b": [2]}\n', "{}", "[1, 2]", '{"a": "<think>"}', '{"a": "```"}'],
}


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in EXAMPLES.items() for text in texts]
)
def test_a_text_has_the_shape_that_a_reader_sees(name: str, text: str) -> None:
    assert shape(text) == name


def test_every_shape_has_an_example_and_a_description() -> None:
    assert set(EXAMPLES) == set(SHAPES)
    assert all(SHAPES.values())


def test_of_two_shapes_the_first_of_the_list_counts() -> None:
    order = list(SHAPES)
    text = "So:\n```json\n{'a': 1}\n```"
    assert order.index("single quotes") < order.index("fence in prose")
    assert shape(text) == "single quotes"
    assert shape(f"\ufeff{text}") == "BOM"
    assert shape(f"<think>{{</think>{text}{text}") == "draft in reasoning"
    assert shape(f"{text}{text}") == "several objects"


_WORDS = ["```json\n", "<think>", "</think>", "[THINK]", '{"a": 1}', '"a": ', "<answer>", "true"]
_MARKS = "{}[]\",:'\\`#/<>\n 1aN…\ufeff\u200b\x00\ud83d"
_PIECES = st.sampled_from([*_WORDS, *_MARKS, "None", "NaN", "//", "/*"])


@given(st.one_of(st.text(), st.lists(_PIECES, max_size=40).map("".join)))
def test_any_text_has_a_shape_and_only_strict_json_is_plain(text: str) -> None:
    name = shape(text)
    assert name in SHAPES
    if name == "plain JSON":
        value, fault = parse(text.strip(" \t\r\n"))
        assert (fault, type(value) in (dict, list)) == ("", True)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.text("ab {}[]<`\n", max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=8,
)


@given(_JSON)
def test_strict_json_alone_has_a_shape_of_sound_texts(value: Any) -> None:
    sound = {"plain JSON", "nested", "array of objects", "JSON in a string", "scalar"}
    assert shape(json.dumps(value)) in sound | {"double encoded"}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_text_of_a_megabyte_has_a_shape(kind: str) -> None:
    assert shape(HOSTILE[kind](1_000_000)) in SHAPES
