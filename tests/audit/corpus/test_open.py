"""A corpus as blocks: nothing lost, nothing twice, hashes of all of it."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import sys
import threading
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.audit.corpus.conftest import ReadAll, add, database, results, row
from voirdire.audit.corpus.item import OWN, Damage, Form, Item
from voirdire.audit.corpus.open import Corpus
from voirdire.errors import ConfigError


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.lists(st.sampled_from([b"\n", b"a", b"bc\n", b"d" * 30])), size=st.integers(1, 40))
def test_blocks_are_the_files_whole_lines(tmp_path: Path, data: list[bytes], size: int) -> None:
    whole = b"".join(data)
    (tmp_path / "a.jsonl").write_bytes(whole)
    corpus = Corpus([str(tmp_path / "a.jsonl")], Form())
    number = 1
    blocks = list(corpus.blocks(size))
    for block in blocks:
        assert block.first == number
        assert block is blocks[-1] or block.data.endswith(b"\n")
        assert len(block.data) <= size + max(map(len, whole.split(b"\n"))) + 1
        number += block.data.count(b"\n")
    assert b"".join(block.data for block in blocks) == whole
    assert corpus.files[0]["sha256"] == sha256(whole)


def test_every_file_is_recorded_with_its_hash(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one")
    (tmp_path / "b.jsonl").write_bytes(b'{"text": "two"}\n')
    (tmp_path / "c.jsonl.gz").write_bytes(packed := gzip.compress(b'{"text": "three"}\n'))
    corpus = Corpus([str(tmp_path)], Form())
    for _ in corpus.blocks():
        pass
    expected = [("text", b"one"), ("jsonl", b'{"text": "two"}\n'), ("jsonl", packed)]
    assert [(file["format"], file["bytes"], file["sha256"]) for file in corpus.files] == [
        (name, len(data), sha256(data)) for name, data in expected
    ]


def test_hashes_alone_are_the_same_hashes(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(results(row("x"))))
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b'{"text": "x"}'))
    (tmp_path / "c").write_bytes(b"\xff")
    database(tmp_path / "d.db", {"eval-1": ["x"]}).close()
    read, hashed = Corpus([str(tmp_path)], Form()), Corpus([str(tmp_path)], Form())
    for _ in read.blocks():
        pass
    hashed.read_hashes()
    assert hashed.files == read.files
    assert len({file["sha256"] for file in read.files}) == 4


def test_texts_that_are_files_of_their_own_share_blocks_in_order(tmp_path: Path) -> None:
    for index in range(100):
        (tmp_path / f"{index:03d}.txt").write_text(str(index))
    blocks = list(Corpus([str(tmp_path)], Form()).blocks(1_000))
    assert 2 < len(blocks) < 50
    texts = [json.loads(line)["text"] for block in blocks for line in block.data.splitlines()]
    assert texts == [str(index) for index in range(100)]


def test_a_raw_text_is_one_text_as_it_is(read: ReadAll, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("\ufeffone\r\n\u2028\x00two\n".encode())
    assert read("a.txt") == [Item("\ufeffone\r\n\u2028\x00two\n", "a.txt")]


def test_a_file_that_is_no_text_is_counted_as_damaged(read: ReadAll, tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"\x89PNG")
    (tmp_path / "b.txt").write_bytes(b"x")
    assert read(".") == [Damage("a.png", "not UTF-8"), Item("x", "b.txt")]


def test_a_cut_off_gzip_file_gives_what_can_be_unpacked(read: ReadAll, tmp_path: Path) -> None:
    lines = b"".join(b'{"text": "%s"}\n' % os.urandom(300).hex().encode() for _ in range(1_000))
    packed = gzip.compress(lines)
    (tmp_path / "a.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    *texts, cut, damage = read("a.jsonl.gz")
    assert len(texts) > 400
    assert all(isinstance(item, Item) for item in texts)
    assert isinstance(cut, Damage)
    assert isinstance(damage, Damage)
    assert damage.where == "a.jsonl.gz"
    assert "cannot be unpacked to its end" in damage.why


def test_standard_input_is_lines_of_json(read: ReadAll, monkeypatch: pytest.MonkeyPatch) -> None:
    data = b'{"text": "a"}\n{"text": "b"}'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read("-", "-") == [Item("a", "standard input:1"), Item("b", "standard input:2")]


def test_standard_input_is_hashed_and_of_no_known_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"text": "a"}')))
    corpus = Corpus(["-"], Form())
    assert corpus.total is None
    corpus.read_hashes()
    assert corpus.files == [
        {
            "name": "standard input",
            "format": "jsonl",
            "bytes": 13,
            "sha256": sha256(b'{"text": "a"}'),
        }
    ]
    assert not sys.stdin.buffer.closed


def test_a_pipe_is_lines_of_json(read: ReadAll, tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    writer = threading.Thread(target=pipe.write_bytes, args=(b'{"text": "a"}\n' * 20_000,))
    writer.start()
    assert len(read("pipe")) == 20_000
    writer.join()


def test_the_journals_replies_are_texts(read: ReadAll, tmp_path: Path) -> None:
    call = {"type": "call", "at": "2026", "fingerprint": "f"}
    lines = [
        json.dumps({**call, "id": "1", "reply": '{"verdict": "pass"}', "raw": "the body"}),
        json.dumps({"type": "reading", "id": "1", "at": "2026", "reading": "verdict"}),
        json.dumps({**call, "id": "2", "error": {"kind": "unreachable"}, "raw": ""}),
        json.dumps({**call, "id": "3", "reply": None, "raw": "{}"}),
        '{"type": "call", "id": "4", "re',
        json.dumps({**call, "id": "5", "reply": "half \ud800"}),
        '{"type": "other"}',
    ]
    (tmp_path / "journal.jsonl").write_text("\n".join(lines))
    (tmp_path / "journal-0001.jsonl").write_text(lines[0])
    assert read("journal.jsonl") == [
        Item('{"verdict": "pass"}', "journal.jsonl:1"),
        Damage("journal.jsonl:3", "no reply (unreachable)"),
        Damage("journal.jsonl:4", "no reply"),
        Damage("journal.jsonl:5", "not JSON (a write was cut off)"),
        Item("half \ud800", "journal.jsonl:6"),
        Damage("journal.jsonl:7", "not a line of a journal"),
    ]


ROWS = [
    row("one", "a"),
    row("\ud800") | {"provider": {"id": "x", "label": "b"}},
    row({"a": [1, None, "ü"]}, provider="c"),
    row(None, error="Error:\n  it broke"),
    row("", "d"),
    7,
]
OUTPUTS = [
    ("one", "a"),
    ("\ud800", "b"),
    ('{"a":[1,null,"ü"]}', "c"),
    "no output (Error: it broke)",
    ("", "d"),
    "is no row of results",
]


@pytest.mark.parametrize("indent", [None, 2])
def test_the_outputs_of_a_results_file_are_texts(
    read: ReadAll, tmp_path: Path, indent: int | None
) -> None:
    (tmp_path / "r.json").write_text(json.dumps(results(*ROWS), indent=indent))
    assert read("r.json") == [
        Damage(f"r.json#{number}", output)
        if isinstance(output, str)
        else Item(output[0], f"r.json#{number}", kind=output[1])
        for number, output in enumerate(OUTPUTS, 1)
    ]


def test_the_outputs_in_lines_of_results_are_texts(read: ReadAll, tmp_path: Path) -> None:
    lines = [*map(json.dumps, ROWS), "{", ""]
    (tmp_path / "r.jsonl").write_text("\n".join(lines))
    found = read("r.jsonl")
    assert [item.where for item in found] == [f"r.jsonl:{number}" for number in range(1, 8)]
    assert found[1] == Item("\ud800", "r.jsonl:2", kind="b")
    assert found[6] == Damage("r.jsonl:7", "not JSON")


def test_the_latest_eval_of_a_database_is_read_or_the_one_that_is_named(
    read: ReadAll, tmp_path: Path
) -> None:
    database(tmp_path / "p.db", {"eval-1": ["old"], "eval-2": ["new", {"a": 1}]}).close()
    assert read("p.db") == [
        Item("new", "p.db#1", kind="a model"),
        Item('{"a":1}', "p.db#2", kind="a model"),
    ]
    assert read("p.db", eval_id="eval-1") == [Item("old", "p.db#1", kind="a model")]


def test_a_databases_hash_is_of_its_eval(tmp_path: Path) -> None:
    def hashes() -> tuple[str, str, str]:
        corpus = Corpus([str(tmp_path / "p.db")], Form(), "eval-1")
        corpus.read_hashes()
        (file,) = corpus.files
        return file["eval_id"], file["sha256"], sha256((tmp_path / "p.db").read_bytes())

    connection = database(tmp_path / "p.db", {"eval-1": ["x"]})
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = hashes()
    connection.execute("INSERT INTO evals VALUES ('eval-2', 9)")
    connection.commit()
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    after = hashes()
    assert before[:2] == after[:2] == ("eval-1", after[1])
    assert before[2] != after[2]
    add(connection, "eval-1", 1, '{"output": "y"}')
    connection.commit()
    assert hashes()[1] != after[1]
    connection.close()


def test_an_eval_without_a_database_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(ConfigError, match=r"no promptfoo database, so no eval 'eval-1'"):
        Corpus([str(tmp_path / "a.txt")], Form(), "eval-1")


def peak(path: Path) -> int:
    """Bytes that reading a corpus holds at once."""
    tracemalloc.start()
    try:
        for _ in Corpus([str(path)], Form()).blocks(64 * 1024):
            pass
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["a.jsonl", "a.jsonl.gz", "a.json", "rows.jsonl", "p.db"])
def test_memory_does_not_grow_with_the_corpus(tmp_path: Path, kind: str) -> None:
    def write(count: int) -> Path:
        path = tmp_path / f"{count}-{kind}"
        texts = [f"{index} " + "x" * 2_000 for index in range(count)]
        if kind == "p.db":
            database(path, {"eval-1": texts}).close()
        elif kind == "a.json":
            path.write_text(json.dumps(results(*map(row, texts))))
        else:
            lines = (row(text) if kind == "rows.jsonl" else {"text": text} for text in texts)
            data = "\n".join(map(json.dumps, lines)).encode()
            path.write_bytes(gzip.compress(data, 1) if kind.endswith("gz") else data)
        return path

    small, big = write(300), write(3_000)
    assert peak(big) < peak(small) + 256 * 1024


def test_only_lines_of_the_users_have_the_users_form(tmp_path: Path) -> None:
    form = Form(text="said")
    (tmp_path / "a.jsonl").write_text('{"said": "x"}')
    (tmp_path / "b.txt").write_text("y")
    assert [block.form for block in Corpus([str(tmp_path)], form).blocks()] == [form, OWN]
