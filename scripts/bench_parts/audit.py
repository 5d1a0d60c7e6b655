"""An audit beside its two parsers called in a bare loop, and the memory that it takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from scripts.bench_parts.replies import lines
from scripts.bench_parts.report import Row

BARE = Path(__file__).with_name("bare.py")
SEED = 7
PAIRS = {("backward", "forward"): 1.3, ("strict", "strict"): None}
"""What an audit on all cores may take, in times of the bare loop on one. The second pair does so
little that it shows what the audit itself costs; there is no limit for it."""
MOST_MB = 300.0
POLL_S = 0.05


class Run(NamedTuple):
    """One audit: seconds on the clock and of processors, and the largest process's memory, MB."""

    wall: float
    cpu: float
    parent_mb: float
    worker_mb: float


def audits(python: str, folder: Path, texts: int, rounds: int) -> Iterator[list[Row]]:
    """Measure both pairs over a corpus made for it.

    Args:
        python: the interpreter that has voirdire's dependencies.
        folder: to work in.
        texts: of about 1 kB, how many.
        rounds: how often each is measured.
    """
    corpus, few = folder / "replies.jsonl", folder / "few.jsonl"
    for path, count in ((corpus, texts), (few, min(texts, 2_000))):
        with path.open("w", encoding="utf-8") as file:
            file.writelines(lines(count, SEED))
    for (one, other), limit in PAIRS.items():
        yield _pair(python, corpus, few, (one, other), rounds, limit)


def _pair(
    python: str, corpus: Path, few: Path, pair: tuple[str, str], rounds: int, limit: float | None
) -> list[Row]:
    cores = _cores()
    alone, shared, started, whole = [], [], [], []
    for _ in range(rounds):
        shared.append(_bare(python, corpus, pair, cores))
        whole.append(_audit(python, corpus, pair))
        started.append(_audit(python, few, pair))
        alone.append(_bare(python, corpus, pair, 1))
    texts = shared[0]["texts"]
    name = f"{pair[0]} x {pair[1]}"

    def times(bare: list[dict[str, Any]], part: str, place: int) -> list[float]:
        """The audit in times of a part of the bare loop, by clock (0) or processor (1)."""
        return [run[place] / one[part][place] for run, one in zip(whole, bare, strict=True)]

    # What every audit takes however small its corpus (start, shrinking, the report) is no matter
    # over the million texts that the limit is for.
    steady = [
        (run.wall - start.wall) / one["calls"][0]
        for run, start, one in zip(whole, started, alone, strict=True)
    ]
    return [
        Row(f"audit {name}", [texts / run.wall / 1000 for run in whole], "texts/ms"),
        Row(f"bare {name}", [texts / one["calls"][0] / 1000 for one in shared], "texts/ms"),
        Row(f"audit on all cores / bare loop, {name}", steady, "x", limit),
        Row("  with what a small corpus takes", times(alone, "calls", 0), "x"),
        Row(f"  bare loop on {cores} cores, too", times(shared, "calls", 0), "x"),
        Row("    which reads the lines as well", times(shared, "all", 0), "x"),
        Row("    processor", times(shared, "calls", 1), "x"),
        Row("    processor, which reads the lines as well", times(shared, "all", 1), "x"),
        Row("  memory, the audit's own process", [run.parent_mb for run in whole], "MB", MOST_MB),
        Row("  memory, the largest worker", [run.worker_mb for run in whole], "MB", MOST_MB),
    ]


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def _bare(python: str, corpus: Path, pair: tuple[str, str], shares: int) -> dict[str, Any]:
    """The bare loop, shared out among processes: the slowest one's clock, all processors' time."""
    running = [
        subprocess.Popen(
            [python, BARE, corpus, *pair, str(share), str(shares)], stdout=subprocess.PIPE
        )
        for share in range(shares)
    ]
    parts = [json.loads(process.communicate()[0]) for process in running]
    found: dict[str, Any] = {"texts": sum(part["texts"] for part in parts)}
    for name in ("calls", "reading"):
        clock, processor = zip(*(part[name] for part in parts), strict=True)
        found[name] = [max(clock), sum(processor)]
    found["all"] = [a + b for a, b in zip(found["calls"], found["reading"], strict=True)]
    return found


def _audit(python: str, corpus: Path, pair: tuple[str, str]) -> Run:
    command = [python, "-m", "voirdire", "audit", "--eval", pair[0], "--production", pair[1]]
    command += ["--corpus", corpus.name, "--no-growth", "--out", "report.json"]
    before, begun = os.times(), time.perf_counter()
    with (corpus.parent / "said.txt").open("w+b") as said:
        process = subprocess.Popen(command, cwd=corpus.parent, stdout=said, stderr=said)
        memory: dict[int, float] = {}
        while process.poll() is None:
            memory.update(_memory(process.pid))
            time.sleep(POLL_S)
        wall, after = time.perf_counter() - begun, os.times()
        if process.returncode:
            said.seek(0)
            sys.exit(f"bench: the audit failed:\n{said.read().decode('utf-8', 'replace')}")
    cpu = after.children_user + after.children_system - before.children_user
    parent = memory.pop(process.pid, 0.0)
    return Run(wall, cpu - before.children_system, parent, max(memory.values(), default=0.0))


def _memory(parent: int) -> dict[int, float]:
    """The most that a process and its children have held so far, in MB, where Linux says so."""
    found = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        except OSError:  # it has just ended
            continue
        pid = int(fields["Pid"])
        if parent in (pid, int(fields["PPid"])) and "VmHWM" in fields:
            found[pid] = int(fields["VmHWM"].split()[0]) / 1000
    return found
