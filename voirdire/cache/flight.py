"""Single flight between processes: one lock file of many, chosen by the key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from voirdire.locks import locked


@contextmanager
def single_flight(folder: Path, key: str) -> Iterator[None]:
    """Hold the lock of a key; the operating system frees it when its holder dies.

    There are 4,096 locks: two keys that share one wait for each other, no more. Where no
    lock can be made, nobody waits: the same key may then cost two calls.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = locked(folder / f"{key[:3]}.lock")
        lock.__enter__()
    except OSError:
        yield
        return
    try:
        yield
    finally:
        lock.__exit__(None, None, None)
