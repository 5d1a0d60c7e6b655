"""A patch: several files written, all of them or none."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from voirdire.errors import ConfigError
from voirdire.initial.unifieddiff import unified_diff
from voirdire.wholefile import write_whole


class Change(NamedTuple):
    """A file that is written.

    Attributes:
        path: the file.
        old: its text; ``None`` where there is no such file.
        new: its text afterwards.
    """

    path: Path
    old: str | None
    new: str


def unified(changes: Sequence[Change], folder: Path) -> str:
    """The changes as a unified diff, paths from the folder on."""
    return "".join(
        unified_diff(change.old, change.new, Path(os.path.relpath(change.path, folder)).as_posix())
        for change in changes
    )


def write(changes: Sequence[Change]) -> None:
    """Write all of them, or leave everything as it was.

    Raises:
        ConfigError: a file cannot be written, or is no longer what it was.
    """
    for path, old, _ in changes:
        if _read(path) != old:
            raise ConfigError(f"{path}: changed meanwhile; run voirdire init again")
    made: list[Path] = []
    done: list[Change] = []
    try:
        for change in changes:
            made += _make(change.path.parent)
            done.append(change)
            write_whole(Path(os.path.realpath(change.path)), change.new)
    except BaseException:  # an interrupt, too, leaves nothing half done
        for change in reversed(done):
            with suppress(ConfigError, OSError):
                if change.old is None:
                    change.path.unlink(missing_ok=True)
                elif _read(change.path) != change.old:
                    write_whole(Path(os.path.realpath(change.path)), change.old)
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()
        raise


def _make(folder: Path) -> list[Path]:
    """Make a folder and those around it; those that were not there, outermost first."""
    made = []
    try:
        for one in (*reversed(folder.parents), folder):
            if not one.is_dir():
                one.mkdir()
                made.append(one)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be made ({error.strerror})") from None
    return made


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError):
        raise ConfigError(f"{path}: cannot be read; mend its access") from None
