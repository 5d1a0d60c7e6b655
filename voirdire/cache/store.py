"""Which store keeps verdicts, and what every store offers."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from voirdire.errors import ConfigError


class Store(Protocol):
    """A place for recorded replies. No method raises for a store that is ill: it goes without.

    Attributes:
        away: whether the store could not be used, once at least; it has warned then.
    """

    away: bool

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The record under a key, or ``None`` where there is none that can be read."""

    def put(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a record; the first one stays."""

    def replace(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a record instead of the one that was there."""

    def flight(self, key: str) -> AbstractContextManager[None]:
        """Held while a key is asked for: two processes at once cost one call."""

    def items(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """All records."""


def cache_key(fingerprint: str, prompt_sha256: str, sample: int) -> str:
    """SHA-256, hex, of all that a verdict depends on.

    Args:
        fingerprint: the judge with its settings, the rubric's version, schema, template, policy.
        prompt_sha256: the messages: rubric, sources with their ids, question, answer, order.
        sample: which of several samples, from 0.
    """
    return hashlib.sha256(json.dumps([fingerprint, prompt_sha256, sample]).encode()).hexdigest()


def open_store(place: str | None = None) -> Store | None:
    """The store at a place: a file, a ``redis://`` URL, or ``off``.

    Args:
        place: ``None`` takes ``$VOIRDIRE_CACHE``, else ``.voirdire/cache.sqlite`` under the
            working directory.

    Raises:
        ConfigError: a URL of another kind, or the Redis client is not installed.
    """
    place = place or os.environ.get("VOIRDIRE_CACHE") or str(Path(".voirdire") / "cache.sqlite")
    if place == "off":
        return None
    if place.startswith(("redis://", "rediss://", "unix://")):
        from voirdire.cache.shared import RedisStore

        return RedisStore(place)
    if "://" in place:
        raise ConfigError("the cache is a file, a redis:// URL, or off")
    from voirdire.cache.local import SqliteStore

    return SqliteStore(Path(place))


def read_record(text: str | bytes | None) -> Mapping[str, Any] | None:
    """A kept record; ``None`` for what is none, whoever wrote it."""
    try:
        value = json.loads(text or "null")
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def warn(text: str) -> None:
    """Say once on standard error that the store goes without."""
    print(f"voirdire: {text}", file=sys.stderr)
