"""Sources of truth: documents that an answer is held against."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.errors import ConfigError
from voirdire.jsonl import objects
from voirdire.yamlfile import read_text


def text_hash(text: str) -> str:
    """SHA-256 of a text, hex; lone surrogates are hashed as they stand."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Source(NamedTuple):
    """One document of truth: an id that a person can find it by, and its text."""

    id: str
    text: str

    @property
    def sha256(self) -> str:
        """SHA-256 of the text, hex."""
        return text_hash(self.text)


def load_sources(file: str | Path) -> list[Source]:
    """Read one file of truth.

    A ``.json`` or ``.jsonl`` file is a list of excerpts (``{"id": …, "text": …}``, a
    ``title`` may stand before the text); any other file is one document, its id the path.

    Raises:
        ConfigError: missing, empty, unreadable, or an excerpt without id or text.
    """
    path = Path(file)
    if path.suffix.lower() == ".jsonl":
        return [_excerpt(item, where) for where, item in objects(path)]
    text = read_text(path, "source of truth")
    if path.suffix.lower() != ".json":
        return [Source(path.as_posix(), text)]
    value = _json(text, str(path))
    if isinstance(value, dict) and list(value) == ["excerpts"]:
        value = value["excerpts"]
    return excerpts(value, str(path))


def excerpts(value: Any, where: str) -> list[Source]:
    """Sources from a list of ``{"id": …, "text": …}``.

    Raises:
        ConfigError: names ``where`` and the excerpt that is wrong.
    """
    if not isinstance(value, list) or not value:
        raise ConfigError(
            f'{where}: must be a list of excerpts, each {{"id": …, "text": …}}, at least one'
        )
    return [_excerpt(item, f"{where}: excerpt {n}") for n, item in enumerate(value, 1)]


def unique(sources: Sequence[Source]) -> tuple[Source, ...]:
    """The sources, once it is sure that there is one, that each has words and its own id.

    Raises:
        ConfigError: none, one without a letter or digit, or two with one id.
    """
    if not sources:
        raise ConfigError("no source of truth was given; name a file, a test variable or excerpts")
    seen: set[str] = set()
    for source in sources:
        if source.id in seen:
            raise ConfigError(f"the source id {source.id!r} stands twice; give each its own")
        seen.add(source.id)
        if not any(map(str.isalnum, source.text)):
            raise ConfigError(f"the source {source.id!r} holds no words; give it its text")
    return tuple(sources)


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{where}:{error.lineno}: not valid JSON ({error.msg}); mend it"
        ) from None
    except (ValueError, RecursionError):
        raise ConfigError(f"{where}: not JSON that can be read; mend it") from None


def _excerpt(item: Any, where: str) -> Source:
    if not isinstance(item, dict):
        raise ConfigError(f'{where}: must be an object {{"id": …, "text": …}}')
    identity, text, title = item.get("id"), item.get("text"), item.get("title")
    if not isinstance(identity, str) or not identity.strip():
        raise ConfigError(f"{where}: `id` must be text that is not empty")
    if not isinstance(text, str) or not text.strip():
        raise ConfigError(f"{where}: `text` of {identity!r} must be text that is not empty")
    if title is not None and not isinstance(title, str):
        raise ConfigError(f"{where}: `title` of {identity!r} must be text")
    return Source(identity, f"{title}\n{text}" if title else text)
