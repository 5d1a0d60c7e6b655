"""Parsers in JavaScript: one Node process that calls the function for every text."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from voirdire.audit.parsers.process import Program
from voirdire.errors import ConfigError

BRIDGE = Path(__file__).with_name("bridge.mjs")
# A parser may write to its standard output past Node's own stream of it, as compiled ones do.
_ANSWERS_ON_3 = 'exec "$0" "$@" 3>&1 1>&2'
_OWN = 256 << 20  # bytes that Node needs beside what the parser holds


def node_on_path(spec: str) -> str:
    """Where Node is.

    Raises:
        ConfigError: nowhere on PATH.
    """
    node = shutil.which("node")
    if node is None:
        raise ConfigError(f"parser {spec!r} needs Node, and none is on PATH: install Node.")
    return node


def file_and_export(spec: str) -> tuple[Path, str]:
    """The file that ``node:path/file.mjs#export`` names, and the export: empty for the default.

    Raises:
        ConfigError: there is no such file.
    """
    path, _, name = spec.removeprefix("node:").partition("#")
    file = Path(path)
    if not file.is_file():
        raise ConfigError(f"parser {spec!r}: there is no file {path!r} in {Path.cwd()}.")
    return file.resolve(), name


def run_in_node(
    label: str,
    node: str,
    file: Path,
    export: str = "",
    *,
    timeout: float,
    memory: int,
    environment: Mapping[str, str] | None = None,
) -> Program:
    """A function that a module exports, to be called in a Node process.

    Args:
        label: what messages call it.
        node: the Node to run it.
        file: the module, ES or CommonJS.
        export: its name there, a path of names joined by dots, or empty for the default export.
        timeout: seconds that a text may take.
        memory: bytes that the parser may hold.
        environment: variables beside our own.

    Raises:
        ConfigError: it cannot be loaded, or there is no such function.
    """
    heap = max(16, memory >> 20)
    command = ["/bin/sh", "-c", _ANSWERS_ON_3, node]
    command += [f"--max-old-space-size={heap}", str(BRIDGE), file.as_uri(), export]
    return Program(
        command,
        label,
        timeout=timeout,
        memory=memory + _OWN,
        environment={**os.environ, **(environment or {})},
        greets=True,
    )
