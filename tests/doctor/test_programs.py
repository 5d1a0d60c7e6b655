"""promptfoo, Node and Python: which are found, and which do not fit."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.doctor.conftest import ROOT, Doctor, explicit, package, program, suite
from voirdire import __version__
from voirdire.doctor.programs import OLDEST

SYSTEM = f"{os.defpath}{os.pathsep}/usr/bin{os.pathsep}/bin"


def test_promptfoo_is_found_in_node_modules_of_a_folder_above(
    doctor: Doctor, project: Path
) -> None:
    package(project.parent, "promptfoo", "0.121.20")
    found = doctor().one("promptfoo")
    assert found["status"] == "ok"
    assert found["text"].startswith("0.121.20 (")


def test_promptfoo_is_found_on_path(doctor: Doctor, project: Path) -> None:
    place = package(project.parent / "global", "promptfoo", "0.122.0")
    program(place / "bin", "promptfoo", "exit 1")
    tools = program(project.parent / "tools", "node", "echo v22.22.1").parent
    (tools / "promptfoo").symlink_to(place / "bin" / "promptfoo")
    seen = doctor(PATH=f"{tools}{os.pathsep}{SYSTEM}")
    assert seen.one("promptfoo")["text"].startswith("0.122.0 (")
    assert seen.one("node")["status"] == "ok"


def test_no_promptfoo_is_a_warning_for_npx_may_fetch_it(doctor: Doctor, project: Path) -> None:
    tools = program(project.parent / "tools", "node", "echo v22.22.1").parent
    found = doctor(PATH=f"{tools}{os.pathsep}/bin").one("promptfoo")
    assert found["status"] == "warning"
    assert found["mend"] == "npm install --save-dev promptfoo"


@pytest.mark.parametrize("version", ["0.120.9", "0.121.17", "", "abc"])
def test_an_old_or_broken_promptfoo_is_a_problem(
    doctor: Doctor, project: Path, version: str
) -> None:
    package(project, "promptfoo", version)
    seen = doctor()
    assert seen.one("promptfoo")["status"] == "problem"
    assert seen.code == 1


@pytest.mark.parametrize(
    ("node", "promptfoo", "status"),
    [
        ("v20.20.0", "0.121.20", "ok"),
        ("v20.20.0", "0.123.1", "problem"),
        ("v20.19.9", "0.121.20", "problem"),
        ("v21.7.0", "0.121.20", "problem"),
        ("v22.21.0", "0.123.1", "problem"),
        ("v22.22.0", "0.123.1", "ok"),
        ("v24.1.0", "0.123.1", "ok"),
        ("no version", "0.123.1", "problem"),
    ],
)
def test_node_must_fit_promptfoo(
    doctor: Doctor, project: Path, node: str, promptfoo: str, status: str
) -> None:
    package(project, "promptfoo", promptfoo)
    tools = program(project.parent / "tools", "node", f"echo {node}").parent
    seen = doctor(PATH=f"{tools}{os.pathsep}{SYSTEM}")
    assert seen.one("node")["status"] == status


def test_the_oldest_promptfoo_is_what_the_npm_package_says() -> None:
    peers = json.loads((ROOT / "package.json").read_text())["peerDependencies"]
    assert peers["promptfoo"] == ">=" + ".".join(map(str, OLDEST))


def test_a_python_with_the_library_is_ok(doctor: Doctor) -> None:
    found = doctor().one("python")
    assert found["status"] == "ok"
    assert f"voirdire {__version__}" in found["text"]


def test_the_suites_python_goes_before_promptfoo_python_and_that_before_path(
    doctor: Doctor, project: Path
) -> None:
    mine = project.parent / "mine"
    mine.symlink_to(sys.executable)
    provider = {"id": "file://p.py", "config": {"pythonExecutable": str(mine)}}
    given = {**suite(explicit()), "providers": [provider]}
    assert "the suite's pythonExecutable" in doctor(suite=given).one("python")["text"]
    (project / "promptfooconfig.yaml").unlink()
    assert "takes PROMPTFOO_PYTHON" in doctor().one("python")["text"]
    tools = program(project.parent / "tools", "python", f'exec "{sys.executable}" "$@"').parent
    seen = doctor(PATH=f"{tools}{os.pathsep}{SYSTEM}", PROMPTFOO_PYTHON="")
    assert "`python` on PATH" in seen.one("python")["text"]


def test_python3_is_taken_where_python_is_no_python(doctor: Doctor, project: Path) -> None:
    tools = project.parent / "tools"
    program(tools, "python", "echo something else")
    program(tools, "python3", f'exec "{sys.executable}" "$@"')
    seen = doctor(PATH=f"{tools}{os.pathsep}{SYSTEM}", PROMPTFOO_PYTHON="")
    assert "`python3` on PATH" in seen.one("python")["text"]


def test_a_named_python_that_does_not_run_is_a_problem(doctor: Doctor, project: Path) -> None:
    seen = doctor(PROMPTFOO_PYTHON=str(project / "no such"))
    assert seen.code == 1
    assert seen.one("python")["status"] == "problem"
    assert sys.executable in seen.one("python")["mend"]


def test_a_python_without_what_the_doors_need_is_a_problem(doctor: Doctor, project: Path) -> None:
    bare = program(project.parent / "tools", "bare", f'exec "{sys.executable}" -S "$@"')
    found = doctor(PROMPTFOO_PYTHON=str(bare)).one("python")
    assert found["status"] == "problem"
    assert "there is no yaml" in found["text"]
    assert f"pip install voirdire=={__version__}" in found["mend"]


def test_a_python_that_is_too_old_is_a_problem(doctor: Doctor, project: Path) -> None:
    said = '{\\"version\\": [3, 9, 1], \\"voirdire\\": null, \\"missing\\": []}'
    old = program(
        project.parent / "tools",
        "old",
        f'[ "$1" = --version ] && echo Python 3.9.1 || echo "{said}"',
    )
    found = doctor(PROMPTFOO_PYTHON=str(old)).one("python")
    assert found["status"] == "problem"
    assert "3.10" in found["text"]


def test_pythons_that_differ_are_a_warning(doctor: Doctor) -> None:
    first = {"id": "file://p.py", "config": {"pythonExecutable": sys.executable}}
    given = {**suite(explicit()), "providers": [first, "file://q.py"]}
    found = doctor(suite=given).of("python")
    assert [one["status"] for one in found] == ["ok", "warning"]


def installed(project: Path) -> Path:
    """voirdire in node_modules, its doors and library."""
    place = project / "node_modules" / "voirdire"
    ignore = shutil.ignore_patterns("__pycache__")
    for name in ("assertions", "providers", "extensions", "voirdire"):
        shutil.copytree(ROOT / name, place / name, ignore=ignore)
    shutil.copy(ROOT / "package.json", place)
    return place


def test_the_doors_of_node_modules_are_opened(doctor: Doctor, project: Path) -> None:
    place = installed(project)
    found = doctor().of("doors")
    assert [one["status"] for one in found] == ["ok", "ok"]
    assert str(place) in found[0]["text"]


def test_a_door_that_does_not_open_is_a_problem(doctor: Doctor, project: Path) -> None:
    place = installed(project)
    (place / "assertions" / "grounded.py").write_text("raise RuntimeError('it is shut')\n")
    (place / "assertions" / "checks.py").write_text("raise SystemExit(3)\n")
    shut = [one["text"] for one in doctor().of("doors") if one["status"] == "problem"]
    assert len(shut) == 2
    assert any("assertions/grounded.py" in text and "it is shut" in text for text in shut)


def test_doors_of_another_version_are_a_problem(doctor: Doctor, project: Path) -> None:
    place = installed(project)
    (place / "package.json").write_text(json.dumps({"name": "voirdire", "version": "9.9.9"}))
    found = doctor().of("doors")[0]
    assert found["status"] == "problem"
    assert "9.9.9" in found["text"]
    assert found["mend"].endswith(f"voirdire@{__version__}")
