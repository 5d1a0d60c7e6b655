"""How long a calibration's figures take over many labelled outcomes, and what memory."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence

from scripts.bench_parts.report import Row

OUTCOMES = 100_000
MOST_S = 10.0
"""Seconds for all figures with their intervals."""
MOST_MB = 300.0
# Nothing is judged here: the pairs are made, and only the statistics are timed.
CODE = """\
import json, random, resource, sys, time
from voirdire.calibration.measures import measures, tabled, treatments
n = int(sys.argv[1])
draw = random.Random(7)
pairs = [
    (draw.choice(("pass", "pass", "pass", "fail")), draw.choice(("pass", "fail", "undecided")))
    for _ in range(n)
]
begun = time.perf_counter()
found = measures(tabled(pairs), 0)
treatments(pairs)
took = time.perf_counter() - begun
assert found["kappa"]["low"] < found["kappa"]["high"]
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps([took, memory]))
"""


def calibrations(python: str, cwd: str, rounds: int) -> list[Row]:
    """Measure a calibration of many outcomes beside one of a thousand."""
    many, few = (
        [_measured(python, cwd, outcomes) for _ in range(rounds)] for outcomes in (OUTCOMES, 1_000)
    )
    name = f"calibration of {OUTCOMES:,} outcomes"
    return [
        Row(name, [took for took, _ in many], "s", MOST_S),
        Row("  memory", [memory for _, memory in many], "MB", MOST_MB),
        Row("  of 1,000 outcomes, memory", [memory for _, memory in few], "MB"),
    ]


def _measured(python: str, cwd: str, outcomes: int) -> Sequence[float]:
    done = subprocess.run(
        [python, "-c", CODE, str(outcomes)], cwd=cwd, capture_output=True, check=True
    )
    took, memory = json.loads(done.stdout)
    return took, memory
