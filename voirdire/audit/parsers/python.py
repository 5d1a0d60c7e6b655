"""Parsers that are Python functions: imported, and called as they are."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from voirdire.audit.closure import find_module, imports_relatively, python_files, search_path
from voirdire.errors import ConfigError


class Place(NamedTuple):
    """Where a Python parser is.

    Attributes:
        module: its name, with dots. A file of its own gets one that nothing else has.
        file: of the module.
        folder: from which it imports, or ``None`` where Python's own search path is enough.
        attribute: the function, perhaps inside a class: names joined by dots.
    """

    module: str
    file: Path
    folder: Path | None
    attribute: str

    @property
    def folders(self) -> list[Path]:
        """Where its imports are looked for."""
        return search_path(*([self.folder] if self.folder else []))

    def files(self) -> dict[str, Path]:
        """The files of its project that it is made of, by module."""
        return python_files(self.module, self.file, self.folders)


_opened: list[Place] = []


def find_python(spec: str) -> Place:
    """Where ``module:function`` or ``path/file.py:function`` is; nothing of it is run.

    Raises:
        ConfigError: there is no such file or module.
    """
    where, _, attribute = spec.rpartition(":")
    if not (where.endswith(".py") or "/" in where or "\\" in where):
        found = find_module(where, search_path())
        if not found or found[-1][0] != where:
            # It may yet be built in, or come out of an archive: importing will tell.
            return Place(where, Path(), None, attribute)
        return Place(where, found[-1][1], None, attribute)
    file = Path(where)
    if not file.is_file():
        raise ConfigError(f"parser {spec!r}: there is no file {where!r} in {Path.cwd()}.")
    file = file.resolve()
    if not imports_relatively(file):
        own = f"audited_{hashlib.sha256(str(file).encode()).hexdigest()[:12]}_{file.stem}"
        return Place(own, file, file.parent, attribute)
    folder, name = file.parent, file.stem
    while (folder / "__init__.py").is_file():
        folder, name = folder.parent, f"{folder.name}.{name}"
    return Place(name, file, folder, attribute)


def open_python(spec: str) -> Callable[[str], Any]:
    """The function itself; one that is ``async`` in a wrapper that waits for it.

    Raises:
        ConfigError: it cannot be imported, is not there, or does not take one text.
    """
    place = find_python(spec)
    _refuse_clash(spec, place)
    try:
        found: Any = _load(place)
    except (Exception, SystemExit) as error:
        if isinstance(error, ModuleNotFoundError) and _is_within(place.module, error.name):
            raise ConfigError(
                f"parser {spec!r}: there is no module {error.name!r} in {Path.cwd()} or where"
                f" Python looks ({sys.executable})."
            ) from None
        said = f"{type(error).__name__}: {error}".splitlines()[0]
        raise ConfigError(f"parser {spec!r} cannot be imported: {said}") from error
    _refuse_shadowed(spec, place)
    for name in place.attribute.split("."):
        found = getattr(found, name, None)
    if found is None:
        raise ConfigError(f"parser {spec!r}: there is no {place.attribute!r} in it.")
    if not callable(found):
        raise ConfigError(f"parser {spec!r}: {place.attribute!r} is no function.")
    _check_takes_text(spec, found)
    _opened.append(place)
    call = getattr(found, "__call__", None)  # noqa: B004 (of an object that is no function)
    if inspect.iscoroutinefunction(found) or inspect.iscoroutinefunction(call):
        return _waiting(found)
    parser: Callable[[str], Any] = found
    return parser


def _is_within(module: str, missing: str | None) -> bool:
    return missing is not None and f"{module}.".startswith(f"{missing}.")


def _load(place: Place) -> ModuleType:
    folder = place.folder or Path.cwd()
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    if not place.module.startswith("audited_"):
        return importlib.import_module(place.module)
    if place.module in sys.modules:  # the same file for both sides
        return sys.modules[place.module]
    spec = importlib.util.spec_from_file_location(place.module, place.file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[place.module] = module  # data classes look their module up there
    spec.loader.exec_module(module)
    return module


def _refuse_clash(spec: str, place: Place) -> None:
    """One Python holds one module of a name: the second parser would run the first's code."""
    for other in _opened:
        if other.folder != place.folder:
            theirs, ours = other.files(), place.files()
            for name in sorted(theirs.keys() & ours.keys()):
                if theirs[name].resolve() != ours[name].resolve():
                    raise ConfigError(
                        f"parser {spec!r} imports {name!r} from {ours[name]}, and the other parser"
                        f" from {theirs[name]}: one Python cannot hold both. Run one of them as"
                        " 'cmd:' in a process of its own."
                    )


def _refuse_shadowed(spec: str, place: Place) -> None:
    """A module of the project that has the name of one that Python had loaded before."""
    loaded = getattr(sys.modules.get(place.module), "__file__", None)
    if place.file.is_file() and loaded and Path(loaded).resolve() != place.file.resolve():
        raise ConfigError(
            f"parser {spec!r}: {place.module!r} is the module of {loaded} here, and not"
            f" {place.file}; name the file: {place.file.name}:{place.attribute}."
        )


def _check_takes_text(spec: str, function: Callable[..., Any]) -> None:
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):  # of a function in C
        return
    try:
        signature.bind("")
    except TypeError as error:
        raise ConfigError(
            f"parser {spec!r} cannot be called with one text ({error}): name a function that can."
        ) from None


def _waiting(function: Callable[[str], Any]) -> Callable[[str], Any]:
    import asyncio

    loop = asyncio.new_event_loop()

    def parse(text: str) -> Any:
        return loop.run_until_complete(function(text))

    return parse
