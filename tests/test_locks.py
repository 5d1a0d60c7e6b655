"""Locks between processes and threads."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from voirdire.locks import locked, try_lock

ROOT = Path(__file__).resolve().parent.parent

HOLDER = """
import sys
from pathlib import Path
from voirdire.locks import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def is_free(path: Path) -> bool:
    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        return try_lock(handle)
    finally:
        os.close(handle)


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert not is_free(path)
        assert holder.stdin is not None
        holder.stdin.close()
        holder.wait()
    assert is_free(path)


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert is_free(path)


def test_one_thread_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    count = tmp_path / "count"
    count.write_text("0")

    def add() -> None:
        for _ in range(50):
            with locked(path):
                count.write_text(str(int(count.read_text()) + 1))

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count.read_text() == "200"


def test_an_error_inside_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with pytest.raises(ZeroDivisionError), locked(path):
        assert 1 / int(is_free(path))
    assert is_free(path)


def test_a_place_that_cannot_hold_a_lock_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"), locked(tmp_path / "none" / "lock"):
        pass
