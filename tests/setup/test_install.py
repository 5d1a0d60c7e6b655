"""Which promptfoo and which database driver belong to a machine."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from scripts.setup_parts.install import (
    DRIVERS,
    LIBSQL,
    PROMPTFOO,
    Node,
    Toolchain,
    driver,
    other_toolchain,
    own_toolchain,
)
from scripts.setup_parts.work import SetupError


@pytest.mark.parametrize(
    ("platform", "arch", "musl", "package"),
    [
        ("darwin", "arm64", False, "@libsql/darwin-arm64"),
        ("darwin", "x64", False, "@libsql/darwin-x64"),
        ("linux", "arm", False, "@libsql/linux-arm-gnueabihf"),
        ("linux", "arm", True, "@libsql/linux-arm-musleabihf"),
        ("linux", "arm64", False, "@libsql/linux-arm64-gnu"),
        ("linux", "arm64", True, "@libsql/linux-arm64-musl"),
        ("linux", "x64", False, "@libsql/linux-x64-gnu"),
        ("linux", "x64", True, "@libsql/linux-x64-musl"),
        ("win32", "x64", False, "@libsql/win32-x64-msvc"),
    ],
)
def test_every_platform_has_its_driver(platform: str, arch: str, musl: bool, package: str) -> None:
    assert driver(platform, arch, musl) == package


@pytest.mark.parametrize(("platform", "arch"), [("win32", "arm64"), ("linux", "ppc64")])
def test_a_platform_without_a_driver_is_refused(platform: str, arch: str) -> None:
    with pytest.raises(SetupError, match=f"does not exist for {platform} on {arch}"):
        driver(platform, arch, False)


@pytest.mark.e2e
@pytest.mark.skipif("VOIRDIRE_TEST_TOOLCHAINS" not in os.environ, reason="`npm test` sets it")
def test_the_drivers_are_those_that_promptfoo_itself_pins() -> None:
    toolchains = json.loads(os.environ["VOIRDIRE_TEST_TOOLCHAINS"])
    for toolchain in toolchains:
        modules = Path(toolchain["promptfoo_main"]).parents[3]
        package = json.loads((modules / "libsql" / "package.json").read_text())
        assert package["optionalDependencies"] == dict.fromkeys(DRIVERS.values(), LIBSQL)


@pytest.mark.parametrize(
    ("version", "own", "other"),
    [
        ("20.20.2", PROMPTFOO[20], PROMPTFOO[22]),
        ("22.22.0", PROMPTFOO[22], PROMPTFOO[20]),
        ("24.1.0", PROMPTFOO[22], PROMPTFOO[20]),
    ],
)
def test_promptfoo_is_chosen_for_the_node_that_is_there(version: str, own: str, other: str) -> None:
    node = Node(version, "/usr/bin/node", "darwin", "arm64")
    assert own_toolchain(node).promptfoo == own
    assert other_toolchain(node).promptfoo == other


@pytest.mark.parametrize(
    "lost", ["promptfoo/dist/src/entrypoint.js", "@libsql/linux-x64-gnu/index.node", "node"]
)
def test_a_toolchain_that_lost_a_file_is_not_installed(
    tmp_path: Path, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scripts.setup_parts.install.marker", lambda target: tmp_path / "none")
    tools = Toolchain(
        tmp_path, "1.2.3", tmp_path / "node_modules" / "node", "@libsql/linux-x64-gnu"
    )
    for name in ("@libsql/linux-x64-gnu/index.node", "promptfoo/dist/src/entrypoint.js", "node"):
        path = tools.modules / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    package = tools.modules / "promptfoo" / "package.json"
    package.write_text('{"version": "1.2.3"}')
    assert tools.installed()
    (tools.modules / lost).unlink()
    assert not tools.installed()
