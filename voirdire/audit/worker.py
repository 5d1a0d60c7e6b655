"""The process that runs both parsers: what hangs, dies or eats all memory takes only this along.

Speaks frames of JSON over the pipes that were its standard input and output (the parsers get
``/dev/null`` for theirs, and may print what they like), and writes what it is at into a file that
whoever started it maps too.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any

from voirdire.audit.both import Both, Plan
from voirdire.audit.corpus.item import Block, Form
from voirdire.errors import ConfigError

BEAT_BYTES = 8
"""Size of the file of the beat: one whole number, see ``both.beat_of``."""


def send(stream: IO[bytes], message: Mapping[str, Any], data: bytes = b"") -> None:
    """Write one frame: a line of JSON, then ``data``."""
    head = json.dumps({**message, "bytes": len(data)})
    stream.write(head.encode("ascii") + b"\n" + data)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[dict[str, Any], bytes] | None:
    """Read one frame; ``None`` where the other side has gone."""
    line = stream.readline()
    if not line.endswith(b"\n"):
        return None
    message: dict[str, Any] = json.loads(line)
    size = message.pop("bytes")
    data = stream.read(size) if size else b""
    return (message, data) if len(data) == size else None


def main(beat_path: str) -> int:
    """Answer until the pipe closes."""
    source, target = _take_pipes()
    with open(beat_path, "r+b") as file:  # noqa: PTH123  (a map needs the open file)
        beat = memoryview(mmap.mmap(file.fileno(), BEAT_BYTES)).cast("q")
    both: Both | None = None
    while (frame := receive(source)) is not None:
        message, data = frame
        try:
            if both is None:
                both, answer = _open(message, beat)
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
        send(target, answer)
    return 0


def _take_pipes() -> tuple[IO[bytes], IO[bytes]]:
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    return source, target


def _open(message: Mapping[str, Any], beat: Any) -> tuple[Both | None, dict[str, Any]]:
    from voirdire.audit.parsers.spec import open_parser

    plan = Plan(**message["plan"])
    one, other = (
        open_parser(spec, timeout=plan.timeout, memory=plan.memory) for spec in plan.parsers
    )
    _limit_memory(plan.memory)
    # Those in a process of their own watch it themselves.
    watched = [not hasattr(parser, "close") for parser in (one, other)]
    return Both((one, other), plan.schema, beat), {"watched": watched}


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
    begun = time.perf_counter()
    call = both.call(message["side"], 0, message["text"])
    return {"seconds": time.perf_counter() - begun, "ending": call.label}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
