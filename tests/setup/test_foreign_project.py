"""Both packages in somebody else's promptfoo project, on every promptfoo that tests are given."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import TOOLCHAINS, Run, Toolchain, evaluate
from voirdire import __version__

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(not TOOLCHAINS, reason="VOIRDIRE_TEST_TOOLCHAINS is not set: run npm test"),
]

SOURCE = "A reader's card costs 12 euros a year. The library opens at 9:00."
DOORS = "file://node_modules/voirdire"
CONFIG = {"rubric": "rubric.yaml", "source": "source.md", "judge": "rules"}
ANSWERS = {
    "right": "A reader's card costs 12 euros a year.",
    "wrong": "A reader's card costs 20 euros a year.",
}


def run(command: list[str | Path], **more: Any) -> str:
    """What a command prints; it must end well."""
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, capture_output=True, encoding="utf-8", check=False, timeout=300, **more
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the npm package, the wheel, and the wheel installed in ``library``."""
    folder = tmp_path_factory.mktemp("the packages")
    npm = shutil.which("npm")
    assert npm is not None
    run([npm, "pack", "--ignore-scripts", "--pack-destination", folder], cwd=ROOT)
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    run([*pip, "wheel", "--no-deps", "-w", folder, ROOT])
    (wheel,) = folder.glob("*.whl")
    run([*pip, "install", "--no-deps", "--target", folder / "library", wheel])
    return folder


@pytest.fixture(
    scope="session", params=TOOLCHAINS or [None], ids=[item["name"] for item in TOOLCHAINS] or None
)
def toolchain(request: pytest.FixtureRequest) -> Toolchain:
    """Every promptfoo that the tests are given."""
    return Toolchain(**request.param)


@pytest.fixture(scope="session")
def project(packages: Path, toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project, a space in its path, with the npm package and that promptfoo."""
    folder = tmp_path_factory.mktemp("somebody's project")
    (folder / "package.json").write_text('{"name": "foreign", "private": true}')
    npm = shutil.which("npm")
    assert npm is not None
    (archive,) = packages.glob("voirdire-*.tgz")
    quiet = ["--offline", "--omit=peer", "--no-audit", "--no-fund", "--loglevel=error"]
    run([npm, "install", "--save-dev", *quiet, archive], cwd=folder)
    promptfoo = Path(toolchain.promptfoo_main).parent.parent.parent
    (folder / "node_modules" / "promptfoo").symlink_to(promptfoo, target_is_directory=True)
    (folder / "source.md").write_text(SOURCE, encoding="utf-8")
    (folder / "rubric.yaml").write_text(
        "name: cards\ncriteria: {grounded: Is every statement in the source?}\n"
    )
    return folder


def environment(packages: Path, toolchain: Toolchain) -> dict[str, str]:
    """The installed wheel before any other library, and the Node of the promptfoo."""
    path = os.pathsep.join([str(Path(toolchain.node).parent), os.environ["PATH"]])
    return {"PYTHONPATH": str(packages / "library"), "PATH": path}


@pytest.fixture(scope="session")
def graded(project: Path, packages: Path, toolchain: Toolchain) -> Run:
    """Both doors on a right and a wrong answer, and the hook beside them."""
    provider = {"id": f"{DOORS}/providers/judge.py", "config": CONFIG}
    asserts = [
        {"type": "python", "value": f"{DOORS}/assertions/grounded.py", "config": CONFIG},
        {"type": "llm-rubric", "value": "Is it grounded?", "provider": provider},
        {
            "type": "python",
            "value": f"{DOORS}/assertions/checks.py",
            "config": {"length": {"max": 100, "unit": "characters"}},
        },
    ]
    suite = {
        "prompts": ["{{answer}}"],
        "providers": ["echo"],
        "extensions": [f"{DOORS}/extensions/named_scores.py:extension_hook"],
        "defaultTest": {"assert": asserts},
        "tests": [
            {"description": name, "vars": {"answer": answer, "question": "What does a card cost?"}}
            for name, answer in ANSWERS.items()
        ],
    }
    return evaluate(toolchain, project, suite, env=environment(packages, toolchain))


def test_both_doors_grade_from_node_modules(graded: Run) -> None:
    for name, outcome in (("right", "pass"), ("wrong", "fail")):
        explicit, drop_in, checks, *_ = graded.grades(name)
        doors = [explicit, drop_in]
        outcomes = [door["metadata"]["voirdire"]["outcome"] for door in doors]
        assert outcomes == [outcome, outcome]
        assert [door["pass"] for door in doors] == [outcome == "pass"] * 2
        assert checks["reason"].startswith("all checks passed")
        # One by the explicit door itself, one by the hook for the drop-in door.
        assert graded.rows[name]["namedScores"][f"judge_{outcome}"] >= 1


def test_the_doctor_finds_all_in_order(
    graded: Run, project: Path, packages: Path, toolchain: Toolchain
) -> None:
    env = {**os.environ, **environment(packages, toolchain), "PROMPTFOO_PYTHON": sys.executable}
    command: list[str | Path] = [sys.executable, "-m", "voirdire", "doctor", "--json"]
    report = json.loads(run(command, cwd=project, env=env))
    assert [one for one in report["checks"] if one["status"] != "ok"] == []
    said = {one["check"]: one["text"] for one in report["checks"]}
    assert said["promptfoo"].startswith(toolchain.name.removeprefix("promptfoo-"))
    assert f"voirdire {__version__}" in said["python"]
    assert f"{__version__} (node_modules/voirdire)" in [one["text"] for one in report["checks"]]


def test_the_wheel_brings_the_command_and_what_it_reads(packages: Path, tmp_path: Path) -> None:
    env = {**os.environ, "PYTHONPATH": str(packages / "library")}
    script = packages / "library" / "bin" / "voirdire"
    assert run([script, "--version"], cwd=tmp_path, env=env).strip().endswith(__version__)
    code = (
        "import voirdire; from voirdire.examination.battery import default_battery;"
        "print(voirdire.__file__, len(default_battery().cases), sep='\\n')"
    )
    where, cases = run([sys.executable, "-c", code], cwd=tmp_path, env=env).splitlines()
    assert Path(where).is_relative_to(packages / "library")
    assert int(cases) > 0
    assert json.loads(run([script, "schema", "assertion"], cwd=tmp_path, env=env))["$defs"]


def test_wheel_and_npm_package_hold_the_same_library(packages: Path) -> None:
    (wheel,) = packages.glob("*.whl")
    (archive,) = packages.glob("voirdire-*.tgz")
    assert archive.name == f"voirdire-{__version__}.tgz"
    assert wheel.name.startswith(f"voirdire-{__version__}-")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    ours = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "voirdire").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert held == ours
    listed = run(["tar", "-tzf", archive]).split()
    packed = {name.removeprefix("package/") for name in listed}
    assert {name for name in packed if name.startswith("voirdire/")} == ours
