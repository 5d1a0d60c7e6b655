"""Runs of promptfoo, one answer after the other: its results, its lines and its database."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime, timezone
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.errors import ConfigError
from voirdire.promptfoo.graded import Graded, graded
from voirdire.promptfoo.outputs import SQLITE, StoredEval, is_row
from voirdire.promptfoo.streamed import is_results, rows

# promptfoo writes these two before all else.
_HEAD = re.compile(
    r'\ufeff?\s*\{\s*"evalId":\s*(?:null|"([^"\\]{0,200})"),\s*"results":\s*\{\s*'
    r'"version":\s*\d+,\s*"timestamp":\s*"([^"\\]{0,80})"'
)
_FIRST = 10  # lines, of which one that is whole tells what they are
_COLUMNS = (
    "provider, response, test_case, success, failure_reason, error, grading_result, test_idx,"
    " prompt_idx, prompt, latency_ms, cost"
)


class Run(NamedTuple):
    """One eval.

    Attributes:
        name: the file; ``database#eval`` for one of a database.
        eval_id: promptfoo's; empty where the file does not say.
        at: when it began, ISO 8601; empty where the file does not say.
        path: the file.
        answers: its answers one after the other; ``None`` for a damaged row, or
            one that was there before.
    """

    name: str
    eval_id: str
    at: str
    path: Path
    answers: Callable[[], Iterator[Graded | None]]


def open_runs(paths: Sequence[Path], eval_ids: Sequence[str] = ()) -> list[Run]:
    """The runs in these files: results as JSON or JSONL, or promptfoo's database.

    Args:
        paths: the files, in order.
        eval_ids: which evals of a database, in order; the latest by default.

    Raises:
        ConfigError: a file is missing or no such file, or a database holds no such eval.
    """
    runs: list[Run] = []
    stored = False
    for path in paths:
        form = _form(path)
        if form == "database":
            stored = True
            found = [_StoredRun(path, str(path), name) for name in eval_ids or (None,)]
            runs += [Run(f"{path}#{one.id}", one.id, one.at, path, one.graded) for one in found]
        else:
            eval_id, at = _head(path) if form == "results" else ("", "")
            runs.append(Run(str(path), eval_id, at, path, _reader(path, form)))
    if eval_ids and not stored:
        raise ConfigError("--eval-id is about promptfoo's database, and none was given")
    names = [run.name for run in runs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise ConfigError(f"{twice}: was given twice; a run is not compared with itself")
    return runs


def _form(path: Path) -> str:
    try:
        with path.open("rb") as file:
            if file.read(len(SQLITE)) == SQLITE:
                return "database"
            file.seek(0)
            if is_results(file):
                return "results"
            file.seek(0)
            if path.suffix.lower() == ".jsonl" and any(map(is_row, islice(_lines(file), _FIRST))):
                return "lines"
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    raise ConfigError(
        f"{path}: holds no results; write them with promptfoo eval -o results.json (or .jsonl), or"
        " give promptfoo's database"
    )


def _head(path: Path) -> tuple[str, str]:
    with path.open("rb") as file:
        found = _HEAD.match(file.read(4096).decode("utf-8", "replace"))
    return (found[1] or "", found[2]) if found else ("", "")


def _reader(path: Path, form: str) -> Callable[[], Iterator[Graded | None]]:
    def read() -> Iterator[Graded | None]:
        try:
            with path.open("rb") as file:
                found = rows(file, str(path)) if form == "results" else _lines(file)
                yield from map(graded, _each_once(found))
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None

    return read


def _lines(file: Iterable[bytes]) -> Iterator[Any]:
    yield from (_parsed(line) for line in file if line.strip())


def _each_once(found: Iterable[Any]) -> Iterator[Any]:
    """The rows; ``None`` for one that is there already, as where a file was joined to itself."""
    seen: set[str] = set()
    for row in found:
        identity = row.get("id") if isinstance(row, dict) else None
        is_new = not isinstance(identity, str) or identity not in seen
        if isinstance(identity, str):
            seen.add(identity)
        yield row if is_new else None


class _StoredRun(StoredEval):
    """An eval of a database with the grades of its rows."""

    def __init__(self, path: Path, name: str, eval_id: str | None) -> None:
        super().__init__(path, name, eval_id)
        with closing(self._open(self._at_rest())) as connection:
            query = "SELECT created_at FROM evals WHERE id = ?"
            created = connection.execute(query, (self.id,)).fetchone()[0]
        self.at = ""
        if isinstance(created, int) and 0 <= created < 10**14:
            self.at = datetime.fromtimestamp(created / 1000, timezone.utc).isoformat()

    def graded(self) -> Iterator[Graded | None]:
        """Its answers, by test and prompt."""
        # Ordered by number: the rows themselves would all be held for it.
        order = "ORDER BY test_idx, prompt_idx, id"
        numbers = f"SELECT rowid FROM eval_results WHERE eval_id = ? {order}"
        one = f"SELECT {_COLUMNS} FROM eval_results WHERE rowid = ?"
        try:
            with closing(self._open(self._at_rest())) as connection:
                connection.execute("BEGIN")  # all from one state of it
                for number in connection.execute(numbers, (self.id,)):
                    yield graded(_stored(connection.execute(one, number).fetchone()))
        except sqlite3.Error as error:
            raise self._unreadable(error) from None


def _stored(row: tuple[Any, ...]) -> dict[str, Any] | None:
    """A row of the database, shaped as one of a results file."""
    provider, response, test_case, success, failure, error, grading, *rest = row
    test, prompt_number, prompt, latency, cost = rest
    case = _parsed(test_case)
    if not isinstance(case, dict):
        return None
    return {
        "provider": _parsed(provider),
        "response": _parsed(response),
        "vars": case.get("vars"),
        "testCase": case,
        "success": bool(success),
        "failureReason": failure,
        "error": error.decode("utf-8", "replace") if isinstance(error, bytes) else error,
        "gradingResult": _parsed(grading),
        "testIdx": test,
        "promptIdx": prompt_number,
        "prompt": _parsed(prompt),
        "latencyMs": latency,
        "cost": cost,
    }


def _parsed(value: Any) -> Any:
    """A line or a column's JSON; ``None`` where it is none."""
    try:
        return json.loads(value) if isinstance(value, bytes) else value
    except (ValueError, RecursionError):
        return None
