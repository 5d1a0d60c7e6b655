"""The doors as promptfoo opens them, from what npm packs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOORS = [
    path
    for folder in ("assertions", "providers", "extensions")
    for path in (ROOT / folder).iterdir()
    if path.suffix == ".py"
]

# What promptfoo's wrappers do with a script: its folder first on the path, the script no module
# of sys.modules. Written here anew, so that it runs where promptfoo is not installed; the
# end-to-end tests use promptfoo's own.
WRAPPER = """\
import importlib.util, json, os, sys
script, function, arguments, result = sys.argv[1:]
sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
spec = importlib.util.spec_from_file_location(os.path.basename(script).rsplit(".", 1)[0], script)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
with open(arguments, encoding="utf-8") as file:
    given = json.load(file)
value = getattr(module, function)(*given)
with open(result, "w", encoding="utf-8") as file:
    json.dump({"data": value}, file, ensure_ascii=False)
"""

VERDICT = {
    "critique": "So it says.",
    "criteria": {"grounded": True},
    "evidence": ["The link lasts 30 minutes."],
    "verdict": "pass",
    "confidence": 1,
}


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What npm packs, unpacked as it would lie in somebody's node_modules."""
    npm = shutil.which("npm")
    assert npm is not None
    folder = tmp_path_factory.mktemp("a project")
    command = [npm, "pack", "--json", "--ignore-scripts", "--pack-destination", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    (packed,) = json.loads(done.stdout)
    with tarfile.open(folder / packed["filename"]) as archive:
        for member in archive.getmembers():
            archive.extract(member, folder / "node_modules")
    target = folder / "node_modules" / "voirdire"
    (folder / "node_modules" / "package").rename(target)
    return target


@pytest.fixture(scope="session")
def project(package: Path) -> Path:
    """The project that uses the package, with files that are named like modules of Python's."""
    folder = package.parent.parent
    (folder / "source.md").write_text("The link lasts 30 minutes.")
    (folder / "rubric.yaml").write_text("name: r\ncriteria: {grounded: Is it in the source?}\n")
    (folder / "replies.jsonl").write_text(json.dumps({"id": "1", "reply": json.dumps(VERDICT)}))
    (folder / "answers.jsonl").write_text(json.dumps({"id": "1", "answer": "30 minutes"}))
    for name in ("statistics", "json", "dataclasses", "yaml", "voirdire", "requests", "types"):
        (folder / f"{name}.py").write_text("raise SystemExit('a file of the user was imported')\n")
    return folder


def open_door(project: Path, door: Path, function: str, arguments: list[Any]) -> dict[str, Any]:
    """Call a door's function in the way of promptfoo's wrapper, from the project's folder."""
    scratch = project / "scratch"
    scratch.mkdir(exist_ok=True)
    (scratch / "wrapper.py").write_text(WRAPPER)
    (scratch / "in.json").write_text(json.dumps(arguments))
    (scratch / "out.json").unlink(missing_ok=True)
    command = [sys.executable, str(scratch / "wrapper.py"), str(door), function]
    command += [str(scratch / "in.json"), str(scratch / "out.json")]
    done = subprocess.run(
        command, cwd=project, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    data: dict[str, Any] = json.loads((scratch / "out.json").read_text("utf-8"))["data"]
    return data


def environment() -> dict[str, str]:
    """Without a path that would find the library somewhere else than in the package."""
    return {
        name: value
        for name, value in os.environ.items()
        if name != "PYTHONPATH" and not name.startswith("VOIRDIRE_")
    }


CONFIG = {"rubric": "rubric.yaml", "source": "source.md", "judge": "replay:replies.jsonl"}
VARS = {"case_id": "1", "question": "How long?"}


def test_the_assertion_works_from_an_npm_package(package: Path, project: Path) -> None:
    context = {"vars": VARS, "config": CONFIG, "test": {"assert": []}}
    arguments = ["It lasts 30 minutes.", context]
    door = package / "assertions" / "grounded.py"
    result = open_door(project, door, "get_assert", arguments)
    assert result["pass"] is True
    assert result["metadata"]["voirdire"]["outcome"] == "pass"


def test_the_grading_provider_works_from_an_npm_package(package: Path, project: Path) -> None:
    vars_ = {**VARS, "output": "It lasts 30 minutes.", "rubric": "Is it?"}
    context = {"vars": vars_, "prompt": {"label": "llm-rubric"}}
    arguments = ["", {"config": CONFIG}, context]
    door = package / "providers" / "judge.py"
    result = open_door(project, door, "call_api", arguments)
    assert result["output"]["pass"] is True


def test_recorded_texts_come_from_an_npm_package(package: Path, project: Path) -> None:
    arguments = ["", {"config": {"answers": "answers.jsonl"}}, {"vars": VARS}]
    result = open_door(project, package / "providers" / "replay.py", "call_api", arguments)
    assert result["output"] == "30 minutes"


def test_the_hook_works_from_an_npm_package(package: Path, project: Path) -> None:
    graded = {"metadata": {"voirdire": {"outcome": "undecided"}}}
    context = {"result": {"gradingResult": {"componentResults": [graded]}}}
    door = package / "extensions" / "named_scores.py"
    result = open_door(project, door, "extension_hook", ["afterEach", context])
    assert result["result"]["namedScores"]["judge_undecided"] == 1


@pytest.mark.parametrize("door", DOORS, ids=lambda path: path.name)
def test_no_door_shadows_a_module(door: Path) -> None:
    """Its folder is first on the path: a name of Python's or of a dependency would hide that."""
    dependencies = {"voirdire", "yaml", "click", "requests", "urllib3", "certifi", "idna"}
    assert door.stem not in sys.stdlib_module_names | dependencies | {"charset_normalizer"}


@pytest.mark.parametrize("door", DOORS, ids=lambda path: path.name)
def test_a_door_is_a_few_lines(door: Path) -> None:
    code = [line for line in door.read_text("utf-8").splitlines() if line.strip()]
    assert len(code) <= 20


def wrappers() -> Iterator[tuple[str, Path]]:
    """The wrappers of each promptfoo that the tests are given."""
    for item in json.loads(os.environ.get("VOIRDIRE_TEST_TOOLCHAINS") or "[]"):
        yield item["name"], Path(item["promptfoo_main"]).parent / "python"


WRAPPERS = dict(wrappers())


@pytest.mark.e2e
@pytest.mark.skipif(not WRAPPERS, reason="VOIRDIRE_TEST_TOOLCHAINS is not set: run npm test")
@pytest.mark.parametrize("name", WRAPPERS)
def test_promptfoos_own_wrappers_open_both_doors(name: str, package: Path, project: Path) -> None:
    given, out = project / "given.json", project / "out.json"
    context: dict[str, Any] = {"vars": VARS, "config": CONFIG, "test": {"assert": []}}
    given.write_text(json.dumps(["It lasts 30 minutes.", context]))
    command = [sys.executable, str(WRAPPERS[name] / "wrapper.py")]
    command += [str(package / "assertions" / "grounded.py"), "get_assert", str(given), str(out)]
    subprocess.run(command, cwd=project, env=environment(), capture_output=True, check=True)
    assert json.loads(out.read_text("utf-8"))["data"]["pass"] is True

    vars_ = {**VARS, "output": "It lasts 30 minutes.", "rubric": "Is it?"}
    context = {"vars": vars_, "prompt": {"label": "llm-rubric"}}
    given.write_text(json.dumps(["", {"config": CONFIG}, context]))
    command = [sys.executable, str(WRAPPERS[name] / "persistent_wrapper.py")]
    command += [str(package / "providers" / "judge.py"), "call_api"]
    calls = "".join(
        f"CALL|call_api|{given}|{project / f'out {number}.json'}\n" for number in range(3)
    )
    done = subprocess.run(
        command,
        cwd=project,
        env=environment(),
        input=calls + "SHUTDOWN\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "READY" in done.stdout
    for number in range(3):
        answered = json.loads((project / f"out {number}.json").read_text("utf-8"))
        assert answered["type"] == "result", answered
        assert answered["data"]["output"]["pass"] is True
