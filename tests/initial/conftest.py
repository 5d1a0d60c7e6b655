"""Projects in folders of their own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from voirdire.cli.init import command

PROJECTS = Path(__file__).parent / "projects"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder that nothing above it belongs to."""
    (tmp_path / ".git").mkdir()  # no node_modules is looked for beyond
    return tmp_path


@pytest.fixture
def project(folder: Path) -> Callable[[str], Path]:
    """Copies one of the projects."""

    def copy(name: str) -> Path:
        shutil.copytree(PROJECTS / name, folder, dirs_exist_ok=True)
        return folder

    return copy


@pytest.fixture
def suite(folder: Path) -> Callable[[str], Path]:
    """Writes a suite, its line ends as they are."""

    def write(text: str, name: str = "promptfooconfig.yaml") -> Path:
        path = folder / name
        path.write_bytes(text.encode())
        return path

    return write


@pytest.fixture
def init(folder: Path) -> Callable[..., Result]:
    """Runs the command on the folder; an error of ours is the result's ``exception``."""

    def run(*args: str) -> Result:
        arguments: list[Any] = [str(folder), *args]
        return CliRunner().invoke(command, arguments, standalone_mode=False)

    return run
