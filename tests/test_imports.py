"""What may be imported where: starting is what promptfoo's users wait for, once per assertion."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = sorted((ROOT / "voirdire").rglob("*.py"))

# What promptfoo's own wrapper imports before it opens a door.
WRAPPER = "import asyncio, importlib.util, inspect, json, os, sys, traceback"

# All that the explicit door may import for a replayed verdict, in whatever Python.
STANDARD = {
    "__future__",
    "copy",
    "dataclasses",
    "hashlib",
    "_hashlib",
    "_blake2",
    "encodings.utf_8_sig",
    "unicodedata",
    # pathlib, and what it brings in one Python or another
    "pathlib",
    "pathlib._abc",
    "pathlib._local",
    "pathlib._os",
    "pathlib.types",
    "fnmatch",
    "glob",
    "grp",
    "ipaddress",
    "ntpath",
    "pwd",
    "urllib",
    "urllib.parse",
}
LIBRARY_MODULES = {
    "voirdire",
    "voirdire.call",
    "voirdire.coverage",
    "voirdire.doorconfig",
    "voirdire.doorinput",
    "voirdire.echo",
    "voirdire.errors",
    "voirdire.evidence",
    "voirdire.grade",
    "voirdire.journal",
    "voirdire.jsonl",
    "voirdire.judges",
    "voirdire.judges.base",
    "voirdire.judges.replay",
    "voirdire.judges.settings",
    "voirdire.judges.spec",
    "voirdire.locks",
    "voirdire.prompt",
    "voirdire.promptfoo",
    "voirdire.promptfoo.cache",
    "voirdire.promptfoo.grading",
    "voirdire.promptfoo.overruled",
    "voirdire.promptfoo.overruling",
    "voirdire.promptfoo.scores",
    "voirdire.promptfoo.shaped",
    "voirdire.promptfoo.suite",
    "voirdire.promptfoo.tested",
    "voirdire.reading",
    "voirdire.record",
    "voirdire.reply",
    "voirdire.rubric",
    "voirdire.rubriccache",
    "voirdire.ruling",
    "voirdire.scan",
    "voirdire.sentences",
    "voirdire.source",
    "voirdire.strictjson",
    "voirdire.verdict",
    "voirdire.yamlfile",
}
# A rubric in a file is YAML; its fast reader is made with Cython.
YAML = (
    "yaml",
    "_yaml",
    "_cython_",
    "cython_runtime",
    "base64",
    "binascii",
    "datetime",
    "_datetime",
)

CALL = """
sys.path.insert(0, {folder!r})
before = set(sys.modules)
spec = importlib.util.spec_from_file_location("grounded", {door!r})
door = importlib.util.module_from_spec(spec)
spec.loader.exec_module(door)
result = door.get_assert("It lasts 30 minutes.", json.loads({context!r}))
assert result["metadata"]["voirdire"]["outcome"] == "pass", result["reason"]
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def printed(code: str, cwd: Path) -> Any:
    """What a Python process of its own prints, as JSON."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def imported_by_the_door(tmp_path: Path, rubric: Any, judge: str) -> set[str]:
    """The modules that one call of the explicit door imports."""
    verdict = {
        "critique": "So it says.",
        "criteria": {"grounded": True},
        "evidence": ["The link lasts 30 minutes."],
        "verdict": "pass",
        "confidence": 1,
    }
    (tmp_path / "rubric.yaml").write_text("name: r\ncriteria: {grounded: Is it in the source?}\n")
    (tmp_path / "source.md").write_text("The link lasts 30 minutes.")
    (tmp_path / "replies.jsonl").write_text(json.dumps({"id": "1", "reply": json.dumps(verdict)}))
    config = {"rubric": rubric, "source": "source.md", "judge": judge}
    context = {"vars": {"case_id": "1"}, "config": config, "test": {}}
    door = ROOT / "assertions" / "grounded.py"
    call = CALL.format(folder=str(door.parent), door=str(door), context=json.dumps(context))
    return set(printed(f"{WRAPPER}\n{call}", tmp_path))


def test_the_explicit_door_imports_these_modules_for_a_replayed_verdict(tmp_path: Path) -> None:
    rubric = {"name": "r", "criteria": {"grounded": "Is it in the source?"}}
    found = imported_by_the_door(tmp_path, rubric, "replay:replies.jsonl")
    assert found - STANDARD - LIBRARY_MODULES == set()


def test_a_rubric_in_a_file_adds_yaml_and_no_more(tmp_path: Path) -> None:
    found = imported_by_the_door(tmp_path, "rubric.yaml", "replay:replies.jsonl")
    more = found - STANDARD - LIBRARY_MODULES
    assert {name for name in more if not name.startswith(YAML)} == set()


def test_the_rules_add_only_themselves(tmp_path: Path) -> None:
    rubric = {"name": "r", "criteria": {"grounded": "Is it in the source?"}}
    found = imported_by_the_door(tmp_path, rubric, "rules")
    more = found - STANDARD - LIBRARY_MODULES - {"bisect", "_bisect", "decimal", "_decimal"}
    assert {name for name in more if not name.startswith("voirdire.judges.rules")} == set()


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["judge", "--help"]])
def test_help_does_not_wait_for_slow_libraries(tmp_path: Path, arguments: list[str]) -> None:
    code = f"""
import contextlib, io, json, sys
from voirdire.cli import main
sys.argv = ["voirdire", *{arguments!r}]
with contextlib.redirect_stdout(io.StringIO()) as shown, contextlib.suppress(SystemExit):
    main()
assert shown.getvalue()
print(json.dumps(sorted(sys.modules)))
"""
    found = set(printed(f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n{code}", tmp_path))
    assert found & {"requests", "urllib3", "yaml", "jsonschema", "pydantic"} == set()


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "."


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_library_imports_no_door_and_no_data(path: Path) -> None:
    above = {"assertions", "providers", "extensions", "scripts", "golden", "tests", "."}
    assert {name.split(".")[0] for name in imports(path)} & above == set()


def words(path: Path) -> set[str]:
    """Names and strings of a file's code; comments and docstrings apart."""
    found: set[str] = set()
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.NAME:
                found.add(token.string)
            elif token.type == tokenize.STRING and not token.string.startswith('"""'):
                found.add(token.string.strip("'\""))
    return found


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_promptfoo_package_knows_the_shapes_of_its_results(path: Path) -> None:
    shapes = {
        "gradingResult",
        "componentResults",
        "renderedGradingPrompt",
        "namedScores",
        "graderError",
        "tokensUsed",
        "tokenUsage",
        "failureReason",
    }
    known = words(path) & shapes
    assert known == set() or path.parent.name == "promptfoo"


def test_that_package_does_know_them() -> None:
    """Or the test above would hold because its words are out of date."""
    found = set().union(*(words(path) for path in LIBRARY if path.parent.name == "promptfoo"))
    assert {"gradingResult", "componentResults", "graderError", "namedScores"} <= found


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_of_promptfoos_is_imported_below_its_package(path: Path) -> None:
    above = [name for name in imports(path) if name.startswith("voirdire.promptfoo")]
    # What works on finished runs, or looks into the suite, stands above it.
    reads_results = path.name == "demo.py" or {
        "audit",
        "calibration",
        "doctor",
        "report",
        "runs",
        "cli",
    } & set(path.parts)
    assert above == [] or path.parent.name == "promptfoo" or bool(reads_results)
