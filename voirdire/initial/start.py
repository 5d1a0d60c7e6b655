"""A small working project for a folder that has none."""

from __future__ import annotations

import os
from pathlib import Path

from voirdire.errors import ConfigError
from voirdire.initial.door import SCRIPT, find_door
from voirdire.initial.patch import Change

_FILES = Path(__file__).with_name("starter")
_DOOR = "@DOOR@"


def starter(folder: Path) -> list[Change]:
    """The files of a project that runs offline, each of them new.

    Raises:
        ConfigError: a file of that name is there.
    """
    door = find_door(folder)
    changes = []
    for file in sorted(_FILES.iterdir()):
        text = file.read_text(encoding="utf-8").replace(_DOOR, door.id)
        changes.append(Change(folder / file.name, None, text))
    if door.script is not None:
        changes.append(Change(door.script, None, SCRIPT))
    for change in changes:
        if os.path.lexists(change.path):
            raise ConfigError(
                f"{change.path}: is there, but no promptfooconfig.yaml is; give an empty folder, "
                "or that of a promptfoo project"
            )
    return changes
