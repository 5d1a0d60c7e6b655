"""The two things a task needs: the Python environment, and promptfoo with its database driver."""

from __future__ import annotations

import compileall
import contextlib
import hashlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scripts.setup_parts.work import (
    ROOT,
    TOOLS,
    WINDOWS,
    SetupError,
    filling,
    locked,
    marker,
    read_json,
    run,
    say,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

VENV = ROOT / ".venv"
STAMP = VENV / "voirdire.json"
BIN, SUFFIX = ("Scripts", ".exe") if WINDOWS else ("bin", "")
PYTHON = VENV / BIN / f"python{SUFFIX}"
CODE = ("voirdire", "assertions", "providers", "extensions")

PROMPTFOO = {20: "0.121.20", 22: "0.123.1"}  # by the Node that runs it: 22 stands for newer too
NODE = {20: "20.20.2", 22: "22.23.3"}  # what the tests install to try the other one
LIBSQL = "0.5.29"  # the version that both pin
DRIVERS = {  # by platform, processor and whether the C library is musl
    ("darwin", "arm64", False): "@libsql/darwin-arm64",
    ("darwin", "x64", False): "@libsql/darwin-x64",
    ("linux", "arm", False): "@libsql/linux-arm-gnueabihf",
    ("linux", "arm", True): "@libsql/linux-arm-musleabihf",
    ("linux", "arm64", False): "@libsql/linux-arm64-gnu",
    ("linux", "arm64", True): "@libsql/linux-arm64-musl",
    ("linux", "x64", False): "@libsql/linux-x64-gnu",
    ("linux", "x64", True): "@libsql/linux-x64-musl",
    ("win32", "x64", False): "@libsql/win32-x64-msvc",
}


class Node(NamedTuple):
    """The Node that started this, as it describes itself."""

    version: str
    path: str
    platform: str
    arch: str

    @property
    def line(self) -> int:
        """The key into PROMPTFOO: 20 for Node 20, 22 for anything newer."""
        return 20 if self.version.startswith("20.") else 22


class Toolchain(NamedTuple):
    """One promptfoo and the Node that runs it, installed under a folder of its own."""

    prefix: Path
    promptfoo: str
    node: Path
    driver: str
    packages: tuple[str, ...] = ()

    @property
    def modules(self) -> Path:
        return self.prefix / "node_modules"

    @property
    def main(self) -> Path:
        """The script that Node runs; it checks Node's version, then loads promptfoo."""
        return self.modules / "promptfoo" / "dist" / "src" / "entrypoint.js"

    def installed(self) -> bool:
        """Whether its files are there: a plain ``npm install`` prunes them all."""
        package = read_json(self.modules / "promptfoo" / "package.json")
        needed = (self.main, self.modules / self.driver / "index.node", self.node)
        return (
            not marker(self.modules).exists()
            and package.get("version") == self.promptfoo
            and all(path.exists() for path in needed)
        )


def is_musl() -> bool:
    """Whether this Linux has musl for its C library (Alpine), where glibc builds do not load."""
    try:
        return not os.confstr("CS_GNU_LIBC_VERSION")
    except (ValueError, OSError):
        return True


def driver(platform: str, arch: str, musl: bool) -> str:
    """The npm package of the database driver, which npm drops with the optional parts.

    ``platform`` and ``arch`` are Node's words for them, for it is Node that loads the driver.
    Raises SetupError where none exists.
    """
    package = DRIVERS.get((platform, arch, musl))
    if package is None:
        raise SetupError(
            f"promptfoo's database driver does not exist for {platform} on {arch}: "
            "run this with Node for x64 or arm64 on Linux or macOS, or for x64 on Windows."
        )
    return package


def own_toolchain(node: Node) -> Toolchain:
    """The promptfoo that runs on the Node that is there."""
    package = driver(node.platform, node.arch, node.platform == "linux" and is_musl())
    return Toolchain(ROOT, PROMPTFOO[node.line], Path(node.path), package)


def other_toolchain(node: Node) -> Toolchain:
    """The promptfoo for the other Node, together with that Node from npm."""
    line = 22 if node.line == 20 else 20
    prefix = TOOLS / f"node{line}"
    binary = prefix / "node_modules" / "node" / "bin" / f"node{SUFFIX}"
    return Toolchain(
        prefix, PROMPTFOO[line], binary, own_toolchain(node).driver, (f"node@{NODE[line]}",)
    )


def npm(node: Node) -> list[str | Path]:
    """The command that runs npm: the one that started this, or the one on PATH."""
    started_by = Path(os.environ.get("npm_execpath", ""))  # noqa: SIM112 (npm's own name)
    if started_by.name == "npm-cli.js" and started_by.exists():
        return [node.path, started_by]
    found = shutil.which("npm")
    if found is None:
        raise SetupError("npm is not on PATH: install it with Node, then run this again.")
    return [found]


def make_toolchain(tools: Toolchain, node: Node, lock: int) -> None:
    """Install a toolchain. Raises SetupError if npm fails."""
    command = npm(node)
    tools.prefix.mkdir(parents=True, exist_ok=True)
    if tools.prefix != ROOT:  # without one, npm would install into the folder above
        (tools.prefix / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    command += ["install", "--prefix", tools.prefix, "--no-save", "--omit=optional"]
    # Without it npm takes promptfoo for our optional peer, and omits it.
    command += ["--save-prod"]
    command += ["--no-fund", "--no-audit", "--no-engine-strict", "--loglevel=error"]
    command += [*tools.packages, f"promptfoo@{tools.promptfoo}", f"{tools.driver}@{LIBSQL}"]
    with filling(tools.modules):
        say(f"installing promptfoo {tools.promptfoo} (about 300 MB, one to two minutes) …")
        failed = run(command, quiet=True, keep=[lock]) != 0
        if failed or not tools.main.exists() or not tools.node.exists():
            raise SetupError(
                f"npm could not install promptfoo {tools.promptfoo} (its message is above): "
                "check the network and npm's registry setting, then run this again."
            )


def fingerprint() -> str:
    """A hash of the files that say what the Python environment must hold."""
    files = [ROOT / "pyproject.toml", ROOT / "voirdire" / "__init__.py"]
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def python_ready(extras: set[str]) -> bool:
    """Whether .venv is whole, belongs to this folder and holds these extras."""
    stamp = read_json(STAMP)
    return (
        not marker(VENV).exists()
        and stamp.get("root") == str(ROOT)
        and stamp.get("fingerprint") == fingerprint()
        and extras <= set(stamp["extras"])
        and PYTHON.exists()
        and (VENV / BIN / f"voirdire{SUFFIX}").exists()
        and all((VENV / name).exists() for name in stamp["distributions"])
    )


def make_python(extras: set[str], lock: int) -> None:
    """Make .venv or bring it up to date, with the package editable in it.

    Raises SetupError if the environment cannot be made or pip fails.
    """
    stamp = read_json(STAMP)
    moved = stamp.get("root", str(ROOT)) != str(ROOT)  # its scripts hold the folder's old path
    whole = PYTHON.exists() and not moved and not marker(VENV).exists()
    check = (
        "import sys, importlib.util as util; "
        "sys.exit(sys.version_info < (3, 10) or util.find_spec('pip') is None)"
    )
    usable = whole and run([PYTHON, "-c", check]) == 0
    by_hand = usable and not stamp
    # One that somebody made by hand is used, but not thrown away when an installation fails.
    with contextlib.nullcontext() if by_hand else filling(VENV):
        if not usable:
            say("creating the Python environment (.venv) …")
            if VENV.exists():
                shutil.rmtree(VENV)
            base = getattr(sys, "_base_executable", sys.executable)
            if run([base, "-m", "venv", VENV], keep=[lock]) != 0:
                raise SetupError(
                    f"{base} could not make .venv (its message is above): "
                    "install its venv module, then run this again."
                )
        else:
            extras = extras | set(stamp.get("extras", ()))
        STAMP.unlink(missing_ok=True)
        wanted = ".[" + ",".join(sorted(extras)) + "]" if extras else "."
        say(f"installing the Python package ({wanted}) …")
        pip: list[str | Path] = [PYTHON, "-m", "pip", "install", "-qq", "--no-input"]
        pip += ["--disable-pip-version-check"]
        # A machine-wide "user" setting cannot work inside an environment.
        if run([*pip, "-e", wanted], env={"PIP_USER": "0"}, keep=[lock]) != 0:
            raise SetupError(
                "pip could not install the package (its message is above): "
                "check the network and PIP_INDEX_URL, then run this again."
            )
        library = VENV / ("Lib" if WINDOWS else "lib")
        names = sorted(str(path.relative_to(VENV)) for path in library.rglob("*.dist-info"))
        new = {"root": str(ROOT), "fingerprint": fingerprint(), "extras": sorted(extras)}
        STAMP.write_text(json.dumps({**new, "distributions": names}), encoding="utf-8")


def compile_code() -> None:
    """Keep bytecode beside the sources: promptfoo starts a new Python for every assertion."""
    folders = [ROOT / name for name in CODE if (ROOT / name).exists()]
    if Path(sys.prefix) == VENV:
        for folder in folders:
            compileall.compile_dir(folder, quiet=2)
    else:
        run([PYTHON, "-m", "compileall", "-qq", *folders])


def ensure(node: Node, toolchains: Sequence[Toolchain], extras: set[str]) -> None:
    """Install what is missing of the Python environment and the toolchains.

    Raises SetupError if something cannot be installed.
    """
    missing = [tools for tools in toolchains if not tools.installed()]
    if missing:
        npm(node)  # say that it is not there before spending time on Python
    if missing or not python_ready(extras):
        with locked() as lock:  # what was missing may be there by the time we hold it
            if not python_ready(extras):
                make_python(extras, lock)
            for tools in toolchains:
                if not tools.installed():
                    make_toolchain(tools, node, lock)
    compile_code()
