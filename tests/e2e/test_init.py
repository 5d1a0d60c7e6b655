"""`voirdire init` on projects of others, run with the real promptfoo before and after."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import FAILED_TESTS, Promptfoo, Run

ROOT = Path(__file__).resolve().parent.parent.parent
PROJECTS = ROOT / "tests/initial/projects"

pytestmark = pytest.mark.e2e

# What a judge by rule makes of each test that its door grades, in order.
SEEN = {
    "handbook": {"leave": ["pass"], "parental": ["fail"]},
    # The first rubric asks whether days are named, too, which no rule decides.
    "refunds": {"kettle": ["undecided", "pass"], "shoe": ["undecided", "fail"]},
    "resumes": {
        "seller": ["pass", "pass"],
        "tailored Lead": ["pass", "pass"],
        "tailored Engineer": ["fail", "fail"],
    },
}


def init(folder: Path, *args: str) -> tuple[int, str]:
    """The exit code and standard output of `voirdire init`."""
    command = [sys.executable, "-m", "voirdire", "init", *args]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, encoding="utf-8", check=False, timeout=60
    )
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


def outcomes(run: Run) -> dict[str, list[str]]:
    """What voirdire's door decided in each test, in order; the tests of a scenario by their var."""
    found: dict[str, list[str]] = {}
    for row in run.results["results"]["results"]:
        name = row["testCase"]["description"]
        name = f"{name} {row['vars']['posting']}" if name == "tailored" else name
        assert name not in found
        kept = [item.get("metadata") or {} for item in row["gradingResult"]["componentResults"]]
        found[name] = [item["voirdire"]["outcome"] for item in kept if "voirdire" in item]
    return found


def files(folder: Path) -> dict[str, bytes]:
    """Every file of a project, but what a run leaves."""
    left = ("results.json", "journal.jsonl", "cache.sqlite")
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
        and path.name not in left
        and not {"home", "__pycache__", ".voirdire"} & set(path.relative_to(folder).parts)
    }


@pytest.mark.parametrize("name", SEEN)
def test_a_blind_suite_passes_all_and_grounded_it_fails_what_is_wrong(
    name: str, promptfoo: Promptfoo, folders: Callable[[str], Path]
) -> None:
    folder = folders(name)
    shutil.copytree(PROJECTS / name, folder, dirs_exist_ok=True)
    blind = promptfoo(folder)
    assert blind.code == 0, blind.printed
    assert outcomes(blind) == {test: [] for test in SEEN[name]}

    code, shown = init(folder)
    assert code == 1
    assert "BLIND" in shown
    code, shown = init(folder, "--write", "--judge", "rules")
    assert code == 0, shown

    grounded = promptfoo(folder)
    assert grounded.code == FAILED_TESTS, grounded.printed
    assert outcomes(grounded) == SEEN[name]
    written = files(folder)
    code, shown = init(folder, "--write")
    assert code == 0
    assert "nothing to write" in shown
    assert files(folder) == written


def test_an_empty_folder_becomes_a_project_that_passes_at_once(
    promptfoo: Promptfoo, folders: Callable[[str], Path]
) -> None:
    folder = folders("a beginning")
    assert init(folder, "--write")[0] == 0
    run = promptfoo(folder)
    assert run.code == 0, run.printed
    assert outcomes(run) == {f"shop-{number}": ["pass"] for number in (1, 2, 3)}
    again: dict[str, Any] = json.loads(init(folder, "--json")[1])
    assert [item["status"] for item in again["assertions"]] == ["grounded"]


def test_the_door_of_the_npm_package_is_taken_where_that_is_installed(
    promptfoo: Promptfoo, folders: Callable[[str], Path]
) -> None:
    folder = folders("a beginning with npm")
    package = folder / "node_modules/voirdire"
    for part in ("voirdire", "providers"):
        shutil.copytree(ROOT / part, package / part, ignore=shutil.ignore_patterns("__pycache__"))
    assert init(folder, "--write")[0] == 0
    assert not (folder / "voirdire_judge.py").exists()
    run = promptfoo(folder)
    assert run.code == 0, run.printed
    assert outcomes(run)["shop-1"] == ["pass"]
