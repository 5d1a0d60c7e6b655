"""The files of a suite, each as it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from voirdire.errors import ConfigError
from voirdire.initial.marked import Marked

_NAMES = tuple(f"promptfooconfig.{ending}" for ending in ("yaml", "yml", "json"))
_PROGRAMS = tuple(f"promptfooconfig.{end}" for end in ("js", "mjs", "cjs", "ts", "mts", "cts"))
PLAIN = (".yaml", ".yml", ".json")
"""What is read; anything else is a program, or a table."""

_BOM = "\ufeff"


@dataclass(eq=False)
class SuiteFile:
    """A YAML or JSON file of the suite.

    Attributes:
        path: where it lies.
        text: as it is, line ends included; without a byte order mark.
        bom: the byte order mark, if it has one.
        marked: its values with their places.
    """

    path: Path
    text: str
    bom: str
    marked: Marked


def find_config(place: Path) -> Path | None:
    """The suite's file in a folder, or the one that is given; ``None`` where there is none.

    Raises:
        ConfigError: there is no such place, or the file is a program.
    """
    if not place.exists():
        raise ConfigError(f"{place}: no such folder; make it first, or give a project's")
    if not place.is_dir() and not place.is_file():
        raise ConfigError(f"{place}: neither a folder nor a file; give a project's")
    names = (place / name for name in (*_NAMES, *_PROGRAMS)) if place.is_dir() else (place,)
    found = next((path for path in names if path.is_file()), None)
    if found is not None and found.suffix not in PLAIN:
        raise ConfigError(
            f"{found}: is a program, and left alone; put the provider of its llm-rubrics in by "
            "hand, as README.md shows, or keep the tests in YAML"
        )
    return found


def read_suite_file(path: Path) -> SuiteFile:
    """Read one file, every character kept.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start}); save it so") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror}); mend its access") from None
    bom = _BOM if text.startswith(_BOM) else ""
    text = text.removeprefix(_BOM)
    return SuiteFile(path, text, bom, Marked(path, text))
