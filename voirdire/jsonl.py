"""JSONL: one JSON object a line, each with the place it stands."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from voirdire.errors import ConfigError


def objects(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects of a JSONL file (``-`` is standard input), each with its ``file:line``.

    Raises:
        ConfigError: the file cannot be read or is empty, or a line is no JSON object.
    """
    name = "standard input" if str(path) == "-" else str(path)
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{name}: cannot be read ({error.strerror})") from None
    found = False
    # Not splitlines: the characters that end a line of Unicode text may stand in a JSON string.
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if line.strip():
            found = True
            yield f"{name}:{number}", _object(line, f"{name}:{number}")
    if not found:
        raise ConfigError(f"{name}: is empty; give one JSON object a line")


def _object(line: bytes, where: str) -> Mapping[str, Any]:
    try:
        value = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise ConfigError(f"{where}: not UTF-8; save the file as UTF-8") from None
    except (ValueError, RecursionError) as error:
        why = getattr(error, "msg", "too deep, or too long a number")
        raise ConfigError(f"{where}: not valid JSON ({why}); mend the line") from None
    if not isinstance(value, dict):
        raise ConfigError(f"{where}: must be a JSON object")
    return value
