"""The run folder: what was answered and judged so far, so that nothing is asked twice.

``run.jsonl`` holds one line for every answer and one for every verdict, each under a hash of all
that it depends on. A line is written whole before anybody goes on; one that a kill cut off is
left out, and its call is made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from voirdire.errors import ConfigError
from voirdire.locks import try_lock

ANSWER = "answer"
VERDICT = "verdict"


def key_of(*parts: Any) -> str:
    """SHA-256, hex, of JSON values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


class RunFolder:
    """A run's folder, open for one process; made by :func:`run_folder`.

    Attributes:
        path: the folder.
        damaged: lines that could not be read; what they held is asked again.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        self._file = path / "run.jsonl"
        self._guard = threading.Lock()
        self._cut_off = False
        self._found: dict[tuple[str, str], Mapping[str, Any]] = {}
        self._read()

    def get(self, kind: str, key: str) -> Mapping[str, Any] | None:
        """What was kept under a key."""
        return self._found.get((kind, key))

    def keep(self, kind: str, key: str, value: Mapping[str, Any], *, paid: bool) -> None:
        """Append a line.

        Args:
            kind: ``answer`` or ``verdict``.
            key: see :func:`key_of`.
            value: JSON values, free of secrets.
            paid: whether somebody was asked for it; then it outlasts a power cut, too.

        Raises:
            ConfigError: it could not be written.
        """
        line = json.dumps({"kind": kind, "key": key, "value": value}, ensure_ascii=True)
        data = f"{line}\n".encode("ascii")
        with self._guard:
            self._found[kind, key] = value
            try:
                # The line before may have been cut off by a full disk.
                lead, self._cut_off = b"\n" if self._cut_off else b"", True
                with self._file.open("ab") as file:
                    file.write(lead + data)
                    file.flush()
                    if paid:
                        os.fsync(file.fileno())
                self._cut_off = False
            except OSError as error:
                raise ConfigError(
                    f"{self._file}: cannot be written ({error.strerror}); make room for it"
                ) from None

    def _read(self) -> None:
        data = self._file.read_bytes() if self._file.exists() else b""
        for line in data.split(b"\n"):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
                kind, key, kept = value["kind"], value["key"], value["value"]
                if not isinstance(kept, dict):
                    raise TypeError
                self._found[kind, key] = kept
            except (ValueError, KeyError, TypeError, RecursionError):
                self.damaged += 1
        if data and not data.endswith(b"\n"):  # a writer was killed in the middle of its line
            with self._file.open("ab") as file:
                file.write(b"\n")


@contextmanager
def run_folder(path: Path) -> Iterator[RunFolder]:
    """Open a run's folder, which is made; no other process can meanwhile.

    The operating system frees it when this process ends, however.

    Raises:
        ConfigError: it cannot be used, or another run is at work in it.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        handle = os.open(path / "run.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be the run's folder ({error.strerror})") from None
    try:
        if not try_lock(handle):
            raise ConfigError(f"{path}: another run is at work in this folder; wait for its end")
        try:
            folder = RunFolder(path)
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
        yield folder
    finally:
        os.close(handle)
