"""A lock between processes that the operating system frees when its holder dies."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
    import time

    def try_lock(handle: int) -> bool:
        """Take the lock on an open file if it is free."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _wait_lock(handle: int) -> None:
        while not try_lock(handle):
            time.sleep(0.01)
else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Take the lock on an open file if it is free."""
        # flock, not lockf: it holds between the threads of one process too.
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _wait_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file at ``path``, waiting for it as long as it takes.

    Raises:
        OSError: the file cannot be made.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _wait_lock(handle)
        yield
    finally:
        os.close(handle)
