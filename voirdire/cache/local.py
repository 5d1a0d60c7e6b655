"""The local store: SQLite in WAL mode, safe with many processes at once."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from voirdire.cache.flight import single_flight
from voirdire.cache.store import warn

_SCHEMA = """CREATE TABLE IF NOT EXISTS verdicts (
    key TEXT PRIMARY KEY, at REAL NOT NULL, record TEXT NOT NULL) WITHOUT ROWID"""
_WAIT_S = 10.0

_T = TypeVar("_T")


class SqliteStore:
    """Verdicts in a SQLite file (https://www.sqlite.org/wal.html).

    A file that is damaged is set aside as ``NAME.damaged-TIME`` with one warning and begun
    anew; one that cannot be opened or stays locked is gone without, with one warning.

    Args:
        path: the file; its folder is made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._warned = False

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The record under a key, or ``None``."""

        def read(connection: sqlite3.Connection) -> Mapping[str, Any] | None:
            row = connection.execute("SELECT record FROM verdicts WHERE key = ?", (key,)).fetchone()
            return json.loads(row[0]) if row else None

        return self._try(read)

    def put(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a record; the first one stays."""
        text = json.dumps(record)

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR IGNORE INTO verdicts VALUES (?, ?, ?)", (key, time.time(), text)
            )

        self._try(write)

    def replace(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a record instead of the one that was there."""

        def write(connection: sqlite3.Connection) -> None:
            connection.execute(
                "INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)",
                (key, time.time(), json.dumps(record)),
            )

        self._try(write)

    def flight(self, key: str) -> AbstractContextManager[None]:
        """Held while a key is asked for: two processes at once cost one call."""
        return single_flight(self.path.with_suffix(".flight"), key)

    def items(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """All records, oldest first."""
        rows = self._try(
            lambda c: c.execute("SELECT key, record FROM verdicts ORDER BY at, key").fetchall()
        )
        for key, text in rows or []:
            yield key, json.loads(text)

    def prune(self, older_than_s: float) -> int:
        """Drop what was kept longer ago; returns how many."""
        limit = time.time() - older_than_s
        return (
            self._try(lambda c: c.execute("DELETE FROM verdicts WHERE at < ?", (limit,)).rowcount)
            or 0
        )

    def _try(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        for attempt in (1, 2):
            try:
                return work(self._open())
            except sqlite3.OperationalError as error:
                # Locked, full, read-only, no permission: the file may be sound.
                self._close()
                self._warn(f"{self.path}: the verdict cache cannot be used ({error})")
                return None
            except (sqlite3.DatabaseError, ValueError) as error:
                self._close()
                if attempt == 2 or not self._set_aside(str(error)):
                    return None
        return None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise sqlite3.OperationalError(str(error)) from None
            connection = sqlite3.connect(
                self.path, timeout=_WAIT_S, isolation_level=None, check_same_thread=False
            )
            connection.execute("PRAGMA journal_mode = WAL")
            # A killed process loses nothing; only a power cut could lose the last verdicts.
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute(_SCHEMA)
            self._connection = connection
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _set_aside(self, why: str) -> bool:
        target = self.path.with_name(f"{self.path.name}.damaged-{time.time_ns()}")
        try:
            self.path.replace(target)
            for tail in ("-wal", "-shm"):
                self.path.with_name(self.path.name + tail).unlink(missing_ok=True)
        except OSError:
            pass  # another process was first
        self._warn(f"{self.path}: the verdict cache is damaged ({why}); set aside as {target.name}")
        return True

    def _warn(self, text: str) -> None:
        if not self._warned:
            self._warned = True
            warn(text)
