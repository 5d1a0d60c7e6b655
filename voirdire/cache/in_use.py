"""Who has a store's file open: it is set aside only when nobody has.

A process that closes the last connection to a renamed SQLite file deletes the log by its old name,
and so the log of the file that has taken its place
(https://www.sqlite.org/howtocorrupt.html#unlink).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    from voirdire.locks import try_lock

    def _share(handle: int) -> None:
        """Nothing: Windows lets nobody rename a file that another has open."""
else:
    import fcntl

    from voirdire.locks import try_lock

    def _share(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_SH)


class InUse:
    """A share in a lock file; the operating system ends it when its holder dies.

    Args:
        path: the lock file.

    Raises:
        OSError: it cannot be made.
    """

    def __init__(self, path: Path) -> None:
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _share(self._handle)
        except OSError:
            self.end()
            raise

    def try_alone(self) -> bool:
        """Take the file for oneself if no other process has a share in it.

        The own share is given up: of two that try again and again, one succeeds.
        """
        return try_lock(self._handle)

    def end(self) -> None:
        """Let go."""
        os.close(self._handle)
