"""Before anything is installed: what is missing is said in one sentence, with its mend."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NODE = shutil.which("node") or "node"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")


def stand_in(folder: Path, name: str, version: tuple[int, int], venv: bool = True) -> None:
    """Put a Python on PATH that answers the launcher's question, and names itself if run."""
    answer = json.dumps({"version": version, "path": str(folder / name), "venv": venv})
    script = f"#!/bin/sh\nif [ \"$2\" = -c ]; then echo '{answer}'; else echo chose {name}; fi\n"
    (folder / name).write_text(script)
    (folder / name).chmod(0o755)


def launch(path: Path, *node_options: str, **environment: str) -> tuple[int, str]:
    scripts = path / "checkout" / "scripts"
    scripts.mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "launch.mjs", scripts)
    done = subprocess.run(
        [NODE, *node_options, scripts / "launch.mjs", "eval"],
        env={"PATH": str(path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def is_one_sentence(said: str) -> bool:
    return said.startswith("voirdire: ") and said.count("\n") == 1 and said.endswith(".\n")


def test_no_python(tmp_path: Path) -> None:
    code, said = launch(tmp_path)
    assert code == 2
    assert is_one_sentence(said)
    assert "Python from 3.10" in said


def test_only_an_old_python(tmp_path: Path) -> None:
    stand_in(tmp_path, "python3", (3, 9))
    code, said = launch(tmp_path)
    assert code == 2
    assert is_one_sentence(said)
    assert f"{tmp_path}/python3 is older" in said


def test_python_without_venv(tmp_path: Path) -> None:
    stand_in(tmp_path, "python3", (3, 11), venv=False)
    code, said = launch(tmp_path)
    assert code == 2
    assert is_one_sentence(said)
    assert "apt install python3.11-venv" in said


@pytest.mark.parametrize(
    ("pythons", "chosen"),
    [
        ({"python3": (3, 10)}, "python3"),
        ({"python3": (3, 9), "python": (2, 7), "python3.12": (3, 12)}, "python3.12"),
        ({"python3": (3, 12), "python3.13": (3, 13)}, "python3"),
        ({"python3": (3, 14), "python3.11": (3, 11)}, "python3.11"),
        ({"python": (3, 14)}, "python"),
    ],
)
def test_the_users_own_python_is_taken_where_it_will_do(
    tmp_path: Path, pythons: dict[str, tuple[int, int]], chosen: str
) -> None:
    for name, version in pythons.items():
        stand_in(tmp_path, name, version)
    assert launch(tmp_path) == (0, f"chose {chosen}\n")


def test_a_python_that_does_not_start_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 127\n")
    (tmp_path / "python3").chmod(0o755)
    stand_in(tmp_path, "python3.10", (3, 10))
    assert launch(tmp_path) == (0, "chose python3.10\n")


@pytest.mark.parametrize(
    ("version", "runs"),
    [
        ("18.20.8", False),
        ("20.19.5", False),
        ("20.20.0", True),
        ("21.7.3", False),
        ("22.21.1", False),
        ("22.22.0", True),
        ("24.1.0", True),
    ],
)
def test_a_node_that_promptfoo_refuses(tmp_path: Path, version: str, runs: bool) -> None:
    disguise = tmp_path / "disguise.cjs"
    disguise.write_text(
        "const versions = { ...process.versions, node: process.env.DISGUISE };\n"
        "Object.defineProperty(process, 'versions', { value: versions });\n"
    )
    stand_in(tmp_path, "python3", (3, 11))
    code, said = launch(tmp_path, f"--require={disguise}", DISGUISE=version)
    if runs:
        assert (code, said) == (0, "chose python3\n")
    else:
        assert code == 2
        assert is_one_sentence(said)
        assert f"Node {version}" in said
        assert "22.22" in said
