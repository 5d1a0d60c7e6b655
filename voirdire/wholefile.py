"""Files written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from voirdire.errors import ConfigError


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all.

    Raises:
        ConfigError: the file cannot be written.
    """
    write_pieces(path, [text])


def write_pieces(path: Path, pieces: Iterable[str]) -> None:
    """Write a file whole or not at all: a temporary file beside it, then a rename.

    Raises:
        ConfigError: the file cannot be written.
    """
    import tempfile  # slow to load, and most commands write no file

    if path.exists() and not path.is_file():  # a device or a pipe, which a rename would replace
        raise ConfigError(f"{path}: cannot be written (it is no ordinary file)")
    scratch = None
    try:
        target = path.resolve() if path.is_symlink() else path
        handle, scratch = tempfile.mkstemp(dir=target.parent, prefix=".voirdire-")
        with suppress(OSError, AttributeError):  # where files have such rights
            os.fchmod(handle, _rights(path))
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
        Path(scratch).replace(target)
        scratch = None  # it has become the file
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror})") from None
    finally:  # after Ctrl-C, too, and where the pieces cannot be made
        if scratch is not None:
            Path(scratch).unlink(missing_ok=True)


def _rights(path: Path) -> int:
    """Those of the file that is there; else those of any new file, not of a temporary one."""
    with suppress(OSError):
        return path.stat().st_mode & 0o777
    umask = os.umask(0o077)
    os.umask(umask)
    return 0o666 & ~umask
