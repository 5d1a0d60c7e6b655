"""One worker process, watched from outside: what it answers, or on which text it broke."""

from __future__ import annotations

import mmap
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.audit.both import Plan, place_of
from voirdire.audit.parsers.endings import DIED, MEMORY, TIMEOUT
from voirdire.audit.worker import BEAT_BYTES, receive, send
from voirdire.errors import ConfigError

GRACE_S = 10.0
"""Seconds beyond the time-out that parsers get which watch their own process."""
LOADING_S = 70.0
"""Seconds that parsers may take to be loaded; a slow Node is given up a little earlier."""
POLL_S = 0.05
READING = 8
"""Memory that reading a batch may take, in times of its bytes."""
_ROOT = Path(__file__).resolve().parents[2]
# Not from the working folder, which -c puts first: it may hold a json.py, which is not Python's.
_START = (
    "import sys; del sys.path[0]; sys.path.append(sys.argv[1]); "
    "from voirdire.audit.worker import main; sys.exit(main(sys.argv[2], int(sys.argv[3])))"
)
_ENDING_S = 2.0
"""Seconds that a worker has to end what parsers in processes of their own have started."""


class BrokenAtError(Exception):
    """The worker is gone, and a parser took it along.

    Args:
        number: of the text in the batch.
        side: 0 the eval's parser, 1 production's, -1 neither: it ended between two calls.
        ending: ``timeout``, ``memory`` or ``died``.
    """

    def __init__(self, number: int, side: int, ending: str) -> None:
        super().__init__(f"{ending} at text {number}")
        self.number = number
        self.side = side
        self.ending = ending


class TooLongError(Exception):
    """The worker cannot read a batch within its memory."""


class Worker:
    """A worker process with both parsers open.

    Args:
        plan: what it runs.

    Raises:
        ConfigError: a parser cannot be opened.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        handle, self._beat_path = tempfile.mkstemp(prefix="voirdire-beat-")
        os.write(handle, bytes(BEAT_BYTES))
        self._map = mmap.mmap(handle, BEAT_BYTES)
        os.close(handle)
        self._beat = memoryview(self._map).cast("q")
        lifeline, self._lifeline = os.pipe()  # closes even if we are killed
        try:
            self._child = subprocess.Popen(
                [sys.executable, "-c", _START, str(_ROOT), self._beat_path, str(lifeline)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=[lifeline],
                start_new_session=True,  # so that its children can be ended with it
            )
        finally:
            os.close(lifeline)
        self._watched = [True, True]
        try:
            answer = self._exchange({"plan": plan._asdict()}, b"", opening=True)
        except BrokenAtError as broken:
            raise ConfigError(
                f"{' or '.join(plan.parsers)}: ended its process while it was being loaded "
                f"({broken.ending}); call nothing that exits when the module is imported"
            ) from None
        except BaseException:
            self.close()
            raise
        self._watched = answer["watched"]

    def ask(self, message: Mapping[str, Any], data: bytes = b"") -> dict[str, Any]:
        """Send one message and wait for its answer.

        Raises:
            BrokenAtError: a parser broke the worker, which is closed.
            ConfigError: the worker says so.
        """
        return self._exchange(message, data)

    def close(self) -> None:
        """End the process and its children. Once is enough, more do no harm."""
        lifeline, self._lifeline = self._lifeline, -1
        if lifeline < 0:
            return
        os.close(lifeline)
        if not all(self._watched):
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(_ENDING_S)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()
        for stream in (self._child.stdin, self._child.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with suppress(OSError):
            Path(self._beat_path).unlink()
        self._beat.release()
        self._map.close()

    def _exchange(
        self, message: Mapping[str, Any], data: bytes, *, opening: bool = False
    ) -> dict[str, Any]:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        answer = None
        try:
            send(self._child.stdin, message, data)
            if not self._wait(opening):
                at = self._at()
                self.close()
                raise BrokenAtError(*at, TIMEOUT)
            frame = receive(self._child.stdout)
            answer = frame[0] if frame else None
        except (BrokenPipeError, ConnectionResetError, ValueError):  # gone, or writes nonsense
            pass
        if answer is None or "broke" in answer:
            at = self._at()
            self.close()
            killed_for_memory = answer is not None and answer["broke"] == MEMORY
            raise BrokenAtError(*at, MEMORY if killed_for_memory else DIED)
        if "config_error" in answer:
            self.close()
            raise ConfigError(answer["config_error"])
        return answer

    def _at(self) -> tuple[int, int]:
        return place_of(self._beat[0])

    def _wait(self, opening: bool) -> bool:
        """Wait for an answer; false once one call has taken longer than it may."""
        assert self._child.stdout is not None
        seen, since = self._at(), time.monotonic()
        while not select.select([self._child.stdout], [], [], POLL_S)[0]:
            at, now = self._at(), time.monotonic()
            if at != seen:
                seen, since = at, now
            elif (at[1] >= 0 or opening) and now - since > self._limit(at[1], opening):
                return False
        return True

    def _limit(self, side: int, opening: bool) -> float:
        """Seconds that the step may take which the worker is at."""
        if opening:
            return LOADING_S
        return self._plan.timeout + (0 if side >= 0 and self._watched[side] else GRACE_S)


def _between(ending: str, plan: Plan, place: str) -> str:
    if ending == MEMORY:
        mib = plan.memory >> 20
        return (
            f"{place}: holds a text that is too long for {mib} MiB; raise --memory, or leave it out"
        )
    return (
        f"{' or '.join(plan.parsers)}: ends the audit's process after its call; it must leave no "
        "thread, timer or closed file behind, or run as cmd: in a process of its own"
    )


class Spot(NamedTuple):
    """Where a batch is cut after a break."""

    start: int
    stop: int
    fates: dict[int, dict[int, str]]
    alone: bool


class Watched:
    """A worker that is begun anew whenever a parser breaks it.

    Args:
        plan: what it runs.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._closed = False
        self._worker: Worker | None = None  # until there is work

    def run(self, message: Mapping[str, Any], size: int, data: bytes = b"") -> list[dict[str, Any]]:
        """Have a batch of ``size`` texts worked on, around those that break a parser.

        A text that breaks one is asked about once more, alone in a new process: only if it breaks
        again the parser is said to break on it, and not on what came before it.

        Args:
            message: ``start``, ``stop`` and ``fates`` are set by this.
            size: how many texts there are, at most.
            data: goes with the message.

        Returns:
            The answers, of all pieces that the batch was cut into, in order.

        Raises:
            ConfigError: a parser breaks the worker when it was not called.
            TooLongError: the data is too much to be read.
        """
        answers = []
        spots = [Spot(0, size, {}, False)]
        while spots:
            spot = spots.pop()
            if spot.start >= spot.stop:
                continue
            worker = self._worker or self._begin_anew()
            bounds = {"start": spot.start, "stop": spot.stop, "fates": spot.fates}
            try:
                answers.append(worker.ask({**message, **bounds}, data))
            except BrokenAtError as broken:
                self._worker = None
                if self._closed:
                    raise ConfigError("the audit was stopped") from None
                number = broken.number
                if broken.side < 0:
                    if len(data) * READING >= self.plan.memory:
                        raise TooLongError from None
                    # Whatever a parser left running, or a text that is too much for us: which
                    # text it is, and whether it comes again, halves of the batch will tell.
                    middle = (spot.start + spot.stop) // 2
                    if middle == spot.start:
                        place = str(message.get("name") or "a shrunk text")
                        raise ConfigError(_between(broken.ending, self.plan, place)) from None
                    spots.append(spot._replace(start=middle))
                    spots.append(spot._replace(stop=middle))
                elif spot.alone:
                    known = {number: {**spot.fates.get(number, {}), broken.side: broken.ending}}
                    spots.append(spot._replace(fates=known))
                else:
                    # The last one is the next one.
                    spots.append(spot._replace(start=number + 1))
                    spots.append(Spot(number, number + 1, {}, True))
                    spots.append(spot._replace(stop=number))
        return answers

    def _begin_anew(self) -> Worker:
        worker = Worker(self.plan)
        if self._closed:  # from another thread, meanwhile
            worker.close()
            raise ConfigError("the audit was stopped")
        self._worker = worker
        return worker

    def close(self) -> None:
        """End the process, for good."""
        self._closed = True
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()
