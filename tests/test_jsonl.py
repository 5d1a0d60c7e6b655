"""Lines of JSON objects, each with the place where it stands."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from voirdire.errors import ConfigError
from voirdire.jsonl import objects


def test_each_object_comes_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n  {"b": "\xe2\x80\xa8\x0c"}'.replace(b"\x0c", b""))
    assert list(objects(path)) == [(f"{path}:1", {"a": 1}), (f"{path}:3", {"b": "\u2028"})]


def test_a_line_is_ended_by_a_line_feed_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": "one\u2028two\x85three"}\n', "utf-8")
    assert [value for _, value in objects(path)] == [{"a": "one\u2028two\x85three"}]


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1}\nx')))
    lines = objects(Path("-"))
    assert next(lines) == ("standard input:1", {"a": 1})
    with pytest.raises(ConfigError, match="standard input:2: not valid JSON"):
        next(lines)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ": is empty; give one JSON object a line"),
        (b"\n \n", ": is empty; give one JSON object a line"),
        (b"{}\nnull", ":2: must be a JSON object"),
        (b"{}\n{'a': 1}", ":2: not valid JSON"),
        (b"{} {}", ":1: not valid JSON (Extra data); mend the line"),
        (b'{"a": "\xff"}', ":1: not UTF-8"),
        ("{}".encode("utf-16"), ":1: not UTF-8"),
        (b'{"a": ' + b"[" * 100_000, ":1: not valid JSON (too deep"),
        (b'{"a": ' + b"9" * 5000 + b"}", ":1: not valid JSON (too deep, or too long a number)"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        list(objects(path))
    assert str(caught.value).startswith(f"{path}{words}")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.jsonl: cannot be read"):
        list(objects(tmp_path / "none.jsonl"))
    with pytest.raises(ConfigError, match="cannot be read"):
        list(objects(tmp_path))
