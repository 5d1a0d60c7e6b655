"""The shared store: Redis, for a team's CI runners."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from voirdire.cache.store import warn
from voirdire.errors import ConfigError

PREFIX = "voirdire:verdict:"
EXPIRY_S = 30 * 24 * 3600
"""How long a verdict is kept, in seconds, counted from when it was asked for."""

_FLIGHT = "voirdire:flight:"
_FLIGHT_S = 200
_TIMEOUT_S = 2.0
# Release a flight only where it is still ours: it may have expired and be another's.
_RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end"

_T = TypeVar("_T")


class RedisStore:
    """Verdicts in Redis; it works as well as none when the server is away.

    Args:
        url: ``redis://…``; its password is never shown.
        expiry_s: seconds that a verdict is kept.

    Raises:
        ConfigError: the client is not installed, or the URL is none.
    """

    def __init__(self, url: str, expiry_s: int = EXPIRY_S) -> None:
        try:
            import redis
        except ImportError:
            raise ConfigError(
                "a redis:// cache needs the Redis client; pip install 'voirdire[redis]'"
            ) from None
        self._errors = (redis.RedisError, OSError)
        try:
            self._client: Any = redis.Redis.from_url(
                url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S
            )
        except ValueError:
            raise ConfigError("the cache's redis:// URL cannot be read; mend it") from None
        self._expiry_s = expiry_s
        self._away = False

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The record under a key, or ``None``."""
        text = self._try(lambda: self._client.get(PREFIX + key))
        return _record(text) if text else None

    def put(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a record; the first one stays."""
        self._try(
            lambda: self._client.set(PREFIX + key, json.dumps(record), ex=self._expiry_s, nx=True)
        )

    def replace(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a record instead of the one that was there."""
        self._try(lambda: self._client.set(PREFIX + key, json.dumps(record), ex=self._expiry_s))

    @contextmanager
    def flight(self, key: str) -> Iterator[None]:
        """Held while a key is asked for; let go after a while if its holder died."""
        mine = os.urandom(8).hex()
        until = time.monotonic() + _FLIGHT_S
        while not self._away and time.monotonic() < until:
            took = self._try(lambda: self._client.set(_FLIGHT + key, mine, ex=_FLIGHT_S, nx=True))
            if took or self.get(key) is not None:
                break
            time.sleep(0.05)
        try:
            yield
        finally:
            self._try(lambda: self._client.eval(_RELEASE, 1, _FLIGHT + key, mine))

    def items(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """All records, in no order."""
        keys = self._try(lambda: list(self._client.scan_iter(PREFIX + "*", count=1000))) or []
        for key in keys:
            name = key.decode()
            text = self._try(lambda name=name: self._client.get(name))  # type: ignore[misc]
            record = _record(text) if text else None
            if record is not None:
                yield name.removeprefix(PREFIX), record

    def _try(self, work: Callable[[], _T]) -> _T | None:
        if self._away:
            return None
        try:
            return work()
        except self._errors as error:
            self._away = True  # ask no more in this process: each try would cost seconds
            warn(f"the shared verdict cache is away ({type(error).__name__}); going without")
            return None


def _record(text: bytes) -> Mapping[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
