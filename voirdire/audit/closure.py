"""Which files of its project a piece of code is made of, found by reading and never by running it.

What is imported under a name that only running would tell is not seen, and neither are data files.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

_STANDARD = tuple({Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")})
_JS_IMPORT = re.compile(
    r"""(?:\bfrom|\bimport|\brequire)\s*(?:\(\s*)?(["'`])(\.{1,2}(?:/[^"'`\n]*)?)\1"""
)
_JS = (".js", ".mjs", ".cjs", ".jsx")
_TS = (".ts", ".mts", ".cts", ".tsx")
JAVASCRIPT = (*_JS, *_TS)
"""Endings of files of JavaScript and TypeScript."""
_JS_ENDINGS = ("", *JAVASCRIPT, ".json", *(f"/index{ending}" for ending in JAVASCRIPT))


def installed(file: Path) -> bool:
    """Whether a file belongs to an installed package or to Python, and so not to the project."""
    if {"site-packages", "dist-packages", "node_modules"} & set(file.parts):
        return True
    return any(folder in file.parents for folder in _STANDARD)


def search_path(*first: Path) -> list[Path]:
    """Folders in which a project's modules may be: ``first``, here, and those that Python has."""
    folders = [*first, Path.cwd(), *(Path(entry or ".") for entry in sys.path)]
    return list(dict.fromkeys(folder.resolve() for folder in folders))


def find_module(name: str, folders: Sequence[Path]) -> list[tuple[str, Path]]:
    """The packages on the way to a module, and itself, as far as they are files.

    The last part may also be something that is defined in a module, which is left out then.

    Returns:
        Names with dots, and their files; empty where no folder has it.
    """
    for folder in folders:
        if found := list(_on_the_way(name, folder)):
            return found
    return []


def _on_the_way(name: str, folder: Path) -> Iterator[tuple[str, Path]]:
    parts = name.split(".")
    for count, part in enumerate(parts, 1):
        here = folder / part
        candidates = [here / "__init__.py"]
        candidates += [folder / f"{part}{ending}" for ending in (".py", *EXTENSION_SUFFIXES)]
        file = next((path for path in candidates if path.is_file()), None)
        if file is not None:
            yield ".".join(parts[:count]), file
        if file is None and not here.is_dir():
            return
        folder = here


def _elsewhere(name: str) -> list[Path]:
    """Where an installation keeps a module that no folder of the search path has."""
    try:
        found = importlib.util.find_spec(name)  # of a name without dots: it runs nothing
    except (ImportError, ValueError, AttributeError):
        return []
    if found is None:
        return []
    packages = [Path(place).parent for place in found.submodule_search_locations or ()]
    return packages or ([Path(found.origin).parent] if found.origin and found.has_location else [])


def python_files(name: str, file: Path, folders: Sequence[Path]) -> dict[str, Path]:
    """A module and those it imports, anywhere in the code, directly or through others.

    Installed packages are left out; of a module in one, only that package's own are in.

    Args:
        name: of the module, with dots.
        file: of it.
        folders: where to look, in order.

    Returns:
        Files by the name of their module.
    """
    home = name.partition(".")[0] if installed(file) else None
    found: dict[str, Path] = {}
    waiting = [*find_module(name, folders), (name, file)]
    asked: set[str] = set()
    while waiting:
        name, file = waiting.pop()
        if name in found:
            continue
        found[name] = file
        for imported in _imports(name, file):
            if imported in asked:
                continue
            asked.add(imported)
            top = imported.partition(".")[0]
            if home not in (None, top):
                continue
            near = find_module(imported, folders)
            if not near and top not in sys.stdlib_module_names:
                near = find_module(imported, _elsewhere(top))
            waiting += [item for item in near if home or not installed(item[1])]
    return found


def _imports(name: str, file: Path) -> Iterator[str]:
    tree = _tree(file)
    if tree is None:
        return
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")
                above = above[: len(above) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            if base:
                yield base
                yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
            called = called.id if isinstance(called, ast.Name) else called
            said = node.args[0]
            if called in ("import_module", "__import__") and isinstance(said, ast.Constant):
                yield str(said.value)


def _tree(file: Path) -> ast.Module | None:
    if file.suffix != ".py":
        return None
    try:
        return ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def imports_relatively(file: Path) -> bool:
    """Whether a Python file must be loaded as a part of its package."""
    tree = _tree(file)
    nodes = ast.walk(tree) if tree is not None else ()
    return any(isinstance(node, ast.ImportFrom) and node.level for node in nodes)


def javascript_files(file: Path) -> list[Path]:
    """A JavaScript file and those it imports by a relative path, directly or through others."""
    found: dict[Path, None] = {}
    waiting = [file.resolve()]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found[file] = None
        if file.suffix == ".json":
            continue
        for match in _JS_IMPORT.finditer(file.read_bytes().decode("utf-8", "replace")):
            wanted = os.path.normpath(file.parent / match[2])
            names = [f"{wanted}{ending}" for ending in _JS_ENDINGS]
            if (ending := Path(wanted).suffix) in _JS:
                # TypeScript names the file that it will be compiled to.
                names += [f"{wanted.removesuffix(ending)}{other}" for other in _TS]
            paths = map(Path, names)
            waiting += [path.resolve() for path in paths if path.is_file()][:1]
    return list(found)
