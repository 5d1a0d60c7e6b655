"""The rows of a cases file: JSONL, YAML or CSV, each with the line where it begins."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from voirdire.errors import ConfigError
from voirdire.journal import Damage
from voirdire.yamlfile import parse_yaml, read_text


class CaseRow(NamedTuple):
    """One row as it is written: where it begins, and its fields."""

    where: str
    fields: Mapping[str, Any]


def rows(path: Path) -> Iterator[CaseRow | Damage]:
    """The rows of a cases file; a row that cannot be read is a :class:`Damage`.

    Raises:
        ConfigError: the file is missing or empty, is of no such format, or is damaged past
            telling its rows apart.
    """
    if path.is_dir() or not path.exists():
        raise ConfigError(f"{path}: no such file; give the path of the labelled cases")
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise ConfigError(
            f"{path}: labelled cases are .jsonl, .yaml or .csv, or promptfoo's results with the"
            " ratings of its viewer (results.json, or its database); save them as one of these"
        )
    return reader(path)


def json_rows(path: Path) -> Iterator[CaseRow | Damage]:
    """The rows of a JSONL file.

    Raises:
        ConfigError: it cannot be read.
    """
    # Not splitlines: the characters that end a line of Unicode text may stand in a JSON string.
    lines = read_bytes(path).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for number, line in enumerate(lines, 1):
        if line.strip():
            where = f"{path}:{number}"
            try:
                value = json.loads(line.decode("utf-8"), object_pairs_hook=_once)
            except UnicodeDecodeError:
                yield Damage(where, "not UTF-8; save the file as UTF-8")
            except (ValueError, RecursionError) as error:
                why = getattr(error, "msg", None) or "a key stands twice, or it is too deep"
                yield Damage(where, f"not valid JSON ({why})")
            else:
                yield _row(where, value)


def read_bytes(path: Path) -> bytes:
    """What is in a file.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):  # two labels in one row: nobody can tell which one was meant
        raise ValueError
    return found


def _yaml_rows(path: Path) -> Iterator[CaseRow | Damage]:
    document = parse_yaml(path, read_text(path, "labelled cases"), is_data=True)
    if not isinstance(document.value, list):
        raise ConfigError(f"{document.where()}: labelled cases in YAML are a list; begin each by -")
    for index, value in enumerate(document.value):
        yield _row(document.where(index), value)


def _csv_rows(path: Path) -> Iterator[CaseRow | Damage]:
    # What is not UTF-8 becomes half a character, which UTF-8 itself cannot hold: its row is known.
    text = read_bytes(path).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    longest = csv.field_size_limit()
    try:
        # A source may be longer than what the module takes for a field by default.
        csv.field_size_limit(max(longest, len(text)))
        reader = csv.reader(io.StringIO(text, newline=""), strict=True)
        yield from _csv_records(path, reader)
    finally:
        csv.field_size_limit(longest)


def _csv_records(path: Path, reader: Any) -> Iterator[CaseRow | Damage]:
    names: list[str] | None = None
    while True:
        where = f"{path}:{reader.line_num + 1}"
        try:
            record = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            if names is None:
                raise ConfigError(f"{where}: not valid CSV ({error}); mend the line") from None
            yield Damage(where, f"not valid CSV ({error})")
            continue
        if not any(map(str.strip, record)):
            continue
        if names is None:
            names = _header(where, record)
        elif len(record) != len(names):
            yield Damage(where, f"has {len(record)} fields, but there are {len(names)} columns")
        elif any("\udc80" <= char <= "\udcff" for field in record for char in field):
            yield Damage(where, "not UTF-8; save the file as UTF-8")
        else:
            yield CaseRow(where, _fields(names, record))
    if names is None:
        raise ConfigError(f"{path}: is empty; its first line must name the columns")


def _header(where: str, record: list[str]) -> list[str]:
    names = [name.strip() for name in record]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ConfigError(f"{where}: the column {twice!r} stands twice; keep one")
    if not {"id", "answer"} <= set(names):
        raise ConfigError(
            f"{where}: the first line must name the columns, with commas between them: id,"
            " question, answer, label and whatever else there is"
        )
    return names


def _fields(names: list[str], record: list[str]) -> dict[str, Any]:
    """The cells that hold something; an answer may be empty."""
    fields: dict[str, Any] = {}
    criteria: dict[str, Any] = {}
    for name, cell in zip(names, record, strict=True):
        if name.startswith("criteria."):
            if cell.strip():
                criteria[name.removeprefix("criteria.")] = cell
        elif name == "answer" or cell.strip():
            fields[name] = cell
    return {**fields, "criteria": criteria} if criteria else fields


def _row(where: str, value: Any) -> CaseRow | Damage:
    if not isinstance(value, dict):
        return Damage(where, "must be an object with id, question, answer and label")
    return CaseRow(where, value)


_READERS: Final[dict[str, Callable[[Path], Iterator[CaseRow | Damage]]]] = {
    ".jsonl": json_rows,
    ".yaml": _yaml_rows,
    ".yml": _yaml_rows,
    ".csv": _csv_rows,
}
