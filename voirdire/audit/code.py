"""What a parser's code is, as a hash: by it an audit says that a parser has changed since.

The code is read, never run. Of a Python or JavaScript parser it is its own file and those of its
project that it imports; packages that are installed are not in it, nor is the Python or Node that
runs it.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import platform
import re
import shutil
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from voirdire.audit.closure import (
    JAVASCRIPT,
    find_module,
    installed,
    javascript_files,
    python_files,
    search_path,
)
from voirdire.audit.parsers.builtin import builtin
from voirdire.audit.parsers.node import file_and_export, node_on_path
from voirdire.audit.parsers.promptfoo import ADAPTER, find_promptfoo
from voirdire.audit.parsers.python import find_python
from voirdire.audit.parsers.spec import PROMPTFOO, command, kind_of
from voirdire.errors import ConfigError

_INTERPRETER = re.compile(
    r"(?:python|pypy|node|deno|bun|ruby|perl|php|java|Rscript|sh|bash|env|uv|npx)[\d.]*(?:\.exe)?"
)


def identity(spec: str) -> dict[str, Any]:
    """What the parser is now.

    Returns:
        ``spec``, ``kind``, ``sha256`` over all that follows but ``runtime``, ``files`` (each with
        ``path`` and ``sha256``), ``version`` where it comes out of a package, and ``runtime``: what
        it would run on here, which is only a note.

    Raises:
        ConfigError: there is no such parser.
    """
    kind = kind_of(spec)
    if spec == PROMPTFOO:
        found = _promptfoo()
    elif kind == "builtin":
        found = _builtin(spec)
    elif kind == "python":
        found = _python(spec)
    elif kind == "node":
        file, _ = file_and_export(spec)
        version = _node_package_version(file)
        found = {**_code(javascript_files(file), version), "runtime": _node(node_on_path(spec))}
    else:
        found = _command(spec)
    return {"spec": spec, "kind": kind, **found}


def _code(files: Iterable[Path], version: str | None = None) -> dict[str, Any]:
    return _summed([(_shown(file), _digest(file.read_bytes())) for file in files], version)


def _summed(hashes: list[tuple[str, str]], version: str | None = None) -> dict[str, Any]:
    files = [{"path": path, "sha256": digest} for path, digest in sorted(set(hashes))]
    made_of = {"files": files, **({"version": version} if version else {})}
    return {"sha256": _digest(json.dumps(made_of, sort_keys=True).encode()), **made_of}


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _shown(file: Path) -> str:
    """A path that says nothing of the machine: within the working folder, or within a package."""
    file = file.resolve()
    if file.is_relative_to(Path.cwd()) and not installed(file):
        return file.relative_to(Path.cwd()).as_posix()
    for index, part in reversed(list(enumerate(file.parts))):
        if part in ("site-packages", "dist-packages", "node_modules"):
            return "/".join(file.parts[index:])
    return "/".join(("…", *file.parts[-2:]))


def _runtime() -> str:
    return f"{platform.python_implementation()} {platform.python_version()}"


def _builtin(name: str) -> dict[str, Any]:
    source = _digest(inspect.getsource(builtin(name)).encode())
    version = metadata.version(name) if name == "json-repair" else None
    return {**_summed([(f"voirdire:{name}", source)], version), "runtime": _runtime()}


def _promptfoo() -> dict[str, Any]:
    promptfoo = find_promptfoo()
    hashes = [
        (f"promptfoo/{promptfoo.bundle.name}", _digest(promptfoo.bundle.read_bytes())),
        (f"voirdire:{ADAPTER.name}", _digest(ADAPTER.read_bytes())),
    ]
    return {**_summed(hashes, promptfoo.version), "runtime": _node(promptfoo.node)}


def _python(spec: str) -> dict[str, Any]:
    place = find_python(spec)
    if not place.file.is_file():
        raise ConfigError(f"parser {spec!r}: there is no file of module {place.module!r}.")
    version = None
    if installed(place.file):
        version = _distribution(place.module.partition(".")[0]) or _runtime()
    return {**_code(place.files().values(), version), "runtime": _runtime()}


def _distribution(top: str) -> str | None:
    """The installed package that a top-level module came with, and its version."""
    # Not packages_distributions: in Python 3.10 that knows only what setuptools has built.
    for package in metadata.distributions():
        if any(path.parts[0] in (top, f"{top}.py") for path in package.files or ()):
            return f"{package.metadata['Name']} {package.version}"
    return None


def _node_package_version(file: Path) -> str | None:
    """Of the package in ``node_modules`` that a file belongs to."""
    if "node_modules" in file.parts:
        for above in file.parents:
            if (above / "package.json").is_file():
                told = json.loads((above / "package.json").read_text("utf-8"))
                if "version" in told:
                    return f"{told.get('name')} {told['version']}"
    return None


def _node(node: str) -> str:
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    return f"Node {told.stdout.strip().removeprefix('v')}"


def _command(spec: str) -> dict[str, Any]:
    """Of the words of a command, those that are files; an interpreter is what it runs on."""
    program, *words = command(spec)
    files: list[Path] = []
    if not _INTERPRETER.fullmatch(Path(program).name):
        files.append(Path(shutil.which(program) or program))
    elif words and Path(words[0]).suffix in (".py", *JAVASCRIPT) and not Path(words[0]).is_file():
        raise ConfigError(f"parser {spec!r}: there is no file {words[0]!r} in {Path.cwd()}.")
    for previous, word in zip([program, *words], words, strict=False):
        file = Path(word)
        if previous == "-m":  # a module, or a package with a file __main__.py
            for name, part in find_module(f"{word}.__main__", search_path()):
                files += python_files(name, part, search_path()).values()
        elif file.suffix == ".py" and file.is_file():
            folders = search_path(file.resolve().parent)
            files += python_files("the program", file, folders).values()
        elif file.suffix in JAVASCRIPT and file.is_file():
            files += javascript_files(file)
        elif file.is_file():
            files.append(file)
    return {**_code(files), "runtime": Path(program).name}
