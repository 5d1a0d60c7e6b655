"""Which JSON values are equal, and what stands for JSON in Python."""

from __future__ import annotations

import json
from collections import OrderedDict
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.audit.alike import alike
from voirdire.audit.value import NotJsonError, Repeated, from_text, plain, same, shown

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)
NAN = float("nan")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "1.0"),
        ('{"a": 1, "b": [2]}', '{"b": [2.0], "a": 1}'),
        ("NaN", "NaN"),
        ('{"a": [NaN]}', '{"a": [NaN]}'),
        ("1e2", "100"),
        ("-0.0", "0"),
        ("Infinity", "1e999"),
        ('{"a": 1, "a": 2}', '{"a": 1.0, "a": 2}'),
        ('"\\u00e9"', '"é"'),
    ],
)
def test_values_that_are_equal(one: str, other: str) -> None:
    assert same(from_text(one), from_text(other))
    assert same(from_text(other), from_text(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "true"),
        ("0", "false"),
        ('{"a": [1]}', '{"a": [true]}'),
        ("NaN", "null"),
        ("NaN", "0"),
        ('"1"', "1"),
        ("null", "false"),
        ("[]", "{}"),
        ("[1, 2]", "[2, 1]"),
        ('{"a": 1, "a": 2}', '{"a": 2}'),
        ('{"a": 1, "a": 2}', '{"a": 2, "a": 1}'),
        ('{"a": 1}', '{"a": 1, "b": null}'),
        ("10000000000000000000001", "10000000000000000000000"),
        ('"é"', '"e\\u0301"'),
    ],
)
def test_values_that_are_told_apart(one: str, other: str) -> None:
    assert not same(from_text(one), from_text(other))
    assert not same(from_text(other), from_text(one))
    assert not alike(from_text(one), from_text(other))


@given(VALUES)
def test_every_value_equals_itself_read_again(value: Any) -> None:
    again = from_text(json.dumps(value))
    assert same(value, again)
    assert same(from_text(shown(value, limit=1 << 30)), value)


@given(VALUES, VALUES)
def test_the_quick_yes_is_a_yes_and_order_does_not_matter(one: Any, other: Any) -> None:
    assert same(one, other) == same(other, one)
    if alike(one, other):
        assert same(one, other)


@given(VALUES)
def test_the_quick_yes_is_said_of_every_value_but_of_nan(value: Any) -> None:
    assert alike(value, from_text(json.dumps(value))) == ("NaN" not in _numbers(value))


def _numbers(value: Any) -> list[str]:
    """The numbers of a value, as JSON text."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [number for member in value for number in _numbers(member)]
    return [json.dumps(value)] if isinstance(value, float) else []


def test_values_nested_deeper_than_python_calls_are_compared() -> None:
    def nest() -> Any:
        value: Any = 1
        for _ in range(20_000):
            value = [value]
        return value

    one = plain(nest())
    assert same(one, plain(nest()))
    assert not same(one, [one])
    assert "deep" in shown(one)


class Colour(Enum):
    """An enumeration."""

    RED = "red"


class Level(IntEnum):
    """One of numbers."""

    HIGH = 3


class Point(NamedTuple):
    """A named tuple."""

    x: int
    y: int


@dataclass
class Verdict:
    """A data class."""

    verdict: str
    tags: tuple[str, ...]


class Model:
    """What looks like a pydantic model."""

    def model_dump(self, *, mode: str, by_alias: bool) -> dict[str, Any]:
        """The model's values."""
        return {"mode": mode, "by_alias": by_alias}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ((1, (2,)), [1, [2]]),
        (OrderedDict(a=1), {"a": 1}),
        ({1.5: "x", None: "y", True: "z"}, {"1.5": "x", "true": "z", "null": "y"}),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (Point(1, 2), [1, 2]),
        (Verdict("pass", ("a",)), {"verdict": "pass", "tags": ["a"]}),
        (Model(), {"mode": "json", "by_alias": True}),
        (Decimal("1.50"), 1.5),
        (Decimal("7"), 7),
        ([Decimal("1e400")], [10**400]),
    ],
)
def test_python_objects_stand_for_the_json_that_people_mean(value: Any, expected: Any) -> None:
    assert same(plain(value), expected)


def test_what_json_cannot_say_is_refused() -> None:
    circle: list[Any] = []
    circle.append(circle)
    for value in ({1, 2}, object(), {(1, 2): 3}, b"bytes", circle, lambda: 1, Verdict):
        with pytest.raises(NotJsonError):
            plain(value)


def test_a_value_that_holds_itself_is_told_without_walking_it_to_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voirdire.audit.value.MOST_PARTS", 10**9)
    circle: dict[str, Any] = {"a": [1, (2,)]}
    circle["b"] = [circle["a"], {"c": circle}]
    with pytest.raises(NotJsonError, match="holds itself"):
        plain(circle)
    often = ["the same"] * 3
    assert plain([[often, often]] * 5_000) == [[often, often]] * 5_000


def test_repeated_keys_are_kept_shown_and_merged_where_asked() -> None:
    value = from_text('{"a": 1, "b": {"c": 1, "c": NaN}}')
    assert isinstance(value["b"], Repeated)
    assert shown(value) == '{"a": 1, "b": {"c": 1, "c": NaN}}'
    assert same(plain(value), value)
    assert same(plain(value, repeated=False), {"a": 1, "b": {"c": NAN}})


def test_a_long_value_is_cut_and_one_of_too_many_digits_is_named() -> None:
    assert shown("x" * 50, limit=10) == '"xxxxxxxx…'
    assert "too many digits" in shown(10**5000)
