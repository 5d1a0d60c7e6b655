"""The outputs of models, read out of promptfoo's results and its database."""

from __future__ import annotations

import io
import json
import math
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import ConfigError
from voirdire.promptfoo.outputs import Output, StoredEval, output_of
from voirdire.promptfoo.streamed import is_results, rows

TABLES = """
CREATE TABLE evals (id TEXT, created_at INTEGER);
CREATE TABLE eval_results (id TEXT, eval_id TEXT, prompt_idx INT, test_idx INT, test_case TEXT,
    provider TEXT, response TEXT, error TEXT, success INT, failure_reason INT);
"""


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "p ü?#.db")) as opened:
        opened.execute("PRAGMA journal_mode = wal")
        opened.executescript(TABLES)
        yield opened


def store(connection: sqlite3.Connection, eval_id: str, *found: tuple[int, int, Any]) -> None:
    """Add an eval of results: test, prompt, response."""
    (count,) = connection.execute("SELECT count(*) FROM evals").fetchone()
    connection.execute("INSERT INTO evals VALUES (?, ?)", (eval_id, count))
    for test, prompt, response in found:
        connection.execute(
            'INSERT INTO eval_results VALUES (?, ?, ?, ?, \'{"vars": {"q": 1}}\','
            ' \'{"id": "echo", "label": ""}\', CAST(? AS TEXT), NULL, 0, 1)',
            (f"{prompt}", eval_id, prompt, test, response),
        )
    connection.commit()


def stored(tmp_path: Path, eval_id: str | None = None) -> StoredEval:
    return StoredEval(tmp_path / "p ü?#.db", "p.db", eval_id)


def test_a_row_tells_provider_text_vars_and_what_became_of_it() -> None:
    row = {
        "provider": {"id": "openai:x", "label": "mine"},
        "response": {"output": "said"},
        "vars": {"q": 1},
        "success": False,
        "failureReason": 1,
    }
    assert output_of(row) == Output("mine", "said", "", {"q": 1}, False, 1)


@pytest.mark.parametrize(
    ("provider", "expected"),
    [({"id": "x", "label": ""}, "x"), ({"id": "x"}, "x"), ("x", "x"), (None, "")],
)
def test_a_provider_without_a_label_is_its_id(provider: Any, expected: str) -> None:
    assert output_of({"provider": provider}).provider == expected


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("", ""),
        ("é", "é"),
        (0, "0"),
        (False, "false"),
        ([], "[]"),
        ({"a": ["é", None]}, '{"a":["é",null]}'),
        (math.nan, "NaN"),
    ],
)
def test_an_output_that_is_no_text_is_json(output: Any, text: str) -> None:
    assert output_of({"response": {"output": output}}).text == text


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"response": None, "error": "boom\n  at x"}, "no output (boom at x)"),
        ({"response": {"error": "boom"}, "error": "boom"}, "no output (boom)"),
        ({"response": {"output": None}}, "no output"),
        ({"response": "text"}, "no output"),
        ({}, "no output"),
        ([], "is no row of results"),
    ],
)
def test_why_there_is_no_output_is_told(row: Any, why: str) -> None:
    assert output_of(row)[1:3] == (None, why)


def test_an_output_that_is_nested_too_deep_is_told() -> None:
    output: Any = []
    for _ in range(200_000):
        output = [output]
    found = output_of({"response": {"output": output}})
    assert found.text is None
    assert "too deep" in found.why
    while output:  # or freeing it would go as deep
        output = output.pop()


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


class Dripping(io.BytesIO):
    """Gives a few bytes at a time, however many are asked for."""

    def __init__(self, data: bytes, drop: int) -> None:
        super().__init__(data)
        self._drop = drop

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self._drop)


@settings(deadline=None)  # dripping is slow
@given(
    members=st.lists(values),
    before=values,
    after=values,
    ascii_only=st.booleans(),
    indent=st.sampled_from([None, 0, 2]),
    drop=st.integers(1, 99),
)
def test_the_rows_are_what_json_reads(
    members: list[Any], before: Any, after: Any, ascii_only: bool, indent: int | None, drop: int
) -> None:
    inner = {"version": before, "results": members, "stats": after}
    text = json.dumps({"a": before, "results": inner, "b": after}, indent=indent)
    if not ascii_only:
        text = json.dumps(json.loads(text), ensure_ascii=False, indent=indent)
        text = text.encode("utf-8", "replace").decode("utf-8")
    data = text.encode()
    expected = json.loads(data)["results"]["results"]
    assert is_results(Dripping(data, drop))
    assert list(rows(Dripping(data, drop), "r.json")) == expected


def test_nan_and_half_a_surrogate_pair_are_kept() -> None:
    data = b'{"results": {"results": [{"a": NaN, "b": -Infinity, "c": "\\ud800"}, 12]}}'
    first, second = rows(Dripping(data, 1), "r.json")
    assert math.isnan(first["a"])
    assert (first["b"], first["c"], second) == (-math.inf, "\ud800", 12)


WHOLE = json.dumps({"results": {"results": [{"a": "é"}, [1], "x", 23, True]}}, ensure_ascii=False)


@pytest.mark.parametrize("end", range(WHOLE.index("[") + 1, WHOLE.rindex("]") + 1))
def test_a_file_that_is_cut_off_among_its_rows_is_an_error(end: int) -> None:
    data = WHOLE.encode()[:end]
    assert is_results(io.BytesIO(data))
    with pytest.raises(ConfigError, match=r"r\.json: is cut off or damaged at row \d; write"):
        list(rows(io.BytesIO(data), "r.json"))


@pytest.mark.parametrize(
    ("damaged", "why"),
    [
        (b'[{"a": 1}, {"a" 2}', "row 2 cannot be read"),
        (b'[{"a": 1} {"a": 2}', "row 1 cannot be read"),
        (b'[{"a": "\xff"}', "not UTF-8"),
        (b"[" * 100_000, "row 1 cannot be read"),
        (b"[" + b"9" * 5_000, "row 1 cannot be read"),
    ],
)
def test_damage_in_a_row_is_named(damaged: bytes, why: str) -> None:
    data = b'{"results": {"results": ' + damaged + b"]}}" + b" " * 1_000_000 + b"}"
    with pytest.raises(ConfigError, match=why):
        list(rows(io.BytesIO(data), "r.json"))


def test_a_row_longer_than_any_chunk_is_read() -> None:
    long = "x" * 3_000_000
    data = json.dumps({"results": {"results": [long, 1, long]}}).encode()
    assert list(rows(io.BytesIO(data), "r.json")) == [long, 1, long]


def test_an_evals_outputs_come_by_test_and_prompt(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    said = [(1, 1, "d"), (0, 1, "b"), (1, 0, "c"), (0, 0, "a")]
    store(connection, "eval-1", *((t, p, json.dumps({"output": text})) for t, p, text in said))
    store(connection, "eval-2", (0, 0, '{"output": "later"}'))
    found = stored(tmp_path, "eval-1")
    assert found.rows == 4
    assert [output.text for output in found.outputs()] == ["a", "b", "c", "d"]
    assert next(stored(tmp_path).outputs()) == Output("echo", "later", "", {"q": 1}, False, 1)


def test_damaged_columns_are_told_and_the_next_row_is_read(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    responses = [None, '{"output": ', b'{"output": "\xff"}', '{"output": "\\ud800"}']
    store(connection, "eval-1", *((n, 0, response) for n, response in enumerate(responses)))
    found = [(output.text, output.why) for output in stored(tmp_path).outputs()]
    assert found == [
        (None, "no output"),
        (None, "its columns are no JSON"),
        (None, "not UTF-8"),
        ("\ud800", ""),
    ]


def test_what_an_open_promptfoo_wrote_is_read(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    store(connection, "eval-1", (0, 0, '{"output": "in the log"}'))
    before = {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()}
    assert [output.text for output in stored(tmp_path).outputs()] == ["in the log"]
    assert {file.name: file.stat().st_mtime_ns for file in tmp_path.iterdir()} == before
    store(connection, "eval-2", (0, 0, '{"output": "later"}'))
    assert [output.text for output in stored(tmp_path).outputs()] == ["later"]


def test_reading_a_database_at_rest_leaves_no_files(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    store(connection, "eval-1", (0, 0, '{"output": "x"}'))
    connection.close()
    assert [output.text for output in stored(tmp_path).outputs()] == ["x"]
    assert [file.name for file in tmp_path.iterdir()] == ["p ü?#.db"]


def test_a_database_that_is_written_meanwhile_is_an_error(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    store(connection, "eval-1", *((n, 0, '{"output": "x"}') for n in range(3)))
    connection.close()
    outputs = stored(tmp_path).outputs()
    next(outputs)
    with closing(sqlite3.connect(tmp_path / "p ü?#.db")) as other:
        store(other, "eval-2", (0, 0, '{"output": "y"}'))
    with pytest.raises(ConfigError, match="was written while it was read"):
        list(outputs)


def test_an_unknown_eval_is_an_error_that_names_the_latest(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    for number in range(12):
        store(connection, f"eval-{number}")
    with pytest.raises(ConfigError, match=r"no eval 'x'; the latest are eval-11, .* and 2 more$"):
        stored(tmp_path, "x")


def test_a_database_without_evals_is_an_error(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=r"p\.db: holds no eval; run promptfoo eval"):
        stored(tmp_path)


def test_another_programs_database_is_an_error(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    connection.execute("DROP TABLE evals")
    connection.commit()
    with pytest.raises(ConfigError, match=r"is no database of promptfoo's.*no such table"):
        stored(tmp_path)


def test_a_damaged_database_is_an_error(connection: sqlite3.Connection, tmp_path: Path) -> None:
    connection.close()
    path = tmp_path / "p ü?#.db"
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 8_000)
    with pytest.raises(ConfigError, match="is no database of promptfoo's"):
        stored(tmp_path)
