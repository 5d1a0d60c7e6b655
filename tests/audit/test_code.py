"""What changes a parser's hash, and what does not."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from voirdire.audit.code import identity
from voirdire.audit.parsers.builtin import BUILTINS
from voirdire.errors import ConfigError

PYTHON = shlex.quote(sys.executable)

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not on PATH")

PYTHON_PROJECT = {
    "app/__init__.py": "",
    "app/read.py": "from .mend import mend\nimport json\ndef parse(text):\n    return mend(text)\n",
    "app/mend/__init__.py": "from app import words\ndef mend(text):\n    import late\n",
    "app/words.py": "import importlib\nimportlib.import_module('named')\n",
    "late.py": "import app.read  # a circle\n",
    "named.py": "",
    "alone.py": "import late\ndef parse(text): return text\n",
}
NOT_IN_IT = {
    "app/unused.py": "",
    "other.py": "",
    "late.txt": "",
    "site-packages/named2.py": "",
}
JAVASCRIPT_PROJECT = {
    "js/read.mjs": "import { x } from './more/x.js';\nexport * from \"./y\"\nexport default 1",
    "js/more/x.js": "const z = require( '../z' ), fs = require('fs'); import('./w.json')",
    "js/more/w.json": "{}",
    "js/y.js": "import './read.mjs' // a circle",
    "js/z/index.cjs": "",
}
NOT_IN_THAT = {"js/other.mjs": "", "js/more/y.js": "", "js/z/other.js": "", "js/w.json": "{}"}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in the working folder."""
    for name, text in {
        **PYTHON_PROJECT,
        **NOT_IN_IT,
        **JAVASCRIPT_PROJECT,
        **NOT_IN_THAT,
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_typescript_imports_is_in_the_hash(here: Path) -> None:
    for name, text in {
        "ts/read.ts": "import { x } from './more.js'; import y from './y'; export default x",
        "ts/more.ts": "export * from './deep.mts'",
        "ts/deep.mts": "",
        "ts/y/index.tsx": "",
        "ts/other.ts": "",
    }.items():
        (here / name).parent.mkdir(parents=True, exist_ok=True)
        (here / name).write_text(text, encoding="utf-8")
    expected = ["ts/deep.mts", "ts/more.ts", "ts/read.ts", "ts/y/index.tsx"]
    assert paths(identity("cmd:npx tsx ts/read.ts")) == expected


def paths(found: dict[str, Any]) -> list[str]:
    return [file["path"] for file in found["files"]]


MODULE = sorted(set(PYTHON_PROJECT) - {"alone.py"})


@pytest.mark.parametrize(
    ("spec", "files"),
    [
        ("app.read:parse", MODULE),
        ("app/read.py:parse", MODULE),
        ("./alone.py:parse", sorted(PYTHON_PROJECT)),
        (f"cmd:{PYTHON} alone.py --fast", sorted(PYTHON_PROJECT)),
        (f"cmd:{PYTHON} -m app.read late.txt", sorted([*MODULE, "late.txt"])),
        pytest.param("node:js/read.mjs", sorted(JAVASCRIPT_PROJECT), marks=needs_node),
        pytest.param("node:js/read.mjs#x", sorted(JAVASCRIPT_PROJECT), marks=needs_node),
        ("cmd:node js/read.mjs", sorted(JAVASCRIPT_PROJECT)),
    ],
)
def test_the_hash_is_over_the_parser_and_what_it_imports_in_the_project(
    here: Path, spec: str, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "bin").mkdir()
    (here / "bin" / "node").write_text("#!/bin/sh\n")
    (here / "bin" / "node").chmod(0o755)
    monkeypatch.setenv("PATH", os.environ["PATH"] + os.pathsep + str(here / "bin"))
    before = identity(spec)
    assert paths(before) == files
    for path in here.rglob("*"):
        name = path.relative_to(here).as_posix()
        if not path.is_file() or name.startswith("bin/"):
            continue
        kept = path.read_bytes()
        path.write_bytes(kept + b" ")
        changed = identity(spec)["sha256"] != before["sha256"]
        path.write_bytes(kept)
        assert changed == (name in files), name
    assert identity(spec) == before


def test_no_code_is_run(here: Path) -> None:
    (here / "bomb.py").write_text("raise SystemExit(1)\ndef parse(text): return text\n")
    (here / "uses.py").write_text("import bomb\nfrom bomb.inner import x\ndef parse(text): ...\n")
    assert paths(identity("uses:parse")) == ["bomb.py", "uses.py"]


def test_a_file_that_python_cannot_read_is_hashed_all_the_same(here: Path) -> None:
    (here / "old.py").write_bytes(b"print 'caf\xe9'\n")
    assert paths(identity("old.py:parse")) == ["old.py"]


def test_an_installed_parser_is_its_own_package_and_version(here: Path) -> None:
    found = identity("jsonschema.validators:validate")
    assert found["version"].startswith("jsonschema ")
    assert "site-packages/jsonschema/validators.py" in paths(found)
    assert all(path.startswith("site-packages/jsonschema/") for path in paths(found))


def test_paths_say_nothing_of_the_machine(here: Path, tmp_path_factory: Any) -> None:
    away = tmp_path_factory.mktemp("away")
    (away / "read.py").write_text("import json, more\ndef parse(text): return text\n")
    (away / "more.py").write_text("")
    found = identity(f"{away}/read.py:parse")
    assert paths(found) == [f"…/{away.name}/more.py", f"…/{away.name}/read.py"]


def test_a_program_is_hashed_but_an_interpreter_is_only_noted(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or every machine with another build of Python would call the parser changed."""
    (here / "bin").mkdir()
    program = here / "bin" / "my-parser"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", os.environ["PATH"] + os.pathsep + str(here / "bin"))
    before = identity("cmd:my-parser --fast")
    assert paths(before) == ["bin/my-parser"]
    program.write_text("#!/bin/sh\ntrue\n")
    assert identity("cmd:my-parser --fast")["sha256"] != before["sha256"]
    noted = identity(f"cmd:{PYTHON} alone.py")
    assert noted["runtime"] == Path(sys.executable).name


@pytest.mark.parametrize("name", sorted(BUILTINS))
def test_each_built_in_has_a_hash_of_its_own(name: str) -> None:
    if name == "json-repair":
        pytest.importorskip("json_repair")
    found = identity(name)
    assert (found["spec"], found["kind"]) == (name, "builtin")
    assert paths(found) == [f"voirdire:{name}"]
    assert found["sha256"] not in {
        identity(other)["sha256"] for other in BUILTINS if other not in (name, "json-repair")
    }
    assert ("version" in found) == (name == "json-repair")


@needs_node
def test_promptfoo_is_its_version_and_the_file_with_the_function(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = here / "node_modules" / "promptfoo"
    (folder / "dist" / "src").mkdir(parents=True)
    package, bundle = folder / "package.json", folder / "dist" / "src" / "logger-b.js"
    package.write_text('{"version": "1.2.3"}')
    bundle.write_text("function extractJsonObjects(text) {}")
    bundle.with_name("logger-a.js").write_text("function extractJsonObjects(text) {}")
    bundle.with_name("main.js").write_text("import { a } from './logger-b.js'")
    monkeypatch.delenv("VOIRDIRE_PROMPTFOO", raising=False)
    found = identity("promptfoo")
    assert found["version"] == "1.2.3"
    assert paths(found) == ["promptfoo/logger-b.js", "voirdire:promptfoo.mjs"]
    assert found["runtime"].startswith("Node ")
    package.write_text('{"version": "1.2.4"}')
    assert identity("promptfoo")["sha256"] != found["sha256"]


@needs_node
def test_a_parser_of_an_npm_package_has_its_version(here: Path) -> None:
    folder = here / "node_modules" / "mender"
    folder.mkdir(parents=True)
    (folder / "package.json").write_text(json.dumps({"name": "mender", "version": "3.0.1"}))
    (folder / "index.mjs").write_text("export default (text) => text")
    found = identity("node:node_modules/mender/index.mjs")
    assert found["version"] == "mender 3.0.1"
    assert paths(found) == ["node_modules/mender/index.mjs"]


@pytest.mark.parametrize(
    "spec", ["nowhere:parse", "nowhere.py:parse", "node:nowhere.mjs", "cmd:no-such-program", "x"]
)
def test_what_is_not_there_is_refused(here: Path, spec: str) -> None:
    with pytest.raises(ConfigError, match="parser"):
        identity(spec)
