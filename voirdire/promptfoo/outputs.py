"""What the models said: the outputs in promptfoo's results and in its database."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final, NamedTuple

from voirdire.errors import ConfigError

SQLITE: Final = b"SQLite format 3\0"
"""The first bytes of every SQLite database."""

_SHOWN_EVALS = 10
_COLUMNS = "provider, response, test_case, success, failure_reason, error"


class Output(NamedTuple):
    """One answer of a model under test.

    Attributes:
        provider: the provider's label, or else its id.
        text: what it said, after promptfoo's transforms; other values than text as JSON. ``None``
            where there is none.
        why: why there is none; empty otherwise.
        vars: the test's.
        success: whether all assertions passed.
        failure_reason: 0 none, 1 an assertion, 2 an error.
    """

    provider: str
    text: str | None
    why: str
    vars: Mapping[str, Any]
    success: bool
    failure_reason: int


def is_row(value: Any) -> bool:
    """Whether a JSON value is a row of promptfoo's results."""
    return isinstance(value, dict) and {"response", "promptIdx", "testCase"} <= value.keys()


def output_of(row: Any) -> Output:
    """The output in a row of ``results.json``, or in a line of ``results.jsonl``."""
    if not isinstance(row, dict):
        return _none("is no row of results")
    return _output(
        row.get("provider"),
        row.get("response"),
        row.get("vars"),
        row.get("success"),
        row.get("failureReason"),
        row.get("error"),
    )


class StoredEval:
    """One eval of promptfoo's own database, which is read and never written.

    Args:
        path: of the database.
        name: of it, as it is shown.
        eval_id: which eval; the latest by default.

    Raises:
        ConfigError: it cannot be read, or there is no such eval.
    """

    def __init__(self, path: Path, name: str, eval_id: str | None = None) -> None:
        self._path = path
        self._name = name
        try:
            with closing(self._open(self._at_rest())) as connection:
                evals = [
                    row[0].decode("utf-8", "replace")
                    for row in connection.execute("SELECT id FROM evals ORDER BY created_at DESC")
                ]
                self.id = self._chosen(evals, eval_id)
                count = "SELECT count(*) FROM eval_results WHERE eval_id = ?"
                self.rows: int = connection.execute(count, (self.id,)).fetchone()[0]
        except sqlite3.Error as error:
            raise self._unreadable(error) from None

    def outputs(self) -> Iterator[Output]:
        """The eval's outputs, by test and prompt.

        Raises:
            ConfigError: the database cannot be read, or was written meanwhile.
        """
        at_rest, before = self._at_rest(), self._path.stat().st_mtime_ns
        try:
            with closing(self._open(at_rest)) as connection:
                connection.execute("BEGIN")  # all from one state of it
                order = (
                    "SELECT rowid FROM eval_results WHERE eval_id = ?"
                    " ORDER BY test_idx, prompt_idx, id"
                )
                one = f"SELECT {_COLUMNS} FROM eval_results WHERE rowid = ?"
                # Ordered by number: the rows themselves would all be held for it.
                for number in connection.execute(order, (self.id,)):
                    yield _stored(connection.execute(one, number).fetchone())
        except sqlite3.Error as error:
            raise self._unreadable(error) from None
        if at_rest and self._path.stat().st_mtime_ns != before:
            raise ConfigError(f"{self._name}: was written while it was read; try again")

    def _at_rest(self) -> bool:
        """Whether nobody has it open to write."""
        beside = (self._path.with_name(self._path.name + end) for end in ("-wal", "-journal"))
        return not any(file.exists() for file in beside)

    def _open(self, at_rest: bool) -> sqlite3.Connection:
        # Of one at rest SQLite would make two files beside it, if it may, and leave them there.
        mode = "mode=ro&immutable=1" if at_rest else "mode=ro"
        address = f"{self._path.absolute().as_uri()}?{mode}"
        # One thread after the other may ask for the next output.
        connection = sqlite3.connect(
            address, uri=True, isolation_level=None, check_same_thread=False
        )
        connection.text_factory = bytes
        return connection

    def _chosen(self, evals: list[str], eval_id: str | None) -> str:
        if not evals:
            raise ConfigError(f"{self._name}: holds no eval; run promptfoo eval first")
        if eval_id is None:
            return evals[0]
        if eval_id not in evals:
            names = ", ".join(evals[:_SHOWN_EVALS])
            more = len(evals) - _SHOWN_EVALS
            raise ConfigError(
                f"{self._name}: holds no eval {eval_id!r}; the latest are {names}"
                f"{f' and {more} more' if more > 0 else ''}"
            )
        return eval_id

    def _unreadable(self, error: sqlite3.Error) -> ConfigError:
        return ConfigError(
            f"{self._name}: is no database of promptfoo's that can be read ({error})"
        )


def _stored(row: tuple[Any, ...]) -> Output:
    provider, response, test_case, success, failure_reason, error = row
    try:
        test = _json(test_case)
        return _output(
            _json(provider),
            _json(response),
            test.get("vars") if isinstance(test, dict) else None,
            success,
            failure_reason,
            error.decode("utf-8", "replace") if isinstance(error, bytes) else error,
        )
    except UnicodeDecodeError:
        return _none("not UTF-8")
    except (ValueError, RecursionError):
        return _none("its columns are no JSON")


def _json(column: Any) -> Any:
    return json.loads(column.decode("utf-8")) if isinstance(column, bytes) else column


def _output(
    provider: Any, response: Any, variables: Any, success: Any, failure_reason: Any, error: Any
) -> Output:
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    output = response.get("output") if isinstance(response, dict) else None
    why = ""
    if output is None:
        said = " ".join(str(error).split())[:200] if error else ""
        why = f"no output ({said})" if said else "no output"
    elif not isinstance(output, str):
        try:
            output = json.dumps(output, ensure_ascii=False, separators=(",", ":"))
        except (ValueError, RecursionError):
            output, why = None, "its output is nested too deep, or holds too long a number"
    return Output(
        provider=str(provider or ""),
        text=output,
        why=why,
        vars=variables if isinstance(variables, dict) else {},
        success=bool(success),
        failure_reason=failure_reason if isinstance(failure_reason, int) else 0,
    )


def _none(why: str) -> Output:
    return Output("", None, why, {}, False, 2)
