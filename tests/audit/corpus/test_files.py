"""Which files are read, in what order, and what they hold."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.audit.corpus.conftest import ReadAll, results, row
from voirdire.audit.corpus.files import find
from voirdire.audit.corpus.item import Form, Item
from voirdire.audit.corpus.open import Corpus
from voirdire.errors import ConfigError


def write(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_folder_is_read_by_name_however_deep(read: ReadAll, tmp_path: Path) -> None:
    for name in ("c/b/2.txt", "c/b/1.md", "c/a.txt", "c/z", "c/b.txt"):
        write(tmp_path / name, name)
    assert read("c") == [
        Item(name, name) for name in ("c/a.txt", "c/b.txt", "c/b/1.md", "c/b/2.txt", "c/z")
    ]


def test_hidden_files_pipes_and_sqlites_own_files_are_left_out(
    read: ReadAll, tmp_path: Path
) -> None:
    for name in ("c/.git/x", "c/.hidden", "c/a.db", "c/a.db-wal", "c/a.db-shm", "c/b-wal"):
        write(tmp_path / name, name)
    os.mkfifo(tmp_path / "c" / "pipe")
    assert [item.where for item in read("c")] == ["c/a.db", "c/b-wal"]


def test_a_hidden_file_that_is_named_is_read(read: ReadAll, tmp_path: Path) -> None:
    write(tmp_path / ".c" / ".x")
    assert read(".c/.x") == [Item("x", ".c/.x")]


def test_names_are_shown_as_given(read: ReadAll, tmp_path: Path) -> None:
    path = write(tmp_path / "c" / "a.txt")
    assert read(str(path)) == [Item("x", str(path))]
    assert read("../" + tmp_path.name + "/c/a.txt")[0].where.startswith("../")


def test_a_file_that_is_named_twice_is_read_once(read: ReadAll, tmp_path: Path) -> None:
    path = write(tmp_path / "c" / "a.txt")
    (tmp_path / "link").symlink_to(path)
    assert read("c/a.txt", "c", str(path), "link") == [Item("x", "c/a.txt")]


def test_lines_that_were_unpacked_and_kept_their_name_are_lines(
    read: ReadAll, tmp_path: Path
) -> None:
    write(tmp_path / "a.jsonl.gz", '{"text": "x"}\n{"text": "y"}\n')
    assert read("a.jsonl.gz") == [Item("x", "a.jsonl.gz:1"), Item("y", "a.jsonl.gz:2")]


@pytest.mark.parametrize("name", ["a.txt", "a.json", "a.jsonl", "a.db", "nothing"])
def test_an_empty_file_is_an_empty_text_but_holds_no_lines(
    read: ReadAll, tmp_path: Path, name: str
) -> None:
    write(tmp_path / name, "")
    assert read(name) == ([] if name == "a.jsonl" else [Item("", name)])


def test_a_missing_path_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nix\.jsonl: is not there"):
        find([str(tmp_path / "nix.jsonl")])


def test_a_folder_without_files_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / ".hidden")
    with pytest.raises(ConfigError, match="holds no files"):
        find([str(tmp_path)])


def test_a_link_to_nothing_in_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("nix")
    with pytest.raises(ConfigError, match=r"a: cannot be read \(No such file"):
        find([str(tmp_path)])


def test_a_file_that_goes_away_meanwhile_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt")
    corpus = Corpus([str(path)], Form())
    path.unlink()
    with pytest.raises(ConfigError, match=r"a\.txt: cannot be read"):
        list(corpus.blocks())
    with pytest.raises(ConfigError, match=r"a\.txt: cannot be read"):
        corpus.read_hashes()


JOURNAL = '{"type": "call", "id": "1", "at": "2026", "fingerprint": "f", "reply": "x"}'
USERS = '{"type": "call", "id": "1", "text": "x"}'


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.jsonl", USERS, "jsonl"),
        ("a.NDJSON", '{"response": "x"}', "jsonl"),
        ("a.jsonl", f'{{"type": "ca\n{JOURNAL}', "journal"),
        ("a.jsonl", f"\n{USERS}\n{JOURNAL}", "jsonl"),
        ("a.jsonl", json.dumps(row("x")), "promptfoo rows"),
        ("a.json", json.dumps(results()), "promptfoo results"),
        ("a.json", "\ufeff" + json.dumps(results(), indent=2), "promptfoo results"),
        ("a.txt", json.dumps(results()), "text"),
        ("a.json", USERS, "text"),
        ("a.json", '{"results": [{"results": []}]}', "text"),
        ("a.json", '{"results": {"results": {}}}', "text"),
        ("a.json", '{"results": {"version": 3, ', "text"),
        ("a.json", "[" * 5_000, "text"),
        ("a.json", '{"a": tru', "text"),
        ("a.db", "SQLite format 3, they say", "text"),
    ],
)
def test_files_are_told_by_what_stands_in_them(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    (file,) = find([str(write(tmp_path / name, text))])
    assert file.format == expected
