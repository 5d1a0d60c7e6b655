"""The README's promises: its commands run, its tables are what was measured."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "output" / "results.json"
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
COMMANDS = [
    line.partition(" #")[0].strip() for block in BLOCKS for line in block.splitlines() if line
]
OURS = [command for command in COMMANDS if command.startswith(".venv/bin/voirdire ")]


def test_every_command_of_the_readme_is_one_of_ours_or_npms() -> None:
    scripts = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["scripts"]
    assert OURS
    for command in COMMANDS:
        words = shlex.split(command)
        assert command in OURS or words[-1] in scripts, command


@pytest.fixture(scope="module")
def evaluated() -> subprocess.CompletedProcess[str]:
    """``npm run eval``, from no results."""
    if "VOIRDIRE_TEST_TOOLCHAINS" not in os.environ:
        pytest.skip("npm test sets up what this needs")
    RESULTS.unlink(missing_ok=True)
    return subprocess.run(
        ["npm", "run", "eval"], cwd=ROOT, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("command", OURS)
def test_a_command_of_the_readme_does_what_it_says(
    command: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    environment = {**os.environ, "VOIRDIRE_JOURNAL": str(tmp_path / "journal.jsonl")}
    environment["VOIRDIRE_CACHE"] = str(tmp_path / "cache.sqlite")
    words = [sys.executable, "-m", "voirdire", *shlex.split(command)[1:]]
    if "output/results.json" in words:
        request.getfixturevalue("evaluated")
    if "promptfoo" in words:
        if "VOIRDIRE_TEST_TOOLCHAINS" not in os.environ:
            pytest.skip("npm test sets up the promptfoo that this needs")
        main = json.loads(os.environ["VOIRDIRE_TEST_TOOLCHAINS"])[0]["promptfoo_main"]
        environment["VOIRDIRE_PROMPTFOO"] = str(Path(main).parents[2])
    if "journal" in words or "cache" in words:
        first = shlex.split(next(one for one in OURS if " judge " in one))[1:]
        subprocess.run(
            [sys.executable, "-m", "voirdire", *first], cwd=ROOT, env=environment, check=True
        )
    done = subprocess.run(
        words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_the_pages_of_the_commands_are_what_they_say() -> None:
    words = [sys.executable, str(ROOT / "scripts" / "command_pages.py"), "--check"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.e2e
def test_npm_run_eval_ends_well_and_leaves_results_for_the_viewer(
    evaluated: subprocess.CompletedProcess[str],
) -> None:
    assert evaluated.returncode == 0, evaluated.stdout[-3000:] + evaluated.stderr[-3000:]
    assert "came out as their golden labels expect" in evaluated.stdout
    assert RESULTS.exists()


@pytest.mark.e2e
def test_npm_run_judge_fails_the_recorded_judge_and_says_why() -> None:
    if "VOIRDIRE_TEST_TOOLCHAINS" not in os.environ:
        pytest.skip("npm test sets up what this needs")
    done = subprocess.run(
        ["npm", "run", "judge"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout[-3000:] + done.stderr[-3000:]
    assert "agreement            0.83" in done.stdout
    assert "FAILS  fails_caught" in done.stdout
    rows = json.loads((ROOT / "output" / "judge.json").read_text("utf-8"))["results"]["results"]
    assert sum(row["success"] for row in rows) == 10
    assert len(rows) == 12


@pytest.mark.e2e
def test_npm_run_audit_writes_its_report() -> None:
    if "VOIRDIRE_TEST_TOOLCHAINS" not in os.environ:
        pytest.skip("npm test sets up what this needs")
    path = ROOT / "output" / "parser_permissiveness.json"
    path.unlink(missing_ok=True)
    done = subprocess.run(
        ["npm", "run", "audit"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    report = json.loads(path.read_text("utf-8"))
    assert report["direction"] == "divergent"
    assert report["mutations"]["texts"] == 1000


@pytest.mark.e2e
def test_the_audits_that_are_shown_are_what_the_parsers_say() -> None:
    if "VOIRDIRE_TEST_TOOLCHAINS" not in os.environ:
        pytest.skip("npm test sets up what this needs")
    for tools in json.loads(os.environ["VOIRDIRE_TEST_TOOLCHAINS"]):
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "audit_tables.py", "--check", "--golden-only"],
            env={**os.environ, "VOIRDIRE_TEST_TOOLCHAINS": json.dumps([tools])},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{tools['name']}: {done.stdout}{done.stderr}"


@pytest.mark.e2e
def test_the_audit_of_real_replies_is_what_the_parsers_say() -> None:
    data = Path(os.environ.get("VOIRDIRE_DATA") or ROOT.parent / "shared" / "data")
    if "VOIRDIRE_TEST_TOOLCHAINS" not in os.environ:
        pytest.skip("npm test sets up what this needs")
    if not (data / "reasoning_gym").is_dir():
        pytest.skip(f"{data}: the public data is not here (VOIRDIRE_DATA names its folder)")
    words = [sys.executable, str(ROOT / "scripts" / "audit_tables.py"), "--check"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.e2e
def test_the_readings_table_is_what_promptfoo_says() -> None:
    if "VOIRDIRE_TEST_TOOLCHAINS" not in os.environ:
        pytest.skip("npm test sets up what this needs")
    for tools in json.loads(os.environ["VOIRDIRE_TEST_TOOLCHAINS"]):
        done = subprocess.run(
            [sys.executable, ROOT / "scripts" / "readings_table.py", "--check"],
            env={**os.environ, "VOIRDIRE_TEST_TOOLCHAINS": json.dumps([tools])},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{tools['name']}: {done.stdout}{done.stderr}"
