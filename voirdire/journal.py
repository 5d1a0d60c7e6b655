"""The journal: every judge call, raw, written before anybody reads it.

Append-only JSONL: one line for the call, one for its reading, joined by an id. Many
processes may write at once, and any may be killed in the middle of a line: the next one
begins on a new line, and readers name the damaged one and go on.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.errors import ConfigError
from voirdire.locks import locked

ROTATE_BYTES = 64 * 1024 * 1024
"""Size past which the journal is set aside as ``journal-0001.jsonl`` and begun anew."""


def default_path() -> Path:
    """``$VOIRDIRE_JOURNAL``, or ``.voirdire/journal.jsonl`` under the working directory."""
    return Path(os.environ.get("VOIRDIRE_JOURNAL") or Path(".voirdire") / "journal.jsonl")


class Journal:
    """A journal that calls are appended to.

    Args:
        path: the file; its folder is made.
        rotate_bytes: size past which it is set aside.

    Raises:
        ConfigError: it cannot be written. Better to know before a call was paid for.
    """

    def __init__(self, path: Path, rotate_bytes: int = ROTATE_BYTES) -> None:
        self.path = path
        self._rotate_bytes = rotate_bytes
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600))
        except OSError as error:
            raise ConfigError(
                f"{path}: the journal cannot be written ({error.strerror}); "
                "set VOIRDIRE_JOURNAL to a file that can"
            ) from None

    def record(self, kind: str, identity: str, fields: Mapping[str, Any]) -> None:
        """Append one line.

        Args:
            kind: ``call`` or ``reading``.
            identity: joins the two.
            fields: JSON values, free of secrets.

        Raises:
            ConfigError: the line could not be written.
        """
        line = {"type": kind, "id": identity, "at": _now(), **fields}
        data = (json.dumps(line, ensure_ascii=True) + "\n").encode("ascii")
        try:
            with locked(_lock(self.path)):
                self._rotate()
                _append(self.path, data)
        except OSError as error:
            raise ConfigError(
                f"{self.path}: the journal cannot be written ({error.strerror}); make room for it"
            ) from None

    def _rotate(self) -> None:
        try:
            if self.path.stat().st_size < self._rotate_bytes:
                return
        except FileNotFoundError:
            return
        number = len(_aside(self.path)) + 1
        while (target := _numbered(self.path, number)).exists():
            number += 1
        self.path.replace(target)


class Entry(NamedTuple):
    """One call of a journal with its reading.

    Attributes:
        call: the line of the call.
        reading: the line of its reading; ``None`` where the process died before it read.
    """

    call: Mapping[str, Any]
    reading: Mapping[str, Any] | None


class Damage(NamedTuple):
    """A line that cannot be read: ``file:line`` and why."""

    where: str
    why: str


def new_id() -> str:
    """An id for a call: sortable by time, unique over processes and machines."""
    return f"{time.time_ns() // 1_000_000:012x}-{os.urandom(6).hex()}"


def entries(path: Path) -> tuple[list[Entry], list[Damage]]:
    """All calls of a journal in order, those of the files set aside first.

    Raises:
        ConfigError: there is no journal at ``path``.
    """
    calls: dict[str, Mapping[str, Any]] = {}
    readings: dict[str, Mapping[str, Any]] = {}
    damages: list[Damage] = []
    for file, data in _contents(path):
        for line in _lines(file, data, damages):
            (calls if line["type"] == "call" else readings)[line["id"]] = line
    return [Entry(call, readings.get(key)) for key, call in calls.items()], damages


def _contents(path: Path) -> Iterator[tuple[Path, bytes]]:
    with _between_lines(path):
        aside = _aside(path)
        # Missing beside files set aside: its process died before it began the new one.
        latest = b"" if aside and not path.exists() else _bytes(path)
    for file in aside:
        yield file, _bytes(file)
    yield path, latest


@contextmanager
def _between_lines(path: Path) -> Iterator[None]:
    """Keep writers from the journal, unless nobody can write there anyway."""
    lock = _lock(path)
    with ExitStack() as held:
        with suppress(OSError):
            if lock.exists():
                held.enter_context(locked(lock))
        yield


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise ConfigError(f"{file}: no journal here yet; give its path with --journal") from None
    except OSError as error:
        raise ConfigError(f"{file}: the journal cannot be read ({error.strerror})") from None


def _lines(file: Path, data: bytes, damages: list[Damage]) -> Iterator[Mapping[str, Any]]:
    for number, raw in enumerate(data.split(b"\n"), 1):
        if not raw.strip():
            continue
        try:
            line = json.loads(raw.decode("utf-8", "replace"))
            if line["type"] not in ("call", "reading") or not isinstance(line["id"], str):
                raise KeyError("type")
        except (ValueError, RecursionError):
            damages.append(Damage(f"{file}:{number}", "not JSON (a write was cut off)"))
            continue
        except (KeyError, TypeError):
            damages.append(Damage(f"{file}:{number}", "not a line of a journal"))
            continue
        yield line


def _append(path: Path, data: bytes) -> None:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        end = os.lseek(handle, 0, os.SEEK_END)
        if end:
            os.lseek(handle, end - 1, os.SEEK_SET)
            if os.read(handle, 1) != b"\n":  # a writer was killed in the middle of its line
                data = b"\n" + data
        while data:
            data = data[os.write(handle, data) :]
    finally:
        os.close(handle)


def _aside(path: Path) -> list[Path]:
    name = re.compile(rf"{re.escape(path.stem)}-\d{{4,}}{re.escape(path.suffix)}")
    with suppress(OSError):
        found = [file for file in path.parent.iterdir() if name.fullmatch(file.name)]
        return sorted(found, key=lambda file: (len(file.name), file.name))
    return []


def _lock(path: Path) -> Path:
    return path.with_suffix(".lock")


def _numbered(path: Path, number: int) -> Path:
    return path.with_name(f"{path.stem}-{number:04d}{path.suffix}")


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
