"""The real promptfoo, run on suites that the tests write."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

TOOLCHAINS = json.loads(os.environ.get("VOIRDIRE_TEST_TOOLCHAINS") or "[]")
FAILED_TESTS = 100


@dataclass(frozen=True)
class Toolchain:
    """A promptfoo and the Node that runs it."""

    name: str
    node: str
    promptfoo_main: str

    @property
    def python_folder(self) -> Path:
        """Where promptfoo keeps the wrappers that run Python scripts."""
        return Path(self.promptfoo_main).parent / "python"


@dataclass(frozen=True)
class Run:
    """What a run of promptfoo left behind."""

    code: int
    printed: str
    folder: Path

    @cached_property
    def results(self) -> dict[str, Any]:
        """The results file, parsed."""
        path = self.folder / "results.json"
        assert path.exists(), f"promptfoo ended with {self.code} and no results:\n{self.printed}"
        parsed: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return parsed

    @cached_property
    def rows(self) -> dict[str, dict[str, Any]]:
        """The tests' results by their description; every one must have one of its own."""
        found: dict[str, dict[str, Any]] = {}
        for row in self.results["results"]["results"]:
            name = row["testCase"]["description"]
            assert name not in found, f"{name} came out twice"
            found[name] = row
        return found

    def grades(self, name: str) -> list[dict[str, Any]]:
        """One test's assertions, in order."""
        grades: list[dict[str, Any]] = self.rows[name]["gradingResult"]["componentResults"]
        return grades

    @property
    def journal(self) -> Path:
        """The journal of the run."""
        return self.folder / "journal.jsonl"


ON_ONE = (
    # What reads its files and pages.
    "test_init",
    "test_ratings",
    "test_report",
    "test_run",
    "test_viewer",
    # What lies behind the doors. That the doors are the same on both is told by the others.
    "test_budget",
    "test_cache",
    "test_real_judges",
    "test_suites",
    "test_verdict_cache",
)
"""Tried on the first promptfoo alone, unless VOIRDIRE_TEST_ALL is set."""
ON_OTHERS = ("test_demonstration",)
"""Tried on the others alone: ``npm run eval``, which is tried too, runs it on the first."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the second promptfoo to the tests of the doors: it doubles the time of each."""
    if os.environ.get("VOIRDIRE_TEST_ALL") or len(TOOLCHAINS) < 2:
        return
    names = [f"[{tools['name']}" for tools in TOOLCHAINS]
    without = {**dict.fromkeys(ON_ONE, names[1:]), **dict.fromkeys(ON_OTHERS, names[:1])}
    left = [
        item
        for item in items
        if item.path.parent == Path(__file__).parent
        and any(name in item.name for name in without.get(item.path.stem, ()))
    ]
    items[:] = [item for item in items if item not in left]
    config.hook.pytest_deselected(items=left)


Promptfoo = Callable[..., Run]


@pytest.fixture(
    scope="session",
    params=TOOLCHAINS or [None],
    ids=[item["name"] for item in TOOLCHAINS] or ["no-promptfoo"],
)
def toolchain(request: pytest.FixtureRequest) -> Toolchain:
    """Every promptfoo that ``npm test`` installed, one after the other."""
    if request.param is None:
        pytest.skip(
            "VOIRDIRE_TEST_TOOLCHAINS is not set: `npm test` installs promptfoo and sets it"
        )
    return Toolchain(**request.param)


@pytest.fixture(scope="session")
def promptfoo(toolchain: Toolchain) -> Promptfoo:
    """Runs ``promptfoo eval`` on a suite in a folder; see :func:`evaluate`."""

    def run(folder: Path, suite: Mapping[str, Any] | None = None, *args: str, **more: Any) -> Run:
        return evaluate(toolchain, folder, suite, *args, **more)

    return run


def evaluate(
    toolchain: Toolchain,
    folder: Path,
    suite: Mapping[str, Any] | None = None,
    *args: str,
    cwd: Path | None = None,
    config: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Run:
    """Write ``suite`` into ``folder`` and evaluate it there; home, journal and cache are its own.

    Args:
        toolchain: which promptfoo.
        folder: gets ``promptfooconfig.yaml``, ``results.json`` and ``journal.jsonl``.
        suite: the configuration; ``None`` where it is there already.
        args: further arguments.
        cwd: where promptfoo is started, the folder itself by default.
        config: the configuration's path, if it is another.
        env: further environment.
    """
    path = config or folder / "promptfooconfig.yaml"
    if suite is not None:
        path.write_text(json.dumps(suite, ensure_ascii=False), encoding="utf-8")
    (folder / "results.json").unlink(missing_ok=True)
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PROMPTFOO_", "VOIRDIRE_", "OPENAI_", "ANTHROPIC_"))
    }
    environment = {
        **kept,
        "PROMPTFOO_CONFIG_DIR": str(folder / "home"),
        "PROMPTFOO_PYTHON": sys.executable,
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_SHARING": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        "PROMPTFOO_FAILED_TEST_EXIT_CODE": str(FAILED_TESTS),
        # It starts so many processes for every provider that a suite names.
        "PROMPTFOO_PYTHON_WORKERS": "1",
        "VOIRDIRE_JOURNAL": str(folder / "journal.jsonl"),
        "VOIRDIRE_CACHE": str(folder / "cache.sqlite"),
        "NO_PROXY": "*",
        **(env or {}),
    }
    command = [toolchain.node, toolchain.promptfoo_main, "eval", "-c", str(path)]
    command += ["-o", str(folder / "results.json"), "--no-table", "--no-progress-bar", *args]
    done = subprocess.run(
        command,
        cwd=cwd or folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        timeout=150,
        check=False,
    )
    return Run(done.returncode, done.stdout, folder)


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes new folders, a space in the name of each."""

    def make(name: str) -> Path:
        return tmp_path_factory.mktemp(f"suite of {name}")

    return make
