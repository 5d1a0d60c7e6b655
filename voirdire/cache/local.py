"""The local store: SQLite in WAL mode, safe with many processes at once."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from voirdire.cache.flight import single_flight
from voirdire.cache.in_use import InUse
from voirdire.cache.store import read_record, warn

_SCHEMA = """CREATE TABLE IF NOT EXISTS verdicts (
    key TEXT PRIMARY KEY, at REAL NOT NULL, record TEXT NOT NULL) WITHOUT ROWID"""
_WAIT_S = 10.0
# Once it was waited for in vain: a verdict may still be kept, but nobody waits that long again.
_WAIT_AGAIN_S = 0.2
_SET_ASIDE_WAIT_S = 5.0
_MAGIC = b"SQLite format 3\0"
_SUFFIXES = (".sqlite", ".sqlite3", ".db")

_T = TypeVar("_T")


class SqliteStore:
    """Verdicts in a SQLite file (https://www.sqlite.org/wal.html); for use by many threads.

    A file that is damaged is set aside as ``NAME.damaged-TIME`` with one warning and begun
    anew; one that cannot be opened, stays locked, or was never a database (a wrong path) is
    left as it is and gone without, with one warning.

    Args:
        path: the file; its folder is made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.away = False
        self._guard = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._in_use: InUse | None = None
        self._file: tuple[int, int] | None = None
        self._warned = False

    def __del__(self) -> None:
        # promptfoo's workers live for a whole run and open a store for every verdict.
        self._close()

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The record under a key, or ``None`` where there is none that can be read."""
        row = self._try(
            lambda c: c.execute("SELECT record FROM verdicts WHERE key = ?", (key,)).fetchone()
        )
        return read_record(row[0]) if row else None

    def put(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a record; the first one stays."""
        self._insert("IGNORE", key, record)

    def replace(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a record instead of the one that was there."""
        self._insert("REPLACE", key, record)

    def flight(self, key: str) -> AbstractContextManager[None]:
        """Held while a key is asked for: two processes at once cost one call."""
        return single_flight(self._locks, key)

    def items(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """All records that can be read, oldest first."""
        rows = self._try(
            lambda c: c.execute("SELECT key, record FROM verdicts ORDER BY at, key").fetchall()
        )
        for key, text in rows or []:
            record = read_record(text)
            if record is not None:
                yield key.decode("utf-8", "replace"), record

    def prune(self, older_than_s: float) -> int:
        """Drop what was kept longer ago; returns how many."""
        limit = time.time() - older_than_s
        return (
            self._try(lambda c: c.execute("DELETE FROM verdicts WHERE at < ?", (limit,)).rowcount)
            or 0
        )

    @property
    def _locks(self) -> Path:
        return self.path.with_suffix(".flight")

    def _insert(self, otherwise: str, key: str, record: Mapping[str, Any]) -> None:
        sql = f"INSERT OR {otherwise} INTO verdicts VALUES (?, ?, ?)"
        values = (key, time.time(), json.dumps(record))
        self._try(lambda c: c.execute(sql, values))

    def _try(self, work: Callable[[sqlite3.Connection], _T]) -> _T | None:
        with self._guard:
            for attempt in (1, 2):
                try:
                    return work(self._open())
                except (sqlite3.Error, OSError) as error:
                    # sqlite3 tells damage by this class itself; its subclasses are for what may
                    # befall a sound file: locked, full, read-only, no permission.
                    is_damaged = type(error) is sqlite3.DatabaseError and attempt == 1
                    is_ours = is_damaged and _was_database(self.path)
                    if not is_ours or not self._set_aside(str(error)):
                        self._close()
                        self.away = True
                        self._warn(f"cannot be used ({error}); going without")
                        break
        return None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._locks.mkdir(parents=True, exist_ok=True)
            self._in_use = InUse(self._locks / "in-use.lock")
            wait_s = _WAIT_AGAIN_S if self.away else _WAIT_S
            self._connection = sqlite3.connect(
                self.path, timeout=wait_s, isolation_level=None, check_same_thread=False
            )
            self._file = _identity(self.path)
            # What is no UTF-8 is a record that cannot be read, not a fault of the file.
            self._connection.text_factory = bytes
            _switch_to_wal(self._connection, wait_s)
            # A killed process loses nothing; only a power cut could lose the last verdicts.
            self._connection.execute("PRAGMA synchronous = NORMAL")
            self._connection.execute(_SCHEMA)
        return self._connection

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._in_use is not None:
            self._in_use.end()
            self._in_use = None

    def _set_aside(self, why: str) -> bool:
        """Whether the damaged file is out of the way, by us or by another process."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        until = time.monotonic() + _SET_ASIDE_WAIT_S
        try:
            while self._in_use is not None and _identity(self.path) == self._file:
                if self._in_use.try_alone():
                    self._rename_damaged(why)
                elif time.monotonic() > until:
                    return False
                else:
                    time.sleep(0.01)
        except OSError:
            return False
        finally:
            self._close()
        return True

    def _rename_damaged(self, why: str) -> None:
        if _identity(self.path) != self._file:
            return  # another process was first
        target = self.path.with_name(f"{self.path.name}.damaged-{time.time_ns()}")
        # The log last: SQLite drops one that it finds beside an empty file.
        for tail in ("", "-wal", "-shm"):
            part = self.path.with_name(self.path.name + tail)
            if part.exists():
                part.replace(target.with_name(target.name + tail))
        self._warn(f"is damaged ({why}); set aside as {target.name}")

    def _warn(self, text: str) -> None:
        if not self._warned:
            self._warned = True
            warn(f"{self.path}: the verdict cache {text}")


def _switch_to_wal(connection: sqlite3.Connection, wait_s: float) -> None:
    """SQLite waits for all locks but this one, where two processes begin a file at once."""
    until = time.monotonic() + wait_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.005)


def _was_database(path: Path) -> bool:
    """Whether a file is a database by its name or its first bytes; a rubric, say, is not."""
    if path.suffix.lower() in _SUFFIXES:
        return True
    try:
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file stands at a path."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
