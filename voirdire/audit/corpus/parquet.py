"""Texts in a column of a Parquet file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from voirdire.audit.corpus.files import File
from voirdire.audit.corpus.item import Form
from voirdire.audit.corpus.part import Part
from voirdire.audit.corpus.readers import Lines, damage, own
from voirdire.audit.value import plain
from voirdire.errors import ConfigError

_ROWS = 1_000


class Parquet(Part):
    """A Parquet file that has a column of texts.

    Intended values are JSON text where their column is one of text, and otherwise what the column
    holds; null is none known.

    Raises:
        ConfigError: pyarrow is not installed, it is no Parquet file, or the column is missing.
    """

    def __init__(self, file: File, path: Path, form: Form) -> None:
        super().__init__(file, form)
        name = file.name
        try:
            from pyarrow import ArrowException, parquet, types
        except ModuleNotFoundError:
            raise ConfigError(
                f"{name}: reading Parquet needs pyarrow; pip install 'voirdire[dask]'"
            ) from None
        self._path = path
        try:
            with parquet.ParquetFile(path) as opened:
                schema = opened.schema_arrow
        except (ArrowException, OSError) as error:
            raise ConfigError(f"{name}: is no Parquet file ({_first_line(error)})") from None
        if form.text not in schema.names:
            raise ConfigError(
                f"{name}: has no column {form.text!r}; its columns are {', '.join(schema.names)}"
            )
        kind = schema.field(form.text).type
        if types.is_dictionary(kind):
            kind = kind.value_type
        # A part of which every text is missing has a column of nulls.
        of_text = (types.is_string, types.is_large_string, types.is_binary, types.is_null)
        if not any(is_type(kind) for is_type in of_text):
            raise ConfigError(f"{name}: column {form.text!r} holds {kind}, not text")
        wanted = (form.text, form.intended, form.kind, "refuse")
        self._columns = [column for column in wanted if column in schema.names]

    def lines(self, size: int) -> Iterator[Lines]:
        """See :class:`Part`."""
        from pyarrow import ArrowException, parquet

        number, whole = 0, self.file.size or 0
        try:
            # Without threads and reading ahead, or a whole group of rows would be held.
            with parquet.ParquetFile(self._path, buffer_size=1 << 20, pre_buffer=False) as opened:
                rows = opened.metadata.num_rows
                for batch in opened.iter_batches(_ROWS, columns=self._columns, use_threads=False):
                    for row in zip(*map(_values, batch.columns), strict=True):
                        number += 1
                        yield self._row(number, dict(zip(batch.schema.names, row, strict=True)))
                    self.read = whole * number // max(rows, 1)
        except (ArrowException, OSError) as error:
            why = f"damaged from here on ({_first_line(error)})"
            yield damage(number + 1, f"{self.file.name}#{number + 1}", why)
        self.hash_alone()

    def _row(self, number: int, row: dict[str, Any]) -> Lines:
        place, form = f"{self.file.name}#{number}", self.form
        try:
            text = _decoded(row[form.text])
            if text is None:
                return damage(number, place, f"column {form.text!r} is null")
            fields: dict[str, Any] = {"where": place, "text": text}
            intended = row.get(form.intended)
            if row.get("refuse") is True:
                fields["refuse"] = True
            elif intended is not None:
                said = _decoded(intended)
                fields["intended"] = plain(intended) if said is None else json.loads(said)
            if (kind := _decoded(row.get(form.kind))) is not None:
                fields["kind"] = kind
            return own(number, fields)
        except UnicodeDecodeError:
            return damage(number, place, "not UTF-8")
        except (ValueError, RecursionError):  # also NotJsonError
            return damage(number, place, f"column {form.intended!r} holds no JSON")


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _values(column: Any) -> Any:
    """The values of a column, text as bytes: that it is UTF-8 is only claimed."""
    from pyarrow import binary, large_binary, types

    kind = column.type
    if types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = kind.value_type
    if types.is_string(kind) or types.is_large_string(kind):
        column = column.cast(binary() if types.is_string(kind) else large_binary())
    return column.to_pylist()


def _decoded(value: Any) -> str | None:
    return value.decode("utf-8") if isinstance(value, bytes) else None
