"""Two parsers called in a bare loop: what an audit of them is measured by.

Usage: ``python bare.py CORPUS EVAL PRODUCTION SHARE SHARES``; SHARE counts from 0. Prints, as JSON,
how many texts were in this share, the seconds of calling both parsers on texts already in memory,
and those of reading the lines besides, each on the clock and of the processor.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from voirdire.audit.parsers.builtin import BUILTINS

AT_ONCE = 1_000  # texts in memory


def main(corpus: str, names: tuple[str, str], share: int, shares: int) -> None:
    one, other = (BUILTINS[name] for name in names)
    count, calls, reading = 0, [0.0, 0.0], [0.0, 0.0]
    with Path(corpus).open(encoding="utf-8") as file:
        for lines in _batches(file, share, shares):
            begun = _now()
            texts = [json.loads(line)["text"] for line in lines]
            read = _now()
            for text in texts:
                try:  # noqa: SIM105 (suppress would cost more than some parsers)
                    one(text)
                except ValueError:
                    pass
                try:  # noqa: SIM105
                    other(text)
                except ValueError:
                    pass
            ended = _now()
            count += len(texts)
            for place in (0, 1):
                calls[place] += ended[place] - read[place]
                reading[place] += read[place] - begun[place]
    print(json.dumps({"texts": count, "calls": calls, "reading": reading}))


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _batches(lines: Iterator[str], share: int, shares: int) -> Iterator[Sequence[str]]:
    number = 0
    while batch := list(islice(lines, AT_ONCE)):
        if number % shares == share:
            yield batch
        number += 1


if __name__ == "__main__":
    main(sys.argv[1], (sys.argv[2], sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]))
