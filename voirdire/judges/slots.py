"""A bounded number of calls at a time, over all processes of this user.

promptfoo starts one process per assertion, so no lock inside a process bounds anything.
A slot is a locked file; the operating system frees it when its process ends, however.
"""

from __future__ import annotations

import hashlib
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from voirdire.errors import ConfigError
from voirdire.locks import try_lock


class NoSlotError(Exception):
    """No slot came free in the time that was left."""


@contextmanager
def slot(
    host: str,
    in_flight: int,
    wait_s: float,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Hold one of ``in_flight`` slots for calls to ``host``.

    Args:
        host: any name; equal names share their slots.
        in_flight: slots in all, 1 or more.
        wait_s: seconds to wait for a slot at most.

    Raises:
        NoSlotError: none came free in time.
        ConfigError: the temporary directory cannot hold the lock files.
    """
    handle = _take(host, in_flight, time.monotonic() + wait_s, sleep)
    try:
        yield
    finally:
        os.close(handle)


def _take(host: str, in_flight: int, until: float, sleep: Callable[[float], None]) -> int:
    name = hashlib.sha256(host.encode()).hexdigest()[:16]
    paths = [_directory() / f"{name}-{number}.lock" for number in range(in_flight)]
    while True:
        for path in paths:
            try:
                handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            except OSError as error:
                raise _unusable(path, error) from None
            if try_lock(handle):
                return handle
            os.close(handle)
        left = until - time.monotonic()
        if left <= 0:
            raise NoSlotError
        # Unequal steps, so that many waiting processes do not knock at the same instant.
        sleep(min(left, random.uniform(0.02, 0.1)))


def _directory() -> Path:
    user = str(os.getuid()) if hasattr(os, "getuid") else "user"
    mine = Path(tempfile.gettempdir()) / f"voirdire-{user}"
    try:
        mine.mkdir(mode=0o700, exist_ok=True)
        found = mine.lstat()
        # In a shared /tmp anybody can make a directory of this name first.
        if hasattr(os, "getuid") and found.st_uid != os.getuid():
            raise ConfigError(f"{mine} belongs to another user: set TMPDIR to a directory of yours")
        slots = mine / "slots"
        slots.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise _unusable(mine, error) from None
    return slots


def _unusable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(
        f"cannot keep lock files at {path} ({error.strerror}): set TMPDIR to a directory of yours"
    )
