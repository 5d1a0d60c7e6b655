"""Both parsers over all blocks of a corpus, on all cores of this machine."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from voirdire.audit.both import Plan
from voirdire.audit.corpus.item import OWN, Block, Damage
from voirdire.audit.parsers.endings import CRASHES, TIMEOUT
from voirdire.audit.parsers.spec import kind_of
from voirdire.audit.process import BrokenAtError, TooLongError, Watched, Worker
from voirdire.audit.tally import Tally

Progress = Callable[[int], None]
"""Told after each block how many texts it had."""


def jobs_for(plan: Plan) -> int:
    """How many workers to start: one a core; one in all for a program, which is started once."""
    if any(kind_of(spec) == "cmd" for spec in plan.parsers):
        return 1
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def run(
    plan: Plan,
    blocks: Iterable[Block],
    jobs: int,
    *,
    sample_size: int = 0,
    seed: int = 0,
    progress: Progress = lambda texts: None,
) -> Tally:
    """Count what both parsers make of all texts.

    Args:
        plan: the parsers and their limits.
        blocks: the corpus; read from whichever thread has a worker free.
        jobs: how many workers, at least 1.
        sample_size: how many bases of mutations to keep.
        seed: chooses them.
        progress: told how far it is.

    Raises:
        ConfigError: a parser cannot be opened, or the corpus cannot be read.
    """
    source = iter(blocks)
    turn = threading.Lock()
    failures: list[BaseException] = []
    begun: list[Watched] = []
    total = Tally(sample_size=sample_size)

    def work() -> None:
        watched = None
        try:
            while not failures:
                with turn:
                    block = next(source, None)
                    cut = dict(total.cut)
                if block is None:
                    break
                if watched is None:
                    watched = Watched(plan)
                    begun.append(watched)
                found = _tally(watched, block, sample_size, seed, cut)
                with turn:
                    total.merge(found)
                    progress(found.all.texts)
        except BaseException as failure:
            failures.append(failure)
        finally:
            if watched:
                watched.close()

    threads = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except BaseException as stopped:  # Ctrl-C: the workers must not outlive us
        failures.append(stopped)
        for watched in begun:
            watched.close()
        raise
    if failures:
        raise failures[0]
    total.settle()
    return total


def _tally(
    watched: Watched, block: Block, sample_size: int, seed: int, cut: Mapping[str, str]
) -> Tally:
    message = {
        "do": "tally",
        "file": block.file,
        "name": block.name,
        "first": block.first,
        "form": block.form,
        "sample": sample_size,
        "seed": seed,
        "cut": cut,
    }
    total = Tally(sample_size=sample_size)
    try:
        answers = watched.run(message, block.data.count(b"\n") + 1, block.data)
    except TooLongError:
        longest, rest = _around_longest(block)
        total.damage(block.file, longest.first, _too_long(longest, watched.plan))
        for piece in rest:
            total.merge(_tally(watched, piece, sample_size, seed, cut))
        return total
    for answer in answers:
        total.merge(Tally.from_json(answer["tally"]))
    return total


def _around_longest(block: Block) -> tuple[Block, list[Block]]:
    """The longest line of a block, and what stands before and after it."""
    lines = block.data.split(b"\n")
    place = max(range(len(lines)), key=lambda number: len(lines[number]))

    def piece(start: int, stop: int) -> Block:
        return block._replace(first=block.first + start, data=b"\n".join(lines[start:stop]))

    rest = [piece(0, place), piece(place + 1, len(lines))]
    return piece(place, place + 1), [one for one in rest if one.data.strip()]


def _too_long(block: Block, plan: Plan) -> Damage:
    where = f"{block.name}:{block.first}"
    if block.form == OWN:
        where = str(json.loads(block.data).get(OWN.where) or where)
    mib = plan.memory >> 20
    return Damage(where, f"too long a text to be read within {mib} MiB; raise --memory")


@contextmanager
def looking(plan: Plan) -> Iterator[Callable[[Sequence[str]], list[dict[str, Any]]]]:
    """A function that says how both parsers end on each of a few texts (see ``Both.look``)."""
    watched = Watched(plan)

    def look(texts: Sequence[str]) -> list[dict[str, Any]]:
        answers = watched.run({"do": "look", "texts": texts}, len(texts))
        return [found for answer in answers for found in answer["looks"]]

    try:
        yield look
    finally:
        watched.close()


@contextmanager
def timing(plan: Plan) -> Iterator[Callable[[int, str], float | None]]:
    """A function that says how many seconds one side takes for a text; ``None``: it broke."""
    worker: list[Worker] = []

    def seconds(side: int, text: str) -> float | None:
        if not worker:
            worker.append(Worker(plan))
        try:
            answer = worker[0].ask({"do": "time", "side": side, "text": text})
        except BrokenAtError:
            worker.clear()
            return None
        return None if answer["ending"] in (TIMEOUT, *CRASHES) else float(answer["seconds"])

    try:
        yield seconds
    finally:
        for open_worker in worker:
            open_worker.close()
