"""What the npm package holds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("assertions/", "providers/", "extensions/", "scripts/", "voirdire/", "docs/")
ALONE = {
    "package.json",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
}


@pytest.fixture(scope="module")
def names() -> set[str]:
    """The files that npm packs."""
    npm = shutil.which("npm")
    assert npm is not None
    command = [npm, "pack", "--dry-run", "--json", "--ignore-scripts"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    (package,) = json.loads(done.stdout)
    return {entry["path"] for entry in package["files"]}


def test_the_npm_package_holds_the_doors_and_the_library_and_no_more(names: set[str]) -> None:
    assert [name for name in names if not name.startswith(FOLDERS) and name not in ALONE] == []
    assert [name for name in names if "__pycache__" in name] == []
    sources = [*ROOT.glob("voirdire/**/*.py"), *ROOT.glob("assertions/*.py")]
    assert {str(path.relative_to(ROOT)) for path in sources} <= names


def test_of_the_scripts_it_holds_those_that_need_the_library_alone(names: set[str]) -> None:
    scripts = {name for name in names if name.startswith("scripts/")}
    assert scripts == {"scripts/audit_parsers.py", "scripts/compare_models.py"}
    for name in scripts:
        assert not re.search(r"(from|import) scripts\b", (ROOT / name).read_text("utf-8"))


def test_the_data_that_the_library_reads_is_in_it(names: set[str]) -> None:
    """YAML lists, the examination's cases, the page's parts, the bridge to promptfoo, schemas."""
    data = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "voirdire").rglob("*")
        if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert {"voirdire/py.typed", "voirdire/judges/pins.yaml", "voirdire/schemas/case.json"} <= data
    assert data <= names


def test_no_link_of_its_documents_is_dead(names: set[str]) -> None:
    documents = [name for name in names if name.endswith(".md")]
    assert "README.md" in documents
    assert "docs/settings.md" in documents
    dead = []
    for name in documents:
        text = (ROOT / name).read_text("utf-8")
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            path = target.partition("#")[0]
            if path and "://" not in path:
                found = ((ROOT / name).parent / path).resolve().relative_to(ROOT)
                if str(found) not in names:
                    dead.append(f"{name}: {target}")
    assert dead == []


def test_npm_takes_no_promptfoo_for_itself() -> None:
    package = json.loads((ROOT / "package.json").read_text())
    assert "dependencies" not in package
    assert package["peerDependenciesMeta"] == {"promptfoo": {"optional": True}}
