"""What the npm package holds."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_npm_package_holds_the_doors_and_the_library_and_no_more() -> None:
    npm = shutil.which("npm")
    assert npm is not None
    command = [npm, "pack", "--dry-run", "--json", "--ignore-scripts"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    (package,) = json.loads(done.stdout)
    names = {entry["path"] for entry in package["files"]}
    allowed = ("assertions/", "providers/", "extensions/", "scripts/", "voirdire/")
    alone = {"package.json", "pyproject.toml", "README.md", "LICENSE"}
    assert [name for name in names if not name.startswith(allowed) and name not in alone] == []
    assert [name for name in names if "__pycache__" in name] == []
    sources = [*ROOT.glob("voirdire/**/*.py"), *ROOT.glob("assertions/*.py")]
    assert {str(path.relative_to(ROOT)) for path in sources} <= names


def test_npm_takes_no_promptfoo_for_itself() -> None:
    package = json.loads((ROOT / "package.json").read_text())
    assert "dependencies" not in package
    assert package["peerDependenciesMeta"] == {"promptfoo": {"optional": True}}
