"""Texts in the columns of a Parquet file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.audit.corpus.conftest import ReadAll
from voirdire.audit.corpus.item import REFUSE, UNKNOWN, Damage, Form, Item
from voirdire.audit.corpus.open import Corpus
from voirdire.errors import ConfigError

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def write(path: Path, **columns: Any) -> None:
    pq.write_table(pa.table(columns), path, row_group_size=1_000)


def test_texts_intended_values_and_kinds_stand_in_columns(read: ReadAll, tmp_path: Path) -> None:
    write(
        tmp_path / "a.parquet",
        said=["a", "b", "c", None, "e"],
        gold=['{"x": 1}', "null", None, "1", "{"],
        model=["m", None, "n", "n", "n"],
        refuse=[False, None, True, False, False],
    )
    form = Form(text="said", intended="gold", kind="model")
    assert read("a.parquet", form=form) == [
        Item("a", "a.parquet#1", {"x": 1}, "m"),
        Item("b", "a.parquet#2", None),
        Item("c", "a.parquet#3", REFUSE, "n"),
        Damage("a.parquet#4", "column 'said' is null"),
        Damage("a.parquet#5", "column 'gold' holds no JSON"),
    ]


@pytest.mark.parametrize(
    "column",
    [pa.array([[1, 2], None]), pa.array([1.5, None]), pa.array([{"a": 1}, None])],
    ids=["list", "number", "struct"],
)
def test_a_column_of_values_intends_them_as_they_are(
    read: ReadAll, tmp_path: Path, column: Any
) -> None:
    write(tmp_path / "a.parquet", text=["x", "y"], intended=column)
    found = read("a.parquet")
    assert [item.intended for item in found if isinstance(item, Item)] == [
        column[0].as_py(),
        UNKNOWN,
    ]


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())],
    ids=str,
)
def test_every_kind_of_text_column_is_read(read: ReadAll, tmp_path: Path, kind: Any) -> None:
    texts = [f"é{index}" for index in range(2_500)]
    write(tmp_path / "a.parquet", text=pa.array(texts).cast(kind))
    assert read("a.parquet") == [
        Item(text, f"a.parquet#{number}") for number, text in enumerate(texts, 1)
    ]


def test_a_file_without_rows_holds_no_texts(read: ReadAll, tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", text=pa.array([], pa.string()))
    assert read("a.parquet") == []


def test_a_part_whose_texts_are_all_missing_does_not_stop_the_others(
    read: ReadAll, tmp_path: Path
) -> None:
    write(tmp_path / "a.parquet", text=pa.array([None]))
    write(tmp_path / "b.parquet", text=["x"])
    assert read(".") == [
        Damage("a.parquet#1", "column 'text' is null"),
        Item("x", "b.parquet#1"),
    ]


def test_a_text_that_is_not_utf_8_is_damage(read: ReadAll, tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", text=pa.array([b"\xff", b"x"]))
    assert read("a.parquet") == [Damage("a.parquet#1", "not UTF-8"), Item("x", "a.parquet#2")]


def test_damage_inside_the_file_is_named_with_its_place(read: ReadAll, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    write(path, text=[f"{index}" * 50 for index in range(3_000)])
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 200] = b"\xff" * 200
    path.write_bytes(data)
    *_, last = read("a.parquet")
    assert isinstance(last, Damage)
    assert "damaged from here on" in last.why


def test_a_missing_column_is_an_error_that_names_those_there_are(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", said=["x"], model=["m"])
    with pytest.raises(ConfigError, match=r"no column 'text'; its columns are said, model"):
        Corpus([str(tmp_path)], Form())


def test_a_column_of_other_things_is_an_error(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", text=[1])
    with pytest.raises(ConfigError, match="column 'text' holds int64, not text"):
        Corpus([str(tmp_path)], Form())


def test_a_file_that_only_has_the_name_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.parquet").write_text("x")
    with pytest.raises(ConfigError, match=r"a\.parquet: is no Parquet file"):
        Corpus([str(tmp_path)], Form())


def test_without_pyarrow_its_install_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a.parquet", text=["x"])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ConfigError, match=r"pip install 'voirdire\[dask\]'"):
        Corpus([str(tmp_path)], Form())
