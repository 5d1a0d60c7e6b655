"""Canned texts behind promptfoo's provider door: recorded answers, and a blind judge's replies."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voirdire.doorinput import find
from voirdire.errors import ConfigError
from voirdire.promptfoo.cache import uncached
from voirdire.promptfoo.suite import config_paths

_FIELDS = {"answers": "answer", "replies": "reply"}


def provider(
    options: Mapping[str, Any] | None, context: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The text recorded for the test's ``case_id``; nobody is asked.

    ``config: {answers: FILES}`` serves the field ``answer`` of JSONL lines with an ``id``,
    as a target would; ``config: {replies: FILES}`` serves ``reply``, as promptfoo's own
    grader would get it. A missing record is an error.
    """
    config = (options or {}).get("config") or {}
    vars_ = (context or {}).get("vars") or {}
    try:
        text = _recorded(config, str(vars_.get("case_id", "")))
    except ConfigError as error:
        return {"error": f"replay: {error}"}
    return uncached({"output": text, "metadata": {"canned": True}})


def _recorded(config: Mapping[str, Any], case_id: str) -> str:
    from voirdire.jsonl import objects

    kinds = [kind for kind in _FIELDS if config.get(kind)]
    if len(kinds) != 1:
        raise ConfigError("config: give `answers: FILES` or `replies: FILES`")
    files = config[kinds[0]]
    folders = [*(path.parent for path in config_paths()), Path()]
    for file in [files] if isinstance(files, str) else files:
        for where, record in objects(find(str(file), folders)):
            if record.get("id") == case_id:
                text = record.get(_FIELDS[kinds[0]])
                if not isinstance(text, str):
                    raise ConfigError(f"{where}: `{_FIELDS[kinds[0]]}` must be text")
                return text
    raise ConfigError(f"no {_FIELDS[kinds[0]]} was recorded for the case {case_id!r}")
