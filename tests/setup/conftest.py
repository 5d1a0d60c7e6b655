"""A checkout in miniature: the real scripts, a real environment, nothing downloaded.

Its package needs no dependencies and is built by a backend of its own, and its npm writes the
files that promptfoo would bring.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NODE = shutil.which("node") or "node"

PYPROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]

[project]
name = "voirdire"
version = "0"
"""

# Builds an editable wheel by hand. While a file named `hold` is there it does not finish.
BACKEND = """\
import pathlib, time, zipfile

def build_editable(folder, config_settings=None, metadata_directory=None):
    here = pathlib.Path.cwd()
    if (here / "broken").exists():
        raise SystemExit("the index is down")
    (here / "building").touch()
    deadline = time.monotonic() + 60
    while (here / "hold").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    name = "voirdire-0-py3-none-any.whl"
    info = "voirdire-0.dist-info/"
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w") as wheel:
        wheel.writestr("voirdire.pth", str(here))
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: voirdire\\nVersion: 0\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        wheel.writestr(info + "entry_points.txt", "[console_scripts]\\nvoirdire=voirdire:main\\n")
        wheel.writestr(info + "RECORD", "")
    return name

build_wheel = build_editable
"""

NPM = """\
const fs = require("fs"), path = require("path");
const args = process.argv.slice(2);
const modules = path.join(args[args.indexOf("--prefix") + 1], "node_modules");
fs.appendFileSync("npm-calls.txt", args.join(" ") + "\\n");
for (const spec of args.filter((word) => /.@[0-9]/.test(word))) {
  const at = spec.lastIndexOf("@"), folder = path.join(modules, spec.slice(0, at));
  fs.mkdirSync(path.join(folder, "dist", "src"), { recursive: true });
  const described = JSON.stringify({ version: spec.slice(at + 1) });
  fs.writeFileSync(path.join(folder, "package.json"), described);
  fs.writeFileSync(path.join(folder, "index.node"), "");
  fs.copyFileSync("promptfoo.js", path.join(folder, "dist", "src", "entrypoint.js"));
}
"""

PROMPTFOO = """\
const fs = require("fs");
const args = process.argv.slice(2);
console.log("Results: 1 passed\\n\\n\\u00bb Feedback: somewhere");
const told = { args, cwd: process.cwd(), env: process.env };
if (!process.env.FAKE_NO_RESULTS)
  fs.writeFileSync(args[args.indexOf("-o") + 1], JSON.stringify(told));
process.exit(Number(process.env.FAKE_EXIT || 100));
"""

DEMO = """\
import json, os, sys
print("summary of", sys.argv[1])
sys.exit(int(os.environ.get("FAKE_DEMO_EXIT", "0")))
"""


@dataclass
class Checkout:
    """A folder to run tasks in, as `npm run` would."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def python(self) -> Path:
        return self.root / ".venv" / "bin" / "python"

    def start(self, task: str, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        command = [NODE, str(self.root / "scripts" / "launch.mjs"), task, *arguments]
        return subprocess.Popen(
            command,
            cwd=self.root.parent,
            env=self.environment | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(self, task: str, *arguments: str, **environment: str) -> tuple[int, str]:
        """Run a task to its end; returns its exit code and all that it said."""
        with self.start(task, *arguments, **environment) as process:
            said, _ = process.communicate(timeout=120)
        return process.returncode, said


def make(folder: Path) -> Checkout:
    root = folder / "with space" / "voirdire"
    (root / "voirdire").mkdir(parents=True)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "scripts", root / "scripts", ignore=ignore)
    files = {
        "pyproject.toml": PYPROJECT,
        "backend.py": BACKEND,
        "npm-cli.js": NPM,
        "promptfoo.js": PROMPTFOO,
        "voirdire/__init__.py": "",
        "voirdire/demo.py": DEMO,
    }
    for name, text in files.items():
        (root / name).write_text(text, encoding="utf-8")
    tools = folder / "bin"
    tools.mkdir()
    (tools / "python3").symlink_to(Path(sys.base_prefix) / "bin" / "python3")
    environment = {
        "PATH": f"{tools}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "HOME": str(folder),
        "npm_execpath": str(root / "npm-cli.js"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return Checkout(root, environment)


@pytest.fixture
def fresh(tmp_path: Path) -> Checkout:
    """A checkout in which nothing has been set up."""
    return make(tmp_path)


@pytest.fixture(scope="session")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """A checkout in which `eval` has run once; tests must leave it whole."""
    checkout = make(tmp_path_factory.mktemp("ready"))
    code, said = checkout.run("eval")
    assert code == 0, said
    return checkout
