"""The process that runs both parsers: what hangs, dies or eats all memory takes only this along.

Speaks frames of JSON over the pipes that were its standard input and output (the parsers get
``/dev/null`` for theirs, and may print what they like), and writes what it is at into a file that
whoever started it maps too.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from voirdire.audit.both import Both, Plan
from voirdire.audit.corpus.item import Block, Form
from voirdire.errors import ConfigError

BEAT_BYTES = 8
"""Size of the file of the beat: one whole number, see ``both.beat_of``."""
# Bound here: a parser may put functions of its own in the place of those of the json module.
_encode = json.JSONEncoder().encode
_decode = json.JSONDecoder().decode


def send(stream: IO[bytes], message: Mapping[str, Any], data: bytes = b"") -> None:
    """Write one frame: a line of JSON, then ``data``."""
    head = _encode({**message, "bytes": len(data)})
    stream.write(head.encode("ascii") + b"\n" + data)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Read one frame; ``None`` where the other side has gone."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    message: dict[str, Any] = _decode(line.decode("ascii"))
    size = message.pop("bytes")
    data = stream.read(size) if size else b""
    return (message, data) if len(data) == size else None


def main(beat_path: str, lifeline: int) -> int:
    """Answer until the pipe closes.

    Args:
        beat_path: the file of the beat.
        lifeline: a pipe that nobody writes to: when it closes, whoever started this has ended.
    """
    source, target = _take_pipes()
    parsers: list[Any] = []
    watch = threading.Thread(target=_end_with, args=(lifeline, parsers, beat_path), daemon=True)
    watch.start()
    own = os.getpid()
    with open(beat_path, "r+b") as file:  # noqa: PTH123  (a map needs the open file)
        beat = memoryview(mmap.mmap(file.fileno(), BEAT_BYTES)).cast("q")
    both: Both | None = None
    while (frame := receive(source)) is not None:
        message, data = frame
        try:
            if both is None:
                both, answer = _open(message, beat, parsers)
            else:
                answer = _answer(both, message, data)
        except ConfigError as error:
            answer = {"config_error": str(error)}
        except MemoryError:
            send(target, {"broke": "memory"})
            return 1
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as error:
            send(target, {"broke": "died", "why": f"raised {type(error).__name__}"})
            return 1
        if os.getpid() != own:  # a parser has forked: only one of us may answer
            os._exit(0)
        send(target, answer)
    return 0


def _end_with(lifeline: int, parsers: list[Any], beat_path: str) -> None:
    """End this process, even in the middle of a call, and all that the parsers have started."""
    with suppress(OSError):
        os.read(lifeline, 1)
    for parser in parsers:
        if hasattr(parser, "close"):
            parser.close()
    with suppress(OSError):
        Path(beat_path).unlink()
    os.killpg(os.getpid(), signal.SIGKILL)


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    return source, target


def _open(
    message: Mapping[str, Any], beat: Any, parsers: list[Any]
) -> tuple[Both | None, dict[str, Any]]:
    from voirdire.audit.parsers.spec import open_parser

    plan = Plan(**message["plan"])
    # Before the parsers: the folders that they import from may hold modules of the same names.
    valid = None
    if plan.schema is not None:
        from voirdire.audit.schema import validity

        valid = validity(plan.schema)
    for spec in plan.parsers:
        parsers.append(open_parser(spec, timeout=plan.timeout, memory=plan.memory))
    _limit_memory(plan.memory)
    # Those in a process of their own watch it themselves.
    one, other = parsers
    both = Both((one, other), valid, beat)
    return both, {"watched": both.in_process}


def _limit_memory(size: int) -> None:
    """Let parsers in this process take so many bytes more, where the system can say so."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (size, hard))


def _answer(both: Both, message: Mapping[str, Any], data: bytes) -> dict[str, Any]:
    fates = {
        int(number): {int(side): ending for side, ending in known.items()}
        for number, known in message.get("fates", {}).items()
    }
    if message["do"] == "tally":
        block = Block(
            message["file"], message["name"], message["first"], data, Form(*message["form"])
        )
        bounds = (message["start"], message["stop"])
        tally = both.tally(
            block, *bounds, fates, message["sample"], message["seed"], message["cut"]
        )
        return {"tally": tally.to_json()}
    if message["do"] == "look":
        texts = list(enumerate(message["texts"]))[message["start"] : message["stop"]]
        return {"looks": [both.look(text, number, fates.get(number, {})) for number, text in texts]}
    # In this process, what else the machine does is no matter.
    clock = time.process_time if both.in_process[message["side"]] else time.perf_counter
    begun = clock()
    call = both.call(message["side"], 0, message["text"])
    return {"seconds": clock() - begun, "ending": call.label}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
