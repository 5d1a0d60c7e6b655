"""The shared store: Redis, for a team's CI runners."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from voirdire.cache.store import read_record, warn
from voirdire.errors import ConfigError

PREFIX = "voirdire:verdict:"
EXPIRY_S = 30 * 24 * 3600
"""How long a verdict is kept, in seconds, counted from when it was asked for."""

_FLIGHT = "voirdire:flight:"
# A flight is let go so long after its holder died; a live one renews its hold in time.
_HOLD_MS = 15_000
_TIMEOUT_S = 2.0
# Only where the flight is still ours: it may have expired and be another's.
_RELEASE = "if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) end"
_RENEW = """if redis.call('get', KEYS[1]) == ARGV[1] then
    redis.call('pexpire', KEYS[1], ARGV[2]) end"""

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
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError:
            raise ConfigError(
                "a redis:// cache needs the Redis client; pip install 'voirdire[redis]'"
            ) from None
        self._errors = (redis.RedisError, OSError)
        try:
            self._client: Any = redis.Redis.from_url(
                url,
                socket_timeout=_TIMEOUT_S,
                socket_connect_timeout=_TIMEOUT_S,
                # Once again at once: the server may have closed a connection that was idle.
                retry=Retry(NoBackoff(), 1),
            )
            self._client.connection_pool.make_connection()  # reads the URL's options
        except (ValueError, TypeError, AttributeError):
            raise ConfigError("the cache's redis:// URL cannot be read; mend it") from None
        self._expiry_s = expiry_s
        self.away = False

    def get(self, key: str) -> Mapping[str, Any] | None:
        """The record under a key, or ``None`` where there is none that can be read."""
        return read_record(self._try(lambda: self._client.get(PREFIX + key)))

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
        name, mine = _FLIGHT + key, os.urandom(8).hex()
        while not self._try(lambda: self._client.set(name, mine, px=_HOLD_MS, nx=True)):
            if self.away:
                yield
                return
            time.sleep(0.05)
        landed = threading.Event()

        def renew() -> None:
            while not landed.wait(_HOLD_MS / 3000):
                self._try(lambda: self._client.eval(_RENEW, 1, name, mine, _HOLD_MS))

        threading.Thread(target=renew, daemon=True).start()
        try:
            yield
        finally:
            landed.set()
            self._try(lambda: self._client.eval(_RELEASE, 1, name, mine))

    def items(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """All records, in no order."""
        keys = self._try(lambda: list(self._client.scan_iter(PREFIX + "*", count=1000))) or []
        for key in keys:
            name = key.decode()
            record = self.get(name.removeprefix(PREFIX))
            if record is not None:
                yield name.removeprefix(PREFIX), record

    def _try(self, work: Callable[[], _T]) -> _T | None:
        if self.away:
            return None
        try:
            return work()
        except self._errors as error:
            self.away = True  # ask no more in this process: each try would cost seconds
            warn(f"the shared verdict cache is away ({type(error).__name__}); going without")
            return None
