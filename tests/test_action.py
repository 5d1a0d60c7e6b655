"""The GitHub action: its steps are run as the runner would, but for installing and posting."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from voirdire.certificate import certify
from voirdire.grade import Setup

BASH = shutil.which("bash") or "bash"
ROOT = Path(__file__).resolve().parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS: dict[str, dict[str, Any]] = {step["name"]: step for step in ACTION["runs"]["steps"]}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A checkout with results and a certificate, and ``voirdire`` on PATH."""
    command = tmp_path / "bin" / "voirdire"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m voirdire "$@"\n')
    command.chmod(0o755)
    row = {
        "provider": {"id": "p", "label": "model"},
        "response": {"output": "x"},
        "vars": {},
        "success": True,
        "gradingResult": {
            "componentResults": [
                {"pass": True, "score": 1, "reason": "so it is", "assertion": {"type": "contains"}}
            ]
        },
    }
    results = {"results": {"version": 3, "results": [row]}}
    (tmp_path / "results.json").write_text(json.dumps(results), encoding="utf-8")
    share = {"k": 9, "n": 10, "low": 0.55, "high": 0.99}
    calibration = {
        "date": "2026-11-01",
        "cases": {"n": 20, "fails": 10, "passes": 10, "decided": 20},
        "agreement": {"value": 0.85, "low": 0.6, "high": 0.95},
        "kappa": {"value": 0.7, "low": 0.4, "high": 0.9},
        "fails_caught": share,
        "passes_kept": share,
        "confusion": {"caught": 9, "missed": 1, "harsh": 2, "kept": 8},
    }
    judge = {"spec": "openai:m", "policy": "strict", **Setup("f" * 64)._asdict()}
    path = tmp_path / "voirdire.certificate.json"
    certify(path, judge, {"name": "r"}, "calibration", calibration)
    return tmp_path


def ran(
    workspace: Path, step: str, *, path: str = os.environ["PATH"], **inputs: str
) -> subprocess.CompletedProcess[str]:
    """A step's script with the action's inputs in its environment."""
    defaults = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()}
    given = {**defaults, "results": "results.json", **inputs}
    environment = {
        **os.environ,
        "PATH": f"{workspace / 'bin'}:{path}",
        "PYTHONPATH": str(ROOT),
        "RUNNER_TEMP": str(workspace),
        "GITHUB_JOB": "evals",
        "GITHUB_STEP_SUMMARY": str(workspace / "summary.md"),
    }
    for name, value in STEPS[step].get("env", {}).items():
        wanted = str(value).removeprefix("${{ inputs.").removesuffix(" }}")
        environment[name] = given.get(wanted, "")
    script = [BASH, "-eo", "pipefail", "-c", STEPS[step]["run"]]
    return subprocess.run(
        script, cwd=workspace, env=environment, capture_output=True, text=True, check=False
    )


def test_the_report_is_written_and_stands_in_the_summary(workspace: Path) -> None:
    done = ran(workspace, "Report")
    assert done.returncode == 0, done.stderr
    assert (workspace / "voirdire-report.html").exists()
    assert "model" in (workspace / "summary.md").read_text("utf-8")
    (workspace / "voirdire.certificate.json").unlink()
    assert ran(workspace, "Report").returncode == 0


def test_the_gate_fails_the_judge_and_only_the_judge(workspace: Path) -> None:
    assert ran(workspace, "Gate of the judge").returncode == 0
    assert ran(workspace, "Gate of the judge", gate="--min-kappa 0.8").returncode == 1


def test_no_input_is_put_into_a_script() -> None:
    """It would be run: inputs reach the scripts through the environment alone."""
    for step in STEPS.values():
        assert "inputs." not in step["run"]
        assert "github.event" not in step["run"]
        assert "github.action_path" not in step["run"]


def test_a_report_that_cannot_be_posted_fails_nothing_and_says_so(workspace: Path) -> None:
    """From a fork the token may only read."""
    (workspace / "voirdire-report.md").write_text("### voirdire\n", "utf-8")
    (workspace / "bin" / "cat").symlink_to(shutil.which("cat") or "/bin/cat")
    done = ran(workspace, "Post the report", path="/nowhere")  # where there is no gh
    assert done.returncode == 0
    assert "::warning::the report was not posted" in done.stdout
    posted = (workspace / "voirdire-comment.md").read_text("utf-8")
    assert posted == "<!-- voirdire evals -->\n### voirdire\n"


def test_whatever_gates_comes_after_the_report_and_whether_or_not_another_gate_failed() -> None:
    names = list(STEPS)
    for gate in ("Checks", "Parsers that were audited", "Gate of the judge"):
        assert names.index(gate) > names.index("Post the report")
        assert "!cancelled()" in STEPS[gate]["if"]


def test_the_comment_of_another_action_is_not_written_over() -> None:
    """All of them may be of the same author: the last one need not be ours."""
    assert "--edit-last" not in STEPS["Post the report"]["run"]
