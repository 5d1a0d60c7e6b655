"""A source of truth is there, has words and an id of its own; or the error says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import ConfigError
from voirdire.source import Source, excerpts, load_sources, text_hash, unique

TWO = [{"id": "a", "text": "One."}, {"id": "b", "title": "Second", "text": "Two."}]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("name", ["resume.md", "faq.txt", "plain", "page.html"])
def test_any_other_file_is_one_document(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, name, '[{"id": 1}]')
    assert load_sources(path) == [Source(path.as_posix(), '[{"id": 1}]')]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", json.dumps(TWO)),
        ("A.JSON", json.dumps(TWO)),
        ("a.json", json.dumps({"excerpts": TWO})),
        ("a.json", "\ufeff" + json.dumps(TWO)),
        ("a.jsonl", "\n".join(map(json.dumps, TWO))),
        ("a.jsonl", "\ufeff" + "\r\n\r\n".join(map(json.dumps, TWO)) + "\r\n"),
    ],
)
def test_excerpts_carry_their_title_before_their_text(
    tmp_path: Path, name: str, content: str
) -> None:
    wanted = [Source("a", "One."), Source("b", "Second\nTwo.")]
    assert load_sources(write(tmp_path, name, content)) == wanted


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    assert load_sources(write(tmp_path, "a.md", "\ufeffText"))[0].text == "Text"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.md", "", ": is empty; write the source of truth into it"),
        ("a.md", " \n\t", ": is empty; write the source of truth into it"),
        ("a.md", b"caf\xe9", ": not UTF-8 text (byte 3)"),
        ("a.json", "", ": is empty"),
        ("a.json", "{", ":1: not valid JSON"),
        ("a.json", '[\n{"id": "a"\n"text"', ":3: not valid JSON"),
        ("a.json", "[" * 100_000, ": not JSON that can be read"),
        ("a.json", "[" + "9" * 5000 + "]", ": not JSON that can be read"),
        ("a.json", "{}", ": must be a list of excerpts"),
        ("a.json", "[]", ": must be a list of excerpts"),
        ("a.json", '"text"', ": must be a list of excerpts"),
        ("a.json", '{"excerpts": {}}', ": must be a list of excerpts"),
        ("a.json", '[{"id": "a", "text": "b"}, 3]', ": excerpt 2: must be an object"),
        ("a.json", '[{"text": "b"}]', ": excerpt 1: `id` must be text"),
        ("a.json", '[{"id": 1, "text": "b"}]', ": excerpt 1: `id` must be text"),
        ("a.json", '[{"id": " ", "text": "b"}]', ": excerpt 1: `id` must be text"),
        ("a.json", '[{"id": "a"}]', ": excerpt 1: `text` of 'a' must be text"),
        ("a.json", '[{"id": "a", "text": ""}]', ": excerpt 1: `text` of 'a' must be text"),
        ("a.json", '[{"id": "a", "text": ["b"]}]', ": excerpt 1: `text` of 'a' must be text"),
        ("a.json", '[{"id": "a", "text": "b", "title": 1}]', ": excerpt 1: `title` of 'a'"),
        ("a.jsonl", "", ": is empty"),
        ("a.jsonl", '{"id": "a", "text": "b"}\n{"id": "b"}', ":2: `text` of 'b' must be text"),
        ("a.jsonl", "\n\n[1]", ":3: must be a JSON object"),
        ("a.jsonl", '{"id": "a", "text": "b"}\n{', ":2: not valid JSON"),
        ("a.jsonl", b'{"id": "caf\xe9"}', ":1: not UTF-8"),
    ],
)
def test_a_source_that_cannot_be_used_is_named(
    tmp_path: Path, name: str, content: str | bytes, words: str
) -> None:
    path = write(tmp_path, name, content)
    with pytest.raises(ConfigError) as caught:
        load_sources(path)
    assert str(caught.value).startswith(f"{path}{words}")


@pytest.mark.parametrize("name", ["a.md", "a.json", "a.jsonl"])
def test_a_missing_file_or_a_folder_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=name):
        load_sources(tmp_path / name)
    (tmp_path / name).mkdir()
    with pytest.raises(ConfigError, match=name):
        load_sources(tmp_path / name)


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ([], "no source of truth was given"),
        ([Source("a", "b"), Source("a", "c")], "the source id 'a' stands twice"),
        ([Source("a", "\u200b\n---\n")], "the source 'a' holds no words"),
        ([Source("a", "b"), Source("c", "")], "the source 'c' holds no words"),
    ],
)
def test_sources_together_must_be_sound(sources: list[Source], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        unique(sources)


def test_sound_sources_stay_in_order() -> None:
    sources = [Source("b", "x"), Source("a", "x")]
    assert unique(sources) == tuple(sources)


@pytest.mark.parametrize("value", [None, "text", {}, [], 3])
def test_excerpts_name_the_place_that_they_came_from(value: Any) -> None:
    with pytest.raises(ConfigError, match="the test var `docs`: must be a list of excerpts"):
        excerpts(value, "the test var `docs`")


def test_hash_is_that_of_the_text_alone() -> None:
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert text_hash("abc") == Source("any id", "abc").sha256 == known
    assert text_hash("\ud800") != text_hash("\udc00")
