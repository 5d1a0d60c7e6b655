"""``voirdire label`` at a terminal, as a person has it."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.calibration.label_command import (
    folder,
    lines,
    read_until,
    started,
)

__all__ = ["folder"]

ASKED = b"q quit\r\n> "


class Terminal:
    """A person at a pseudo-terminal."""

    def __init__(self, folder: Path) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.handle, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 60, 0, 0))
        self.process = started(folder, stdin=other, stdout=other, start_new_session=True)
        os.close(other)

    def type(self, keys: bytes) -> None:
        os.write(self.handle, keys)

    def says_something(self, seconds: float) -> bool:
        return bool(select.select([self.handle], [], [], seconds)[0])

    def read_until(self, words: bytes) -> bytes:
        return read_until(self._read, words)

    def _read(self) -> bytes:
        assert self.says_something(60)
        return os.read(self.handle, 4096)

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        os.close(self.handle)


@pytest.fixture
def terminal(folder: Path) -> Iterator[Terminal]:
    if sys.platform == "win32":
        pytest.skip("there are no pseudo-terminals")
    opened = Terminal(folder)
    yield opened
    opened.close()


def test_a_person_at_a_terminal(terminal: Terminal, folder: Path) -> None:
    first = terminal.read_until(ASKED)
    assert b"\x1b[1m" in first  # headings are bold there
    terminal.type(b"px\x7f\r")  # a slip of the finger, and backspace
    terminal.read_until(ASKED)
    assert [case["label"] for case in lines(folder)] == ["pass"]
    terminal.type("f zu früh\r".encode())
    terminal.read_until(ASKED)
    assert lines(folder)[1]["note"] == "zu früh"
    terminal.type(b"q\r")
    terminal.read_until(b"2 labels more; 4 of 6 drawn are left")
    assert terminal.process.wait(60) == 0


def test_an_interrupt_keeps_what_was_said(terminal: Terminal, folder: Path) -> None:
    terminal.read_until(ASKED)
    terminal.type(b"p\r")
    terminal.read_until(ASKED)
    terminal.process.send_signal(signal.SIGINT)
    if not terminal.says_something(5):
        # It came between the prompt and the read, which Python takes up before it looks for
        # signals. A person would press the keys once more.
        terminal.process.send_signal(signal.SIGINT)
    terminal.read_until(b"1 labels more; 5 of 6 drawn are left")
    assert terminal.process.wait(60) == 0
    assert len(lines(folder)) == 1


def test_the_end_of_the_input_is_the_end(terminal: Terminal) -> None:
    terminal.read_until(ASKED)
    terminal.type(b"\x04")
    terminal.read_until(b"0 labels more; 6 of 6 drawn are left")
    assert terminal.process.wait(60) == 0
