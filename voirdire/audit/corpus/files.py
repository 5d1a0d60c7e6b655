"""Which files a corpus is made of, and what each of them holds."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from voirdire.audit.corpus.source import Source
from voirdire.errors import ConfigError
from voirdire.promptfoo.outputs import SQLITE, is_row
from voirdire.promptfoo.streamed import is_results

TEXT: Final = "text"
JSONL: Final = "jsonl"
JOURNAL: Final = "journal"
RESULTS: Final = "promptfoo results"
ROWS: Final = "promptfoo rows"
DATABASE: Final = "promptfoo database"
PARQUET: Final = "parquet"

_FIRST_LINES = 20
_LONGEST_FIRST_LINE = 16 * 1024 * 1024


@dataclass
class File:
    """One file of a corpus.

    Attributes:
        name: as it is shown.
        path: where it lies; ``None`` for standard input.
        size: bytes; ``None`` where nobody knows beforehand.
        format: what it holds.
        packed: whether it is gzip.
    """

    name: str
    path: Path | None
    size: int | None
    format: str
    packed: bool = False


def find(paths: Sequence[str]) -> list[File]:
    """The files at these paths, each once, those of a folder by name.

    Raises:
        ConfigError: a path is missing, or cannot be read, or is a folder without files.
    """
    found: list[File] = []
    seen: set[str] = set()
    for name, path in _named(paths):
        identity = "-" if path is None else os.path.realpath(path)
        if identity not in seen:
            seen.add(identity)
            try:
                found.append(_file(name, path))
            except OSError as error:
                raise unreadable(name, error) from None
    return found


def unreadable(name: str, error: OSError) -> ConfigError:
    """The error for a file that cannot be read."""
    return ConfigError(f"{name}: cannot be read ({error.strerror or error})")


def _named(paths: Sequence[str]) -> Iterator[tuple[str, Path | None]]:
    for given in paths:
        path = Path(given)
        if not given:  # as from a variable that is not set; Path would take it for this folder
            raise ConfigError("--corpus was given nothing; give the path of a file or folder")
        if given == "-":
            yield "standard input", None
        elif path.is_dir():
            files = sorted(_below(path, given), key=lambda file: file.relative_to(path).as_posix())
            if not files:
                raise ConfigError(f"{given}: the folder holds no files; hidden ones do not count")
            for file in files:
                yield file.as_posix(), file
        elif path.exists():
            yield given, path
        else:
            raise ConfigError(f"{given}: is not there; give the path of a file or folder of texts")


def _below(folder: Path, given: str) -> Iterator[Path]:
    def stop(error: OSError) -> None:
        raise unreadable(error.filename or given, error)

    # Links to folders are followed, but no folder is entered twice: they may lead in a circle.
    seen = {os.path.realpath(folder)}
    for base, folders, names in os.walk(folder, onerror=stop, followlinks=True):
        kept_folders = []
        for name in sorted(folders, key=lambda one: (Path(base, one).is_symlink(), one)):
            real = os.path.realpath(Path(base, name))
            if not name.startswith(".") and real not in seen:
                seen.add(real)
                kept_folders.append(name)
        folders[:] = kept_folders
        kept = set(names)
        for name in names:
            beside = [name.removesuffix(end) for end in ("-wal", "-shm", "-journal")]
            of_sqlite = any(owner != name and owner in kept for owner in beside)
            if Path(name).stem.upper() == "README":  # speaks of the texts, and is none
                continue
            file = Path(base, name)
            # A pipe would be waited for; a link to nothing is an error further on.
            if not name.startswith(".") and not of_sqlite and (file.is_file() or not file.exists()):
                yield file


def _file(name: str, path: Path | None) -> File:
    state = path.stat() if path else None
    if path is None or state is None or not stat.S_ISREG(state.st_mode):
        # A pipe can be read but once: what is in it must be taken for granted.
        return File(name, path, None, JSONL)
    with path.open("rb") as file:
        start = file.read(len(SQLITE))
    named_packed = path.suffix.lower() == ".gz"
    packed = start.startswith(b"\x1f\x8b") and named_packed
    # Some programs unpack what they fetch, and leave the name as it was.
    kind = (path.with_suffix("") if named_packed else path).suffix.lower()
    if start == SQLITE:
        found = DATABASE
    elif kind == ".parquet":
        found = PARQUET
    elif kind in (".jsonl", ".ndjson"):
        with closing(Source(path, packed)) as source:
            found = _of_lines(source.stream)
    elif kind == ".json":
        with closing(Source(path, packed)) as source:
            found = RESULTS if is_results(source.stream) else TEXT
    else:
        found = TEXT
    return File(name, path, state.st_size, found, packed)


def _of_lines(stream: IO[bytes]) -> str:
    for _ in range(_FIRST_LINES):
        value = _object(stream.readline(_LONGEST_FIRST_LINE))
        if isinstance(value, dict):
            if is_row(value):
                return ROWS
            of_a_call = value.get("type") == "call" and "fingerprint" in value
            of_a_reading = value.get("type") == "reading" and "reading" in value
            return JOURNAL if "at" in value and (of_a_call or of_a_reading) else JSONL
    return JSONL


def _object(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
