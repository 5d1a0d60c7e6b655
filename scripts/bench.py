"""Measure what the two doors cost beside empty Python code, how long a hostile reply takes, and an
audit beside its two parsers in a bare loop.

Usage: ``npm run bench``, or ``npm run bench -- --json``; ``--audit-texts 1000000`` audits a million
texts (1 GB on disk). Every ratio compares two things of the same round, so that a busy machine
slows both; processor time is told beside it, for it hardly depends on what else runs. Exits with 1
if a target is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.bench_parts.audit import audits
from scripts.bench_parts.calibration import calibrations
from scripts.bench_parts.canned_server import canned_server
from scripts.bench_parts.hostile import HOSTILE, MB
from scripts.bench_parts.report import Row, show

ROOT = Path(__file__).resolve().parent.parent
KITEBASE = ROOT / "golden" / "kitebase"
CONFIG = {
    "rubric": str(KITEBASE / "rubric.yaml"),
    "source": str(KITEBASE / "excerpts.json"),
    "judge": f"replay:{KITEBASE / 'replies.jsonl'}",
}
RESULT = {"pass": True, "score": 1, "reason": "empty"}
EMPTY = f"""\
def get_assert(output, context):
    return {RESULT!r}

def call_api(prompt, options, context):
    return {{"output": {RESULT!r}}}
"""
# Times an empty script, under the same promptfoo. A kept verdict goes through the explicit door.
LIMITS = {"explicit": 2.0, "kept": 1.5, "drop-in": 1.3}
CASES = 40  # in a suite: start-up and what a round differs by are shared out among them


class Took(NamedTuple):
    """Seconds of a command: on the clock, and of processors (its children's too)."""

    wall: float
    cpu: float


class Bench:
    """What all measurements share: a folder to work in, the environment and promptfoo."""

    def __init__(self, folder: Path, tools: Mapping[str, str]) -> None:
        self.folder = folder
        self.python = os.environ.get("PROMPTFOO_PYTHON") or sys.executable
        self.promptfoo = [tools["node"], tools["promptfoo_main"]]
        self.wrappers = Path(tools["promptfoo_main"]).parent / "python"
        self.environment = {
            **{key: value for key, value in os.environ.items() if key != "VOIRDIRE_JUDGE"},
            "PROMPTFOO_PYTHON": self.python,
            "PROMPTFOO_CONFIG_DIR": str(folder / ".promptfoo"),
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
            "PROMPTFOO_FAILED_TEST_EXIT_CODE": "100",
            "VOIRDIRE_JOURNAL": str(folder / "journal.jsonl"),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        (folder / "empty.py").write_text(EMPTY, encoding="utf-8")
        # As the set-up does: whoever keeps Python from writing bytecode must not pay each time.
        code = [ROOT / name for name in ("voirdire", "assertions", "providers")]
        self.run([self.python, "-m", "compileall", "-qq", *code])
        self.scripts = {
            "empty": folder / "empty.py",
            "explicit": ROOT / "assertions" / "grounded.py",
            "kept": ROOT / "assertions" / "grounded.py",
            "drop-in": ROOT / "providers" / "judge.py",
        }
        lines = (KITEBASE / "cases.jsonl").read_text(encoding="utf-8").splitlines()
        self.cases = [json.loads(line) for line in lines]
        self.config: dict[str, Mapping[str, str]] = {"explicit": CONFIG, "drop-in": CONFIG}
        self.config["kept"] = self.keep_verdicts()

    def keep_verdicts(self) -> dict[str, str]:
        """Ask a model judge for every case, so that its verdicts are kept; it is gone then."""
        cache = str(self.folder / "cache.sqlite")
        lines = (KITEBASE / "replies.jsonl").read_text(encoding="utf-8").splitlines()
        said = {record["id"]: record["reply"] for record in map(json.loads, lines)}
        with canned_server({case["answer"]: said[case["id"]] for case in self.cases}) as url:
            judge = f"openai:canned-2026-01-01@{url}"
            command: list[str | Path] = [self.python, "-m", "voirdire", "judge", "--judge", judge]
            command += ["--rubric", CONFIG["rubric"], "--source", CONFIG["source"]]
            self.run([*command, "--jsonl", KITEBASE / "cases.jsonl", "--cache", cache])
        return {**CONFIG, "judge": judge, "cache": cache}

    def run(
        self, command: Sequence[str | Path], accepted: Sequence[int] = (0,), said: str = ""
    ) -> Took:
        """Run a command to its end; ``said`` is what it is told on standard input."""
        before, start = os.times(), time.perf_counter()
        ended = subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            input=said.encode(),
            capture_output=True,
            check=False,
        )
        wall, after = time.perf_counter() - start, os.times()
        cpu = after.children_user + after.children_system
        took = Took(wall, cpu - before.children_user - before.children_system)
        if ended.returncode not in accepted:
            shown = (ended.stderr or ended.stdout).decode("utf-8", "replace")[-2000:]
            sys.exit(f"bench: {' '.join(map(str, command))} failed:\n{shown}")
        return took

    def suite(self, name: str, assertion: Mapping[str, Any] | None) -> list[str]:
        """Write a suite; returns the command that evaluates it."""
        tests = []
        for number in range(CASES):
            case = self.cases[number % len(self.cases)]
            variables = {"question": case["question"], "answer": case["answer"]}
            variables |= {"case_id": case["id"], "number": number}
            tests.append({"vars": variables, "assert": [assertion] if assertion else []})
        suite = {
            "prompts": ["{{question}}"],
            "providers": ["echo"],
            "defaultTest": {"options": {"transform": "context.vars.answer"}},
            "tests": tests,
        }
        (self.folder / f"{name}.json").write_text(json.dumps(suite), encoding="utf-8")
        # No cache: promptfoo would ask the empty provider once and never again.
        options = ["-j", "1", "--no-cache", "--no-write", "--no-table", "--no-progress-bar"]
        return [*self.promptfoo, "eval", "-c", f"{name}.json", *options]

    def check(self, command: Sequence[str]) -> None:
        """Make sure that a suite really grades: a configuration error would be fast."""
        self.run([*command, "-o", "results.json"], (0, 100))
        results = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        for row in results["results"]["results"]:
            (item,) = row["gradingResult"]["componentResults"]
            record = item.get("metadata", {}).get("voirdire", {"outcome": "pass"})
            if record["outcome"] not in ("pass", "fail") or row["failureReason"] == 2:
                sys.exit(f"bench: {command[-6]}: a verdict was expected, not {item['reason']}")

    def arguments(self, door: str) -> Path:
        """What promptfoo hands to a script for one case, as a file."""
        case = self.cases[0]
        variables = {"question": case["question"], "case_id": case["id"]}
        if door != "drop-in":
            context: dict[str, Any] = {"vars": variables, "config": self.config[door], "test": {}}
            values: list[Any] = [case["answer"], context]
        else:
            variables |= {"output": case["answer"], "rubric": "grounded"}
            context = {"vars": variables, "prompt": {"label": "llm-rubric"}}
            values = ["[]", {"config": CONFIG}, context]
        path = self.folder / f"{door}.arguments.json"
        path.write_text(json.dumps(values), encoding="utf-8")
        return path


def rows(door: str, where: str, took: Sequence[Mapping[str, Took]]) -> list[Row]:
    """The door beside the empty script: milliseconds, and how many times as much."""
    ratios = [one["door"].wall / one["empty"].wall for one in took]
    name = "explicit door, kept verdict" if door == "kept" else f"{door} door"
    return [
        Row(f"{name}, {where}", [1000 * one["door"].wall for one in took], "ms"),
        Row(f"empty script, {where}", [1000 * one["empty"].wall for one in took], "ms"),
        Row(f"{name} / empty, {where}", ratios, "x"),
    ]


def assertion(bench: Bench, door: str, script: Path) -> dict[str, Any]:
    """An assertion that opens a door, or an empty script in its place."""
    if door != "drop-in":
        return {"type": "python", "value": f"file://{script}", "config": bench.config[door]}
    provider = {"id": f"file://{script}", "config": CONFIG}
    return {"type": "llm-rubric", "value": "grounded", "provider": provider}


def under_promptfoo(bench: Bench, door: str, rounds: int) -> list[Row]:
    """One grading's cost under the real promptfoo: a suite with it less the same without."""
    commands = {
        "none": bench.suite("none", None),
        "empty": bench.suite("empty", assertion(bench, door, bench.scripts["empty"])),
        "door": bench.suite("door", assertion(bench, door, bench.scripts[door])),
    }
    bench.check(commands["empty"])
    bench.check(commands["door"])

    def once() -> dict[str, Took]:
        whole = {name: bench.run(command, (0, 100)) for name, command in commands.items()}
        none = whole.pop("none")
        return {
            name: Took((took.wall - none.wall) / CASES, (took.cpu - none.cpu) / CASES)
            for name, took in whole.items()
        }

    took = [once() for _ in range(rounds)]
    door_ms, empty_ms, ratio = rows(door, "promptfoo", took)
    cpu = [one["door"].cpu / one["empty"].cpu for one in took]
    of_cpu = Row(f"{ratio.name}, processor", cpu, "x")
    return [door_ms, empty_ms, ratio._replace(limit=LIMITS[door]), of_cpu]


def alone(bench: Bench, door: str, rounds: int) -> list[Row]:
    """The process that promptfoo starts for one grading, by its own wrapper, without Node.

    It starts one for every assertion, and loads a grading provider anew for every assertion too.
    """
    given = bench.arguments(door)
    answer = bench.folder / "answer.json"

    def once(script: Path) -> Took:
        if door != "drop-in":
            wrapper: list[str | Path] = [bench.python, bench.wrappers / "wrapper.py", script]
            return bench.run([*wrapper, "get_assert", given, answer])
        wrapper = [bench.python, bench.wrappers / "persistent_wrapper.py", script, "call_api"]
        return bench.run(wrapper, said=f"CALL|call_api|{given}|{answer}\nSHUTDOWN\n")

    names = {"door": bench.scripts[door], "empty": bench.scripts["empty"]}
    took = [{name: once(script) for name, script in names.items()} for _ in range(rounds + 1)]
    return rows(door, "process alone", took[1:])


def hostile_reply(bench: Bench, name: str, rounds: int) -> list[Row]:
    """``voirdire read`` of a hostile reply: the whole command, and how it grows with its size."""
    reply = bench.folder / "reply.txt"
    command: list[str | Path] = [bench.python, "-m", "voirdire", "read", reply]
    command += ["--rubric", CONFIG["rubric"], "--json"]

    def once(size: int) -> float:
        reply.write_text(HOSTILE[name](size), encoding="utf-8")
        return bench.run(command).wall

    took = [[once(size) for size in (0, 5 * MB // 2, 5 * MB, 10 * MB)] for _ in range(rounds)]
    start, *best = [min(one[index] for one in took) for index in range(4)]
    # Start-up left out; 20 ms is what timing alone may differ by. Linear growth is 2.
    growth = max(
        max(0.0, best[size + 1] - start - 0.02) / max(best[size] - start, 0.02) for size in (0, 1)
    )
    return [
        Row(f"read 10 MB, {name}", [one[3] for one in took], "s", 1.0),
        Row(f"read twice as much, {name}", [growth], "x", 3.0),
    ]


def measurements(bench: Bench, rounds: int, audit_texts: int) -> Iterator[list[Row]]:
    """All of them, one after the other."""
    for door in LIMITS:
        yield alone(bench, door, 6 * rounds)
        yield under_promptfoo(bench, door, rounds)
    for name in HOSTILE:
        yield hostile_reply(bench, name, min(3, rounds))
    yield from audits(bench.python, bench.folder, audit_texts, min(3, rounds))
    yield calibrations(bench.python, str(ROOT), min(3, rounds))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--json", action="store_true", help="print JSON for machines")
    parser.add_argument("--rounds", type=int, default=5, help="rounds (default: 5)")
    parser.add_argument(
        "--audit-texts", type=int, default=100_000, help="texts to audit (default: 100,000)"
    )
    given = parser.parse_args()
    toolchains = json.loads(os.environ.get("VOIRDIRE_TEST_TOOLCHAINS", "[]"))
    if not toolchains or given.rounds < 1 or given.audit_texts < 1:
        parser.error("run it as `npm run bench`, which finds promptfoo; numbers are 1 or more")

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        bench = Bench(Path(folder), toolchains[0])
        report: list[Row] = []
        for measured in measurements(bench, given.rounds, given.audit_texts):
            report.extend(measured)
            if not given.json:
                print("\n".join(map(show, measured)), flush=True)
    if given.json:
        print(json.dumps([row.to_json() for row in report], indent=1))
    missed = [row.name for row in report if not row.met]
    if not given.json:
        print("\nmissed: " + "; ".join(missed) if missed else "\nevery target is met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
