"""Links and e-mail addresses that stand in no source."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from voirdire.checks.subject import Subject
from voirdire.errors import ConfigError
from voirdire.judges.rules.fold import fold
from voirdire.judges.rules.marks import find_links

_MOST = 100  # unknown links that are listed; each is looked for in all of the source
_URL_END = r"[^\s<>()\[\]{}\"'`|*\\]"
# What a reader can click though it is written otherwise than a link in prose.
_OTHER_SCHEME = re.compile(rf"(?<![\w+.-])[a-z][a-z0-9+.-]{{1,20}}://{_URL_END}+", re.IGNORECASE)
_HOST_WITH_PATH = re.compile(
    r"(?<![\w@./:-])(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.){1,8}"
    rf"(?!(?:js|ts|json|ya?ml|txt|html?|csv|pdf|png|jpe?g)/)[a-z]{{2,24}}(?::\d{{1,5}})?/{_URL_END}+",
    re.IGNORECASE,
)
_TARGETS = (
    re.compile(r"\]\(\s{0,9}<?([^\s)<>]+)"),
    re.compile(r"(?m)^[ \t>]{0,9}\[[^\]\n]{1,200}\]:[ \t]{0,9}<?([^\s<>]+)"),
    re.compile(r"\b(?:href|src|action)\s{0,9}=\s{0,9}[\"']?([^\s\"'<>]+)", re.IGNORECASE),
)
_DOMAIN = re.compile(r"(?!-)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*")
_SCHEME = re.compile(r"(?:([a-z][a-z0-9+.-]*):)?(?://)?", re.IGNORECASE)


def read(value: Any) -> Callable[[Subject], list[str]]:
    """The check for ``links:``, true or ``{allow: [domain, …]}``; subdomains are allowed with it.

    Raises:
        ConfigError: it is something else, or an entry is no domain.
    """
    allowed: list[str] = []
    if value is not True:
        if not isinstance(value, dict) or list(value) != ["allow"]:
            raise ConfigError("config: links: must be true or {allow: [DOMAIN, …]}")
        allowed = [_domain(item) for item in _list(value["allow"])]

    def faults(subject: Subject) -> list[str]:
        texts = [fold(source.text) for source in subject.sources]
        known = {(kind, key) for text in texts for kind, key, _ in _links(text)}
        hosts = {key.split("/", 1)[0] for kind, key in known if kind == "url"}
        unknown: list[str] = []
        for kind, key, text in dict.fromkeys(_links(fold(subject.prose))):
            if len(unknown) == _MOST:
                return [*unknown, "more links are not looked up"]
            found = (kind, key) in known or (kind == "url" and key in hosts)
            if kind == "target":
                found = any(_stands(key, other) for other in texts)
            if not found and not _is_allowed(text, allowed):
                unknown.append(f"{text[:200]} is not in the source")
        return list(dict.fromkeys(unknown))

    return faults


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise ConfigError("config: links: allow: must be a list of domains")
    return value


def _domain(value: Any) -> str:
    domain = value.lower().removeprefix("*.").strip(".") if isinstance(value, str) else ""
    if not _DOMAIN.fullmatch(domain):
        raise ConfigError(
            f"config: links: allow: {value!r} is no domain; write one such as example.org"
        )
    return domain


def _links(folded: str) -> Iterator[tuple[str, str, str]]:
    """``url``, ``email`` or ``target``, what it is compared by, and the text, of each link."""
    starts = set()
    for fact in find_links(folded):
        starts.add(fact.start)
        yield fact.kind, str(fact.keys[0][1]), folded[fact.start : fact.end]
    spans = [found.span(1) for pattern in _TARGETS for found in pattern.finditer(folded)]
    for pattern in (_OTHER_SCHEME, _HOST_WITH_PATH):
        spans += [found.span() for found in pattern.finditer(folded)]
    for start, end in sorted(set(spans)):
        mail = start + len("mailto:") if folded.startswith("mailto:", start) else start
        if start in starts or mail in starts or folded[start] == "#":
            continue
        raw = folded[start:end].rstrip(".,;:!?")
        if raw:
            yield "target", raw, raw


def _stands(wanted: str, folded: str) -> bool:
    """Whether a text holds this link, whole."""
    at = folded.find(wanted)
    while at >= 0:
        before, after = folded[max(0, at - 1) : at], folded[at + len(wanted) :][:2]
        whole = not re.match(r"[\w./:@-]", before) and not re.match(r"[\w/@-]|[.:]\w", after)
        if whole:
            return True
        at = folded.find(wanted, at + 1)
    return False


def _is_allowed(text: str, allowed: list[str]) -> bool:
    prefix = _SCHEME.match(text)
    scheme = prefix[1].lower() if prefix and prefix[1] else ""
    if scheme and ":" in text and scheme not in ("http", "https", "ftp", "mailto"):
        return False
    rest = text[prefix.end() :] if prefix else text
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0]
    host = authority.rpartition("@")[2].split(":")[0].lower().rstrip(".")
    return any(host == domain or host.endswith(f".{domain}") for domain in allowed)
