"""Where a model judge is reached, and the secrets that go with it."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

from voirdire.errors import ConfigError

# Shorter values are placeholders ("none", "EMPTY"), and ordinary words of a reply.
_SHORTEST_SECRET = 8
_HIDDEN = "[hidden]"
_LOCAL_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
_HEADER = re.compile(
    r"(?i)((?:proxy-)?authorization|x-api-key|api-key)(\\?[\"']?\s*[:=]\s*\\?[\"']?)"
    r"(?:(?:bearer|basic)\s+)?[^\s\"'\\,}]+"
)
_KEY_SHAPE = re.compile(r"\bsk-[\w*-]{6,}")


@dataclass(frozen=True)
class Endpoint:
    """The base URL of an API.

    Attributes:
        shown: ``scheme://host:port/path`` without user, password and query.
        host: ``scheme://host:port``, the name under which calls in flight are counted.
        local: whether the host is this machine or on a private network.
        secrets: what the URL holds that must never be shown.
    """

    shown: str
    host: str
    local: bool
    secrets: tuple[str, ...] = field(repr=False)
    _user: str = field(repr=False)
    _query: str = field(repr=False)

    @classmethod
    def parse(cls, url: str) -> Endpoint:
        """Read a base URL.

        Raises:
            ConfigError: not an ``http://`` or ``https://`` URL with a host.
        """
        try:
            parts = urlsplit(url)
            port = parts.port
            name = (parts.hostname or "").rstrip(".")
            user, secrets = parts.username, [unquote(parts.password or "")]
        except ValueError:
            parts, port, name, user, secrets = urlsplit(""), None, "", None, []
        if parts.scheme not in ("http", "https") or not _is_host(name):
            raise ConfigError(
                "the judge's base URL must read http://host[:port]/path or https://host[:port]/path"
            )
        host = f"[{name}]" if ":" in name else name
        if port is not None:
            host = f"{host}:{port}"
        secrets += [value for _, _, value in (p.partition("=") for p in parts.query.split("&"))]
        return cls(
            shown=f"{parts.scheme}://{host}{parts.path.rstrip('/')}",
            host=f"{parts.scheme}://{host}",
            local=_is_local(name),
            secrets=tuple(secret for secret in secrets if secret),
            _user="" if user is None else f"{parts.netloc.rpartition('@')[0]}@",
            _query=f"?{parts.query}" if parts.query else "",
        )

    def url(self, path: str) -> str:
        """The whole URL of one of the API's paths, secrets included."""
        scheme, _, rest = self.shown.partition("://")
        return f"{scheme}://{self._user}{rest}{path}{self._query}"


class Secrets:
    """Values that must not leave the process, and the means to take them out of a text."""

    def __init__(self, values: Iterable[str]) -> None:
        known = {value for value in values if len(value) >= _SHORTEST_SECRET}
        # The longest first: one secret may hold another.
        self._values = sorted(known, key=len, reverse=True)
        self._patterns = [re.compile("".join(map(_spelt, value))) for value in self._values]

    def scrub(self, text: str) -> str:
        """The text without the known secrets, be they escaped as in JSON or in a URL."""
        for pattern in self._patterns:
            text = pattern.sub(_HIDDEN, text)
        return text

    def scrub_cut(self, text: str) -> str:
        """:meth:`scrub_error` for a text that broke off, perhaps in the middle of a secret."""
        for value in self._values:
            for length in range(len(value) - 1, _SHORTEST_SECRET - 1, -1):
                if text.endswith(value[:length]):
                    text = text[:-length] + _HIDDEN
        return self.scrub_error(text)

    def scrub_error(self, text: str) -> str:
        """An error body without the known secrets and without whatever looks like a key.

        A reply is not treated so: an answer about API keys must reach the reading as it is.
        """
        return _KEY_SHAPE.sub(_HIDDEN, _HEADER.sub(rf"\1\2{_HIDDEN}", self.scrub(text)))


def _spelt(char: str) -> str:
    """A pattern of a character: as it is, escaped as in JSON (twice, too), or as in a URL."""
    ways = [rf"\\{{0,4}}{re.escape(char)}", rf"\\{{1,4}}(?i:u{ord(char):04x})"]
    if (quoted := quote(char, safe="")) != char:
        ways.append(f"(?i:{re.escape(quoted)})")
    return f"(?:{'|'.join(ways)})"


def find_key(endpoint: Endpoint, chosen: str | None, default: str) -> str | None:
    """The API key from the environment; ``None`` where the host is local and names no key.

    The default variable is not read for a local host: it holds another service's key.

    Args:
        chosen: the variable that the settings name, if any.
        default: the variable of the scheme.

    Raises:
        ConfigError: the variable is unset, or holds what cannot be a key.
    """
    if endpoint.local and chosen is None:
        return None
    name = chosen or default
    key = os.environ.get(name, "").strip()
    if not key:
        raise ConfigError(
            f"the judge at {endpoint.host} needs an API key: set the environment variable {name}"
        )
    if not key.isascii() or not key.isprintable():
        raise ConfigError(f"the environment variable {name} does not hold an API key")
    return key


def _is_host(name: str) -> bool:
    return bool(name) and not re.search(r"[\s\\/@%<>\"{}|^`]", name) and not name.startswith(".")


def _is_local(name: str) -> bool:
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        # A name without a dot is a neighbour: localhost, or a container's service.
        return "." not in name or name.endswith(_LOCAL_SUFFIXES)
    return address.is_private or address.is_loopback or address.is_link_local
