"""The function inside the real promptfoo, of every version that ``npm test`` installs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from voirdire.audit.parsers.process import Program
from voirdire.audit.parsers.promptfoo import find_promptfoo
from voirdire.audit.parsers.spec import open_parser
from voirdire.errors import ConfigError

ROOT = Path(__file__).resolve().parents[3]
REPLIES = json.loads((ROOT / "golden/promptfoo_readings.json").read_text("utf-8"))["replies"]
TOOLCHAINS = json.loads(os.environ.get("VOIRDIRE_TEST_TOOLCHAINS") or "[]")
IDS = [item["name"] for item in TOOLCHAINS] or ["no-promptfoo"]


@pytest.fixture(scope="module", params=TOOLCHAINS or [None], ids=IDS)
def package(request: pytest.FixtureRequest) -> Path:
    """The folder of each promptfoo."""
    if request.param is None:
        pytest.skip(
            "VOIRDIRE_TEST_TOOLCHAINS is not set: `npm test` installs promptfoo and sets it"
        )
    return Path(request.param["promptfoo_main"]).parents[2]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty home folder."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def parser(package: Path, home: Path) -> Iterator[Program]:
    """The parser, opened as a user would, with that home folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VOIRDIRE_PROMPTFOO", str(package))
        patch.setenv("HOME", str(home))
        opened = open_parser("promptfoo", timeout=20, memory=512 << 20)
        assert isinstance(opened, Program)
        with closing(opened):
            yield opened


@pytest.mark.e2e
@pytest.mark.parametrize("case", REPLIES, ids=[case["name"] for case in REPLIES])
def test_it_reads_what_llm_rubric_was_seen_to_read(parser: Program, case: dict[str, Any]) -> None:
    found, seen = parser(case["reply"]), case["promptfoo"]
    if seen["graderError"]:
        assert found is None
        return
    default = "Grading passed" if seen["pass"] else "Score 0 below threshold undefined"
    assert (found.get("reason") or default) == seen["reason"]
    if isinstance(found.get("pass"), bool):
        assert found["pass"] == seen["pass"]


@pytest.mark.e2e
def test_of_two_objects_it_takes_the_first(parser: Program) -> None:
    text = 'draft {"verdict":"SKIP"} final: {"verdict":"APPLY"}'
    assert parser(text) == {"verdict": "SKIP"}


@pytest.mark.e2e
def test_it_writes_nothing_into_the_home_folder(parser: Program, home: Path) -> None:
    assert parser("{}") == {}
    assert list(home.iterdir()) == []


@pytest.mark.e2e
def test_it_is_found_in_node_modules_above_and_on_path(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VOIRDIRE_PROMPTFOO", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(ConfigError, match="npm install promptfoo"):
        find_promptfoo()
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "promptfoo").symlink_to(package / "dist" / "src" / "entrypoint.js")
    on_path = find_promptfoo()
    (tmp_path / "project" / "node_modules").mkdir(parents=True)
    (tmp_path / "project" / "node_modules" / "promptfoo").symlink_to(package)
    (tmp_path / "project" / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "project" / "deep")
    above = find_promptfoo()
    assert on_path.folder == package.resolve()
    assert above.folder == tmp_path / "project" / "node_modules" / "promptfoo"
    assert above.version == on_path.version
    assert above.bundle.name == on_path.bundle.name


@pytest.mark.parametrize("package_json", [None, "{}", "[]", '{"version": "9.9.9"}'])
def test_a_folder_without_the_function_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, package_json: str | None
) -> None:
    if package_json is not None:
        (tmp_path / "package.json").write_text(package_json)
    monkeypatch.setenv("VOIRDIRE_PROMPTFOO", str(tmp_path))
    with pytest.raises(ConfigError, match="parser 'promptfoo'"):
        open_parser("promptfoo", timeout=1, memory=512 << 20)
