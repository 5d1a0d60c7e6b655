"""The script through which promptfoo reaches voirdire, from a project's own folder."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from voirdire.errors import ConfigError
from voirdire.initial.marked import Node

NAME = "voirdire_judge.py"
# Loaded when it is called: promptfoo waits minutes for a script that cannot be loaded.
SCRIPT = '''\
"""promptfoo's door to voirdire, which the Python that promptfoo uses has installed."""

import sys


def call_api(prompt, options, context):
    """The name and the arguments that promptfoo calls a provider with."""
    try:
        from voirdire.promptfoo.grading import provider
    except ModuleNotFoundError as error:
        raise RuntimeError(
            f"the Python that promptfoo uses ({sys.executable}) has no module {error.name!r}; "
            "install voirdire into it with pip, or set PROMPTFOO_PYTHON to one that has it"
        ) from None
    return provider(options, context)
'''
_INSTALLED = Path("node_modules/voirdire/providers/judge.py")


class Door(NamedTuple):
    """A door.

    Attributes:
        id: what promptfoo calls it.
        script: the file to be written; ``None`` where it is there.
    """

    id: str
    script: Path | None


def find_door(folder: Path) -> Door:
    """The door of the npm package where that is installed; else a script of the project's own.

    Raises:
        ConfigError: another file has the script's name.
    """
    for parent in (folder, *folder.resolve().parents):
        if (parent / _INSTALLED).is_file():
            return Door(f"file://{_relative(parent / _INSTALLED, folder)}", None)
        if (parent / ".git").exists():
            break
    script = folder / NAME
    if not os.path.lexists(script):
        return Door(f"file://{NAME}", script)
    if not is_own_script(script):
        raise ConfigError(f"{script}: is no door of voirdire's; give that file another name")
    return Door(f"file://{NAME}", None)


def text_grader(provider: Node | None) -> Node | None:
    """The one that judges texts, where a provider is given for each kind of grading."""
    if provider is None or provider.kind != "mapping" or provider.get("id") is not None:
        return provider
    return provider.get("text") or provider


def is_door(provider: Node | None, folder: Path) -> bool:
    """Whether a provider is voirdire's drop-in door."""
    provider = text_grader(provider)
    if provider is None:
        return False
    identity = provider if provider.kind == "scalar" else provider.get("id")
    text = identity.text if identity is not None and identity.kind == "scalar" else ""
    found = re.fullmatch(r"file://(.+\.py)(?::\w+)?", text)
    if not found:
        return False
    if found[1].endswith(("voirdire/providers/judge.py", NAME)):
        return True
    return is_own_script(folder / found[1])


def is_own_script(path: Path) -> bool:
    """Whether a script, not one of the package's, leads to the drop-in door."""
    return path.is_file() and "voirdire.promptfoo.grading" in _text(path)


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder.resolve())).as_posix()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
