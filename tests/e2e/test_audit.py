"""An audit of what a real promptfoo has stored: from its database and its results file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Promptfoo, Toolchain

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).resolve().parents[2]
REPLIES = [
    '{"verdict": "APPLY"}',
    'draft {"verdict": "SKIP"} final: {"verdict": "APPLY"}',
    'I weighed {cost} first.\n{"verdict": "SKIP"}',
    "I cannot say.",
    '{"verdict": "APPLY"} Hope this helps!',
]
TARGET = """\
def call_api(prompt, options, context):
    return {"output": context["vars"]["reply"]}
"""


def audit(folder: Path, toolchain: Toolchain, *args: str) -> dict[str, Any]:
    """``voirdire audit --json`` in the suite's folder."""
    package = Path(toolchain.promptfoo_main).parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "voirdire", "audit", "--no-growth", "--json", *args],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "VOIRDIRE_PROMPTFOO": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_real_runs_database_is_audited_and_its_outputs_scored_again(
    toolchain: Toolchain, promptfoo: Promptfoo, tmp_path: Path
) -> None:
    (tmp_path / "target.py").write_text(TARGET, encoding="utf-8")
    suite = {
        "prompts": ["say"],
        "providers": [{"id": "file://target.py", "label": "model"}],
        "tests": [
            {
                "description": f"case {number}",
                "vars": {"reply": reply, "right": '{"verdict": "APPLY"}'},
                "assert": [{"type": "contains", "value": "APPLY"}],
            }
            for number, reply in enumerate(REPLIES)
        ],
    }
    run = promptfoo(tmp_path, suite, "-j", "1")
    pair = ("--eval", "backward", "--production", "forward")
    database = str(tmp_path / "home" / "promptfoo.db")
    rescoring = ("--results", "results.json", "--expected", "right")
    found = audit(tmp_path, toolchain, *pair, "--corpus", database, *rescoring)
    assert found["corpus"]["texts"] == len(REPLIES)
    assert found["corpus"]["files"][0]["eval_id"] == run.results["evalId"]
    counts = {name: count for name, count in found["counts"].items() if count}
    assert counts == {"same": 2, "different": 1, "production_only": 1, "neither": 1}
    assert found["direction"] == "divergent"
    model = found["rescored"]["models"]["model"]
    # Recorded: the three that say APPLY. Of these, two are read otherwise in production.
    assert model["passed"] == {"recorded": 0.6, "least": 0.2, "most": 0.6}
    assert model["expected"] == {"outputs": 5, "eval": 2, "production": 2}
    from_file = audit(tmp_path, toolchain, *pair, "--corpus", "results.json")
    assert from_file["counts"] == found["counts"]
    own = audit(
        tmp_path, toolchain, "--eval", "promptfoo", "--production", "forward", "--corpus", database
    )
    assert own["counts"]["different"] == 1  # promptfoo reads {cost} as an object of its own
    assert own["parsers"]["eval"]["version"] == toolchain.name.removeprefix("promptfoo-")
