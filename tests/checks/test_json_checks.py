"""The checks of an answer that is to be JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.checks.held import faults, of
from voirdire.checks.config import read_config
from voirdire.checks.formats import StrictFormats
from voirdire.errors import ConfigError

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "lines": {"type": "array", "items": {"properties": {"count": {"type": "integer"}}}},
        "at": {"type": "string", "format": "date-time"},
    },
    "required": ["lines"],
    "additionalProperties": False,
}


def test_every_error_is_named_with_its_path() -> None:
    answer = {"lines": [{"count": 1}, {"count": "two"}, {"count": 3.5}], "at": "noon", "more": 1}
    found = of(json.dumps(answer), "schema", SCHEMA)
    assert len(found) == 4
    for path in ("$.lines[1].count: ", "$.lines[2].count: ", "$.at: ", "$: "):
        assert any(error.startswith(path) for error in found), path
    assert of('{"lines": [], "at": "2026-03-01T10:00:00Z"}', "schema", SCHEMA) == []


def test_an_error_of_alternatives_names_the_nearest() -> None:
    schema = {"anyOf": [{"type": "string"}, {"type": "object", "required": ["id"]}]}
    (error,) = of("{}", "schema", schema)
    assert "'id' is a required property" in error


def test_errors_beyond_number_are_said_to_be_cut() -> None:
    found = of(json.dumps([1] * 500), "schema", {"items": {"type": "string"}})
    assert len(found) == 101
    assert found[-1] == "more than 100 errors; the rest is not listed"


@pytest.mark.parametrize(
    ("draft", "is_known"),
    [
        ("http://json-schema.org/draft-04/schema#", False),
        ("http://json-schema.org/draft-07/schema#", False),
        ("https://json-schema.org/draft/2020-12/schema", True),
        (None, True),
    ],
)
def test_the_draft_is_the_schemas_own_or_2020_12(draft: str | None, is_known: bool) -> None:
    # A keyword of the new drafts; the old ones ignore it.
    schema: dict[str, Any] = {"prefixItems": [{"type": "string"}]}
    if draft:
        schema["$schema"] = draft
    assert bool(of("[1]", "schema", schema)) is is_known


@pytest.mark.parametrize(
    "answer",
    ['{"a": 1, "a": 2}', '{"a": NaN}', "{'a': 1}", '{"a": 1} {"a": 1}', '{"a": 1,}', "Sure: {}"],
)
def test_what_is_no_strict_json_fails(answer: str) -> None:
    (error,) = of(answer, "schema", {"type": "object"})
    assert error.startswith("the answer is not JSON: ")


FENCED = '```json\n{"lines": []}\n```'


def test_a_fence_is_accepted_only_where_allowed() -> None:
    (error,) = of(FENCED, "schema", SCHEMA)
    assert "fence: allowed" in error
    assert faults(FENCED, schema=SCHEMA, fence="allowed") == {"schema": []}
    for answer in (f"Here: {FENCED}", f"{FENCED}\nDone.", f"{FENCED}\n{FENCED}"):
        assert faults(answer, schema=SCHEMA, fence="allowed")["schema"], answer


def test_nothing_is_fetched_for_a_schema() -> None:
    schema = {"$ref": "http://127.0.0.1:9/schema.json"}
    with pytest.raises(ConfigError, match="points nowhere in the schema"):
        of("1", "schema", schema)


def test_a_schema_may_point_into_itself() -> None:
    schema = {"$defs": {"id": {"type": "string"}}, "items": {"$ref": "#/$defs/id"}}
    assert of('["a"]', "schema", schema) == []
    assert of("[1]", "schema", schema) != []


@pytest.mark.parametrize("name", ["schema.json", "schema.yaml"])
def test_a_schema_may_stand_in_a_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(json.dumps(SCHEMA))
    assert faults('{"lines": []}', tmp_path, schema=name) == {"schema": []}
    assert faults("[]", tmp_path, schema=name)["schema"] != []


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("missing.json", "missing.json: no such file"),
        ([], "must be a JSON Schema"),
        ({}, "must be a JSON Schema"),
        ({"type": "text"}, "no JSON Schema: \\$.type"),
        ({"pattern": "("}, "no JSON Schema: \\$.pattern"),
        ({"$schema": "http://other.example/draft"}, "is not known"),
    ],
)
def test_a_schema_that_is_none_is_a_configuration_error(schema: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_config({"schema": schema}, [Path()])


def test_a_broken_schema_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text("{")
    with pytest.raises(ConfigError, match=r"schema\.json: not valid JSON"):
        read_config({"schema": "schema.json"}, [tmp_path])


FORMATS: dict[str, tuple[list[str], list[str]]] = {
    "date": (["2024-02-29"], ["2023-02-29", "2024-2-1", "20240201"]),
    "date-time": (
        ["2026-12-01T06:40:12Z", "2026-12-01T06:40:12.5+01:00", "2016-12-31T23:59:60Z"],
        ["2026-12-01 06:40:12Z", "2026-12-01T06:40:12", "2026-12-01T24:00:00Z"],
    ),
    "time": (["10:00:00Z", "18:59:60-05:00"], ["10:00Z", "10:00:00", "10:00:60Z", "25:00:00Z"]),
    "duration": (["P1D", "PT30M", "P2W", "P1Y2M3DT4H"], ["P", "PT", "1D", "P1H"]),
    "email": (["a.b@c.example"], ["a", "@c", "a@", "a b@c.example", ".a@c.example", "a@b@c"]),
    "hostname": (["a-b.example", "x"], ["", "-a.example", "a..b", "a_b.example", "a" * 64]),
    "uri": (["https://a.example/b?c#d", "urn:isbn:1"], ["/b", "https://", "http://a b", "x:^"]),
    "uri-reference": (["/b", "https://a.example", "#x"], ["\\b", "http://[::1", "%zz"]),
    "uuid": (["123e4567-e89b-12d3-a456-426614174000"], ["123"]),
    "ipv4": (["127.0.0.1"], ["300.0.0.1"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_formats_are_checked(name: str) -> None:
    right, wrong = FORMATS[name]
    for text in right:
        assert of(json.dumps(text), "schema", {"format": name}) == [], text
    for text in wrong:
        assert of(json.dumps(text), "schema", {"format": name}) != [], text
    assert of("5", "schema", {"format": name}) == []


@pytest.mark.parametrize("name", ["iri", "ticket-id"])
def test_a_format_that_cannot_be_checked_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"the format '{name}' is not one that can be checked"):
        of('"x"', "schema", {"format": name})


def test_the_formats_of_others_are_left_as_they_are() -> None:
    from jsonschema import Draft7Validator, FormatChecker

    before = dict(FormatChecker.checkers)
    StrictFormats(Draft7Validator.FORMAT_CHECKER)
    assert FormatChecker.checkers == before


@pytest.mark.parametrize("answer", ["1e400", "[" * 3000 + "]" * 3000, '"\\ud800"'])
def test_a_value_that_no_schema_can_hold_fails(answer: str) -> None:
    schema = {"multipleOf": 0.01, "$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}}
    assert of(answer, "schema", {**schema, "$ref": "#/$defs/n"}) != []


PRESENT = {"a": {"b": 0, "no": False}, "list": [{"id": "x"}, {"id": " "}], "none": None, "e": {}}


@pytest.mark.parametrize("path", ["a", "a.b", "a.no", "list.0.id"])
def test_a_field_with_something_in_it_is_there(path: str) -> None:
    assert of(json.dumps(PRESENT), "required_fields", [path]) == []


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        ("b", "missing"),
        ("a.b.c", "missing"),
        ("list.2", "missing"),
        ("list.id", "missing"),
        ("list.1.id", "empty"),
        ("none", "empty"),
        ("e", "empty"),
    ],
)
def test_a_missing_or_empty_field_is_named(path: str, wrong: str) -> None:
    assert of(json.dumps(PRESENT), "required_fields", ["a", path]) == [f"`{path}` is {wrong}"]


def test_fields_of_what_is_no_json_are_not_there() -> None:
    (error,) = of("a: 1", "required_fields", ["a"])
    assert "is not JSON" in error
