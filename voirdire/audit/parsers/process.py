"""A parser that is a process of its own: one JSON line in, one JSON line out, for each text.

In: ``{"id": n, "text": "…"}``. Out: ``{"id": n, "value": …}``, or ``{"id": n, "error": "…"}``
(perhaps with the error's ``"name"``) where it refuses the text, or ``{"id": n}`` where it found
nothing. What it writes to its error output is passed over, but for the last of it when it dies.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import re
import select
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from voirdire.audit.parsers.endings import DIED, MEMORY, TIMEOUT, Broken, RefusedError
from voirdire.audit.value import from_text
from voirdire.errors import ConfigError

_LONGEST = 64 << 20  # bytes of an answer
_TAIL = 16 << 10  # bytes kept of what it said last
_STARTING = 5.0  # seconds more for the first answer of a new process, until one was measured
_LOADING = 60.0  # seconds for a process that says when it is ready
_OUT_OF_MEMORY = re.compile(
    r"out of memory|MemoryError|bad_alloc|allocation .{0,40}failed|cannot allocate memory",
    re.IGNORECASE,
)


class Program:
    """One parser in a process, which is started anew after it died or had to be killed.

    Args:
        command: the program and its arguments.
        label: what messages call it.
        timeout: seconds that a text may take, at most.
        memory: bytes of data that the process may hold. Kept on Linux; elsewhere nothing
            keeps a process to such a limit.
        environment: of the process; ours by default.
        greets: whether it first writes a line ``{"ready": true}``, or ``{"error": "…"}``.

    Raises:
        ConfigError: it cannot be started, or is not ready.
    """

    def __init__(
        self,
        command: Sequence[str],
        label: str,
        *,
        timeout: float,
        memory: int,
        environment: Mapping[str, str] | None = None,
        greets: bool = False,
    ) -> None:
        if os.name == "nt":
            raise ConfigError(
                f"parser {label} is another program, which cannot be watched on Windows: run the"
                " audit on Linux or macOS (or in WSL)."
            )
        self._command = command
        self._label = label
        self._timeout = timeout
        self._memory = memory
        self._environment = environment
        self._greets = greets
        self._starting = 0.0 if greets else _STARTING
        self._number = 0
        self._child: subprocess.Popen[bytes] | None = None
        self._begun = bytearray()  # of an answer
        self._said = bytearray()  # on its error output
        atexit.register(self.close)
        try:
            self._start()
        except Broken as broken:
            raise ConfigError(f"parser {label} {broken.why}.") from None

    def __call__(self, text: str) -> Any:
        """Ask for the text's value.

        Raises:
            RefusedError: it refused the text.
            Broken: no answer came, not from a new process either; it has been ended. Or it said
                that it had not the memory for one.
        """
        fresh = self._child is None or not self._number
        try:
            return self._ask(text, fresh)
        except Broken:
            if fresh:
                raise
        # What came before may have broken it, such as an answer too many.
        self._kill()
        return self._ask(text, True)

    def _ask(self, text: str, fresh: bool) -> Any:
        if self._child is None:
            self._start()
        self._number += 1
        line = b'{"id": %d, "text": %b}\n' % (self._number, json.dumps(text).encode())
        before = time.monotonic()
        answer = self._exchange(line, self._timeout + (self._starting if fresh else 0))
        if fresh and self._starting:
            self._starting = 2 * (time.monotonic() - before)
        return self._value(answer)

    def close(self) -> None:
        """End the process, and all that it started."""
        atexit.unregister(self.close)
        self._kill()

    def _start(self) -> None:
        try:
            child = subprocess.Popen(
                self._command,
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environment,
                start_new_session=True,  # so that what it starts is ended with it
            )
        except OSError as error:
            raise Broken(DIED, f"cannot be started ({error.strerror or error})") from None
        self._child = child
        _limit(child.pid, self._memory)
        pipes = [pipe.fileno() for pipe in (child.stdin, child.stdout, child.stderr) if pipe]
        self._in, self._out, self._err = pipes
        for pipe in pipes:
            os.set_blocking(pipe, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._begun.clear()
        if self._greets:
            greeting = self._parsed(self._exchange(b"", _LOADING))
            if greeting.get("ready") is not True:
                self._kill()
                raise Broken(DIED, f"cannot be loaded: {greeting.get('error')}")

    def _exchange(self, line: bytes, seconds: float) -> bytes:
        """Write a line, and wait for one."""
        end = time.monotonic() + seconds
        self._said.clear()
        rest = self._written(memoryview(line))
        if rest:
            self._poll.register(self._in, select.POLLOUT)
        while True:
            ready = self._poll.poll(max(0.0, end - time.monotonic()) * 1000)
            for pipe, _ in ready:
                if pipe == self._in:
                    rest = self._written(rest)
                    if not rest:
                        self._poll.unregister(pipe)
                elif pipe == self._err:
                    self._hear()
                elif (answer := self._read(end)) is not None:
                    if rest:
                        self._break(DIED, "answered before it had read the text")
                    return answer
            if not ready and time.monotonic() >= end:
                self._break(TIMEOUT, f"gave no answer in {seconds:.3g} s")

    def _written(self, rest: memoryview) -> memoryview:
        try:
            return rest[os.write(self._in, rest) :] if rest else rest
        except BlockingIOError:
            return rest
        except BrokenPipeError:  # the end of its output says the same
            return rest[:0]

    def _hear(self) -> None:
        heard = os.read(self._err, 1 << 16)
        self._said += heard
        del self._said[:-_TAIL]
        if not heard:
            self._poll.unregister(self._err)

    def _read(self, end: float) -> bytes | None:
        """Its answer, if that is whole now."""
        part = os.read(self._out, 1 << 16)
        line, newline, more = part.partition(b"\n")
        if newline:
            answer = bytes(self._begun + line)
            self._begun[:] = more
            return answer
        self._begun += part
        if len(self._begun) > _LONGEST:
            self._break(MEMORY, f"gave an answer of more than {_LONGEST >> 20} MB")
        if not part:
            self._died(end)
        return None

    def _died(self, end: float) -> NoReturn:
        """Say how it ended."""
        assert self._child is not None
        code = None
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._child.wait(max(0.1, min(1.0, end - time.monotonic())))
        with contextlib.suppress(BlockingIOError):
            while heard := os.read(self._err, 1 << 16):
                self._said += heard
        said = self._said[-_TAIL:].decode("utf-8", "replace")
        if code is None:
            how = "closed its output"
        elif code < 0:
            how = f"was killed by {_signal(-code)}"
        else:
            how = f"ended with exit code {code}"
        if _OUT_OF_MEMORY.search(said):
            self._break(MEMORY, f"{how}, out of memory")
        last = said.strip().rpartition("\n")[2].strip()
        self._break(DIED, f"{how}: {last[:200]}" if last else how)

    def _break(self, ending: str, why: str) -> NoReturn:
        self._kill()
        raise Broken(ending, why)

    def _kill(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        for pipe in (child.stdin, child.stdout, child.stderr):
            if pipe is not None:
                pipe.close()

    def _parsed(self, answer: bytes) -> dict[str, Any]:
        try:
            found = from_text(answer.decode("utf-8"))
        except (json.JSONDecodeError, UnicodeDecodeError):
            found = None
        if not isinstance(found, dict):
            shown = answer[:100].decode("utf-8", "backslashreplace")
            self._break(DIED, f"answered {shown!r} instead of a line of the protocol")
        return found

    def _value(self, answer: bytes) -> Any:
        try:
            found = self._parsed(answer)
        except RecursionError:
            raise RefusedError("RecursionError", "gave a value nested too deep") from None
        except ValueError:
            raise RefusedError("ValueError", "gave a number of too many digits") from None
        if found.get("id") != self._number:
            self._break(DIED, f"answered text {found.get('id')!r} instead of {self._number}")
        error = found.get("error")
        if error is None:
            return found.get("value")
        name = str(found.get("name") or "Error")
        if name == "MemoryError":
            raise Broken(MEMORY, f"was out of memory: {error}")
        raise RefusedError(name, str(error))


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _limit(pid: int, memory: int) -> None:
    import resource

    if hasattr(resource, "prlimit"):
        with contextlib.suppress(ProcessLookupError):
            _, hard = resource.prlimit(pid, resource.RLIMIT_DATA)
            most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
            resource.prlimit(pid, resource.RLIMIT_DATA, (most, most))
