"""What names a parser on the command line, and the parser it names.

``module:function``, ``path/file.py:function``, ``node:path/file.mjs#export``, ``cmd:any program``,
or the name of a built-in one.
"""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Callable
from typing import Any

from voirdire.audit.parsers.builtin import BUILTINS, builtin
from voirdire.errors import ConfigError

PROMPTFOO = "promptfoo"


def kind_of(spec: str) -> str:
    """``builtin``, ``python``, ``node`` or ``cmd``.

    Raises:
        ConfigError: it is none of these.
    """
    if spec in BUILTINS or spec == PROMPTFOO:
        return "builtin"
    for kind in ("node", "cmd"):
        if spec.startswith(f"{kind}:"):
            return kind
    where, colon, attribute = spec.rpartition(":")
    if where and all(name.isidentifier() for name in attribute.split(".")):
        return "python"
    if colon or spec.endswith(".py"):
        raise ConfigError(f"parser {spec!r} names no function: write FILE.py:FUNCTION.")
    raise ConfigError(
        f"there is no built-in parser {spec!r} (but {', '.join([*BUILTINS, PROMPTFOO])}); others"
        " are named module:function, path/file.py:function, node:path/file.mjs#export, cmd:PROGRAM."
    )


def open_parser(spec: str, *, timeout: float, memory: int) -> Callable[[str], Any]:
    """Make the parser ready to be called.

    Args:
        spec: names it.
        timeout: seconds that one text may take; kept where the parser is another process.
        memory: bytes that the parser may hold; kept where it is another process.

    Returns:
        What takes a text and gives a value, or ``None`` where it finds nothing. It raises an
        exception where it refuses the text, and :class:`~voirdire.audit.parsers.endings.Broken`
        where its process brought no answer. One that is another process, and watches it, has a
        method ``close()``.

    Raises:
        ConfigError: there is no such parser, or it cannot be used here.
    """
    kind = kind_of(spec)
    if spec == PROMPTFOO:
        from voirdire.audit.parsers.promptfoo import open_promptfoo

        return open_promptfoo(timeout=timeout, memory=memory)
    if kind == "builtin":
        return builtin(spec)
    if kind == "python":
        from voirdire.audit.parsers.python import open_python

        return open_python(spec)
    if kind == "node":
        from voirdire.audit.parsers.node import file_and_export, node_on_path, run_in_node

        file, export = file_and_export(spec)
        node = node_on_path(spec)
        return run_in_node(repr(spec), node, file, export, timeout=timeout, memory=memory)
    from voirdire.audit.parsers.process import Program

    return Program(command(spec), repr(spec), timeout=timeout, memory=memory)


def command(spec: str) -> list[str]:
    """The words of a ``cmd:`` spec, the program's first.

    Raises:
        ConfigError: they cannot be told apart, or there is no such program.
    """
    try:
        words = shlex.split(spec.removeprefix("cmd:"))
    except ValueError as error:
        raise ConfigError(f"parser {spec!r}: {error}.") from None
    if not words:
        raise ConfigError(f"parser {spec!r} names no program.")
    if shutil.which(words[0]) is None:
        raise ConfigError(
            f"parser {spec!r}: there is no program {words[0]!r} on PATH, or it may not be run."
        )
    return words


def described() -> dict[str, str]:
    """What each built-in parser accepts, in a line."""
    from voirdire.audit.parsers.promptfoo import open_promptfoo

    functions = {**BUILTINS, PROMPTFOO: open_promptfoo}
    return {name: (of.__doc__ or "").partition("\n")[0] for name, of in functions.items()}
