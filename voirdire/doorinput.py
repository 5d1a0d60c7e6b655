"""What a door is given: the answer, the files of its ``config:``, and the sources of truth."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from voirdire.errors import ConfigError
from voirdire.source import Source, excerpts, load_sources

# A test var that holds this and nothing else was meant as a file of truth.
_FILE_NAME = r"\S+\.(md|markdown|txt|json|jsonl|ya?ml|html?)"


def as_text(value: Any) -> str:
    """A var or an output as text; promptfoo hands JSON over parsed."""
    if isinstance(value, str):
        return value
    import json

    return json.dumps(value, ensure_ascii=False)


def find(text: str, folders: Sequence[Path]) -> Path:
    """The file that a path of a config means: in the first of the folders that has it."""
    path = Path(text.removeprefix("file://"))
    if path.is_absolute():
        return path
    for folder in folders:
        if (folder / path).exists():
            return _short(folder / path)
    return path


def var_names(value: Any, names: Sequence[str]) -> Mapping[str, str]:
    """The test vars that a config's ``vars:`` says to take instead of those of these names.

    Raises:
        ConfigError: it is no mapping from some of the names to names.
    """
    if not isinstance(value, dict):
        raise ConfigError(f"config: vars: must map {', '.join(names)} to names of test vars")
    for key, name in value.items():
        if key not in names or not isinstance(name, str):
            raise ConfigError(f"config: vars: {key!r} is not one of {', '.join(names)} with a name")
    return {name: value.get(name, name) for name in names}


def read_sources(
    configured: Any, var: str, vars_: Mapping[str, Any], folders: Sequence[Path]
) -> list[Source]:
    """The sources of truth of one case.

    Args:
        configured: the config's ``source``: paths and excerpts, one or a list; ``None`` where
            a test var holds the source.
        var: that var's name.
        vars_: the test's vars.
        folders: where relative paths are looked for, in order.

    Raises:
        ConfigError: no source, or one that is missing, empty or unreadable.
    """
    if configured is not None:
        return _configured(configured, folders)
    value = vars_.get(var)
    if value is None:
        raise ConfigError(
            f"config: no source of truth; add `source: FILE`, or give the tests a var `{var}`"
        )
    if isinstance(value, (list, dict)):
        return excerpts(value if isinstance(value, list) else [value], f"the test var `{var}`")
    text = as_text(value)
    if not text.strip():
        raise ConfigError(f"the test var `{var}`: the source of truth is empty")
    if re.fullmatch(_FILE_NAME, text):
        raise ConfigError(
            f"the test var `{var}`: {text[:200]} is a path, and no source of truth;"
            f" write file://{text[:200]}"
        )
    return [Source(var, text)]


def _configured(value: Any, folders: Sequence[Path]) -> list[Source]:
    items = value if isinstance(value, list) else [value]
    sources: list[Source] = []
    for item in items:
        if isinstance(item, str):
            sources.extend(load_sources(_source_file(item, folders)))
        else:
            sources.extend(excerpts([item], "config.source"))
    return sources


def _source_file(text: str, folders: Sequence[Path]) -> Path:
    """The file that a string in ``source`` means.

    Raises:
        ConfigError: it is no path.
    """
    if not text.strip():
        raise ConfigError("config.source: is empty; give the path of the source of truth")
    if "\n" in text.strip() or max(map(len, text.split("/"))) > 255:
        # promptfoo reads a provider's file:// itself and hands its text over.
        raise ConfigError(
            "config.source: is a text, not a path; write the file's path without file://,"
            " or an excerpt {id, text}"
        )
    if text.startswith(("http://", "https://")):
        raise ConfigError(
            f"config.source: {text[:200]}: nothing is fetched; save the page and give its path"
        )
    return find(text, folders)


def _short(path: Path) -> Path:
    """Relative to the working directory where it lies below it: ids and records stay portable."""
    try:
        return path.resolve().relative_to(Path.cwd())
    except ValueError:
        return path
