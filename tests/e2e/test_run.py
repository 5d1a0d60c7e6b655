"""What ``voirdire run`` writes, taken by the real promptfoo and given back by it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.conftest import Toolchain
from tests.runs.conftest import CASES, MODELS, Arguments, Run, record

# The fixtures of the command's own tests.
from tests.runs.conftest import arguments as arguments
from tests.runs.conftest import folder as folder
from tests.runs.conftest import run as run
from tests.runs.conftest import server as server
from tests.runs.models_server import ModelsServer
from tests.runs.test_run import mixed

pytestmark = pytest.mark.e2e


def promptfoo(toolchain: Toolchain, folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [toolchain.node, toolchain.promptfoo_main, *arguments],
        cwd=folder,
        env={
            **os.environ,
            "PROMPTFOO_CONFIG_DIR": str(folder / "home"),
            "PROMPTFOO_DISABLE_TELEMETRY": "1",
            "PROMPTFOO_DISABLE_UPDATE": "1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_promptfoo_imports_a_run_and_gives_it_back(
    toolchain: Toolchain, folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    server.script = mixed
    run(arguments())
    written = json.loads((folder / "results.json").read_text())

    assert "successfully imported" in promptfoo(toolchain, folder, "import", "results.json")
    promptfoo(toolchain, folder, "export", "eval", written["evalId"], "-o", "back.json")
    back = json.loads((folder / "back.json").read_text())

    assert back["evalId"] == written["evalId"]
    before, after = written["results"], back["results"]
    assert len(after["results"]) == len(MODELS) * len(CASES)
    found = {(row["testIdx"], row["promptIdx"]): row for row in after["results"]}
    for row in before["results"]:
        other = found[row["testIdx"], row["promptIdx"]]
        for name in ("success", "score", "failureReason", "provider", "latencyMs", "error"):
            assert other.get(name) == row.get(name), name
        assert other["response"].get("output") == row["response"].get("output")
        if row["gradingResult"]:
            assert record(other) == record(row)
    kinds = ("testPassCount", "testFailCount", "testErrorCount", "namedScores", "cost")
    for one, other in zip(before["prompts"], after["prompts"], strict=True):
        assert {name: other["metrics"][name] for name in kinds} == {
            name: one["metrics"][name] for name in kinds
        }
        assert other["provider"] == one["provider"]
