"""Running commands, and changing folders so that an interruption or a second run does no harm."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent.parent
TOOLS = ROOT / ".toolchains"
WINDOWS = sys.platform == "win32"


class SetupError(Exception):
    """Something the user can mend; the message is the sentence that says how."""


def say(text: str) -> None:
    """Tell the user what is being done."""
    print(f"voirdire: {text}", flush=True)


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file, or an empty one if there is none to be read."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def run(
    command: Sequence[str | Path],
    env: Mapping[str, str] | None = None,
    quiet: bool = False,
    keep: Sequence[int] = (),
) -> int:
    """Run a command from the repository's root and return its exit code.

    ``env`` is added to the environment, ``quiet`` drops standard output (errors still show), and
    ``keep`` names descriptors that the command inherits. If this process is told to end, the
    command is ended too.
    """
    with (
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | (env or {}),
            stdout=subprocess.DEVNULL if quiet else None,
            pass_fds=() if WINDOWS else keep,
        ) as child,
        ended_with_us(child),
    ):
        return child.wait()


@contextlib.contextmanager
def ended_with_us(child: subprocess.Popen[Any]) -> Iterator[None]:
    """End a command if this process is interrupted while it waits for it."""
    try:
        yield
    except BaseException:
        child.terminate()
        try:
            child.wait(timeout=10)
        except subprocess.TimeoutExpired:
            child.kill()
        raise


def try_lock(descriptor: int) -> bool:
    """Take the operating system's lock on an open file, if nobody else holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def locked() -> Iterator[int]:
    """Hold the set-up's lock; yields its descriptor.

    The installers inherit it, so that one which outlives a killed set-up still holds the lock.
    """
    TOOLS.mkdir(exist_ok=True)
    descriptor = os.open(TOOLS / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not try_lock(descriptor):
            say("waiting for another set-up to finish …")
            while not try_lock(descriptor):
                time.sleep(0.2)
        yield descriptor
    finally:
        os.close(descriptor)


def marker(target: Path) -> Path:
    """The file that exists while a folder is being filled; it stands outside that folder."""
    return TOOLS / ("-".join(target.relative_to(ROOT).parts) + ".unfinished")


@contextlib.contextmanager
def filling(target: Path) -> Iterator[None]:
    """Start from nothing if an earlier run was interrupted, and leave a mark if this one is."""
    mark = marker(target)
    if mark.exists() and target.exists():
        say(f"an earlier set-up did not finish; making {target.relative_to(ROOT)} anew …")
        shutil.rmtree(target)
    mark.touch()
    yield
    mark.unlink()
