"""The schema of an audit: nothing is fetched for it, and what is none is told."""

from __future__ import annotations

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from voirdire.audit.schema import load, validity
from voirdire.errors import ConfigError


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def written(schema: Any) -> Path:
        path = tmp_path / "schema.json"
        path.write_text(schema if isinstance(schema, str) else json.dumps(schema), "utf-8")
        return path

    return written


@pytest.mark.parametrize("target", ["http://127.0.0.1:9/s", "file:///etc/hostname", "#/nope", "a"])
def test_a_reference_to_elsewhere_is_refused_and_not_fetched(
    write: Any, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    opened: list[Any] = []
    monkeypatch.setattr(urllib.request, "urlopen", opened.append)
    for schema in ({"$ref": target}, {"properties": {"a": {"items": {"$ref": target}}}}):
        with pytest.raises(ConfigError, match="which is not in it"):
            load(write(schema))
    assert not opened


@pytest.mark.parametrize(
    "schema",
    [
        "null",
        "[]",
        '"text"',
        "[" * 100_000,
        {"$schema": 5},
        {"type": "nothing"},
        {"pattern": "("},
        {"$ref": "#"},
    ],
    ids=["null", "list", "text", "deep", "dialect", "type", "pattern", "circle"],
)
def test_what_is_no_schema_is_refused_in_a_sentence(write: Any, schema: Any) -> None:
    with pytest.raises(ConfigError, match=r"schema\.json"):
        load(write(schema))


def test_references_within_a_schema_are_followed(write: Any) -> None:
    schema = {
        "$defs": {"n": {"$id": "urn:n", "$anchor": "here", "type": "number"}},
        "properties": {"a": {"$ref": "#/$defs/n"}, "b": {"$ref": "urn:n#here"}},
        "allOf": [{"$ref": "https://json-schema.org/draft/2020-12/schema"}],
    }
    valid = validity(load(write(schema)))
    assert valid({"a": 1, "b": 2})
    assert not valid({"a": 1, "b": "2"})
    assert not validity(load(write(False)))(1)
