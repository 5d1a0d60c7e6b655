"""Facts that are known by their look: links, e-mail addresses, telephone numbers, ids, quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from voirdire.judges.rules.fact import Fact, blank
from voirdire.judges.rules.fold import squeeze, words

_URL = re.compile(r"(?:https?://|ftp://|www\.)[^\s<>()\[\]{}\"'`|*\\]+", re.IGNORECASE)
# Sets beside plain patterns: a long alternation takes longer to compile than all else here.
_ENDING = re.compile(r"\.([a-z]{2,9})(?![\w-])(?!\.[a-z0-9-])", re.IGNORECASE)
_TLDS = frozenset(
    "com org net io dev app ai co edu gov info biz eu uk de fr es it nl ch at pt pl se no dk fi us "
    "ca au jp cn br in me tv cloud online site shop tech test example invalid local localhost "
    "internal".split()
)
_ADDRESS = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_HOST_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")
_PATH = re.compile(r"(?::\d{2,5})?(?:[/?#][^\s<>()\[\]{}\"'`|*\\]*)?")
_MAILBOX_CHARS = _HOST_CHARS | frozenset("_%+!#$&/=?^~")
_MAIL_HOST = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}", re.IGNORECASE)
_PHONE = re.compile(r"(?<![\w.,/])\+?\(?\d[\d()\-. /]{5,22}\d(?![\w]|[.,]\d)")
_CODE = re.compile(r"(?<!\w)(?<!\d[-.])[^\W\d_]\w*(?:[-.]\w+)*")
_CODE_PREFIXES = tuple(
    "mid- pre- post- top- sub- early- late- mid non- under- over- max- min- up-to-".split()
)
_LETTERED = re.compile(r"(?<= )[A-Z](?![\w'])")
_LAST_WORD = re.compile(r"(?<!\w)[^\W\d_]+\Z")
_LETTERED_NOUNS = frozenset(
    "section model report plan option type class group hall zone gate building block annex "
    "appendix room grade level schedule exhibit part form vitamin hepatitis team tier category "
    "phase line platform terminal wing unit item variant table figure ward bay dock deck side "
    "series slot stage cohort sample batch panel port box drive lot area".split()
)
_BRACKETED = re.compile(r"\[([^\W_][\w.:/-]{0,60}(?:,\s?[\w.:/-]{1,60}){0,8})\](?!\()")
_DOUBLE = re.compile(r'"([^"\n]{1,400})"')
_SINGLE = re.compile(
    r"(?<![\w'])'(?=\S)([^'\n]{2,200}(?:(?<=\w)'(?=\w)[^'\n]{1,200}){0,3})'(?![\w'])"
)
_TICKS = re.compile(r"`([^`\n]{1,200})`")


def _link(start: int, end: int, raw: str) -> Fact:
    """A link fact; scheme, ``www.``, host's case and a slash at the end say nothing."""
    text = raw
    if "://" in text[:9]:
        text = text.split("://", 1)[1]
    if text[:4].lower() == "www.":
        text = text[4:]
    cut = min((at for at in map(text.find, "/?#") if at >= 0), default=len(text))
    host, path = text[:cut].lower(), text[cut:].rstrip("/")
    return Fact("url", start, end, (("url", host + path),), "url")


def find_links(folded: str) -> Iterator[Fact]:
    """The links of a text, with or without a scheme, and its e-mail addresses."""
    urls = []
    for start, end in _urls(folded):
        raw = folded[start:end].rstrip(".,;:!?-")
        urls.append(_link(start, start + len(raw), raw))
    urls += _addresses(blank(folded, urls))
    yield from urls
    masked = blank(folded, urls)
    last = 0
    at = masked.find("@")
    while at >= 0:
        left = at
        while left > max(last, at - 64) and masked[left - 1].lower() in _MAILBOX_CHARS:
            left -= 1
        while left < at and masked[left] in "./=?&#-":
            left += 1
        host = _MAIL_HOST.match(masked, at + 1)
        if left < at and host:
            yield Fact("email", left, host.end(), (("email", masked[left : host.end()].lower()),),
                       "email")  # fmt: skip
            last = host.end()
        at = masked.find("@", at + 1)


def _addresses(masked: str) -> Iterator[Fact]:
    """Addresses of hosts in digits (``10.20.0.5:8080/till``), unless named a version."""
    for found in _ADDRESS.finditer(masked):
        before = masked[max(0, found.start() - 12) : found.start()].lower().rstrip()
        if before.endswith(("version", "release", "build", "firmware", " v")):
            continue
        path = _PATH.match(masked, found.end())
        end = path.end() if path else found.end()
        raw = masked[found.start() : end].rstrip(".,;:!?-")
        fact = _link(found.start(), found.start() + len(raw), raw)
        if raw == found.group():
            parts = tuple(raw.split("."))
            fact = replace(fact, keys=(*fact.keys, ("version", parts)))
        yield fact


def _urls(folded: str) -> Iterator[tuple[int, int]]:
    """Spans of links in order; a bare host counts where it ends in a known domain."""
    spans = [found.span() for found in _URL.finditer(folded)]
    yield from spans
    covered = 0
    index = 0
    for found in _ENDING.finditer(folded):
        if found.group(1).lower() not in _TLDS:
            continue
        while index < len(spans) and spans[index][1] <= found.start():
            index += 1
        if found.start() < covered or (index < len(spans) and spans[index][0] <= found.start()):
            continue
        left = found.start()
        floor = max(covered, left - 253)
        while left > floor and folded[left - 1].lower() in _HOST_CHARS:
            left -= 1
        if left == found.start() or (left > 0 and folded[left - 1] in "@_/"):
            continue
        path = _PATH.match(folded, found.end())
        covered = path.end() if path else found.end()
        if not any(char.isalpha() for char in folded[left : found.start()]):
            continue
        yield left, covered


def find_phones(folded: str) -> Iterator[Fact]:
    """Telephone, card and account numbers: long, and grouped as no count is."""
    for found in _PHONE.finditer(folded):
        text = found.group()
        digits = "".join(char for char in text if char.isdecimal())
        groups = re.findall(r"\d+", text)
        plain = "+" not in text and "(" not in text
        if not 7 <= len(digits) <= 19 or (len(groups) < 2 and plain and len(digits) < 11):
            continue
        thousands = len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
        if plain and ((thousands and " " in text) or "/" in text):
            continue
        if plain and len(groups) == 2 and not (len(groups[0]) == 3 and len(groups[1]) == 4):
            continue
        if plain and "." in text and (" " in text or len(groups) == 4):
            continue
        if digits.startswith("00"):
            digits = digits[2:]
        keys = [("digits", digits)]
        if len(digits) == 11 and digits[0] == "1":
            keys.append(("digits", digits[1:]))
        yield Fact("number", found.start(), found.end(), tuple(keys), "phone")


def find_codes(folded: str) -> Iterator[Fact]:
    """Words of letters and digits (``HC-104``, ``AES-256``) and words with underscores."""
    for found in _CODE.finditer(folded):
        text = found.group()
        if len(text) > 80 or not ("_" in text or any(map(str.isdecimal, text))):
            continue
        low = text.lower()
        if low.startswith(_CODE_PREFIXES) or not any(map(str.isalnum, text)):
            continue
        if low[0] == "v" and low[1:2].isdecimal():
            continue  # a version
        head = low.rstrip("0123456789.")
        if head in ("usd", "eur", "gbp", "chf", "us"):
            continue
        yield Fact("id", found.start(), found.end(), (("code", squeeze(text)),), "id")


def find_lettered(folded: str) -> Iterator[Fact]:
    """Things told apart by a letter: ``section C``, ``Model A``."""
    for found in _LETTERED.finditer(folded):
        before = _LAST_WORD.search(folded, max(0, found.start() - 16), found.start() - 1)
        if before and before.group().lower() in _LETTERED_NOUNS:
            code = squeeze(folded[before.start() : found.end()])
            yield Fact("id", before.start(), found.end(), (("code", code),), "letter")


def find_bracketed(folded: str) -> Iterator[Fact]:
    """Ids in square brackets, digits or not: ``[3]``, ``[refund-policy]``, ``[a, b]``."""
    for found in _BRACKETED.finditer(folded):
        start = found.start(1)
        for part in re.split(r"(,\s?)", found.group(1)):
            if part.strip(", ") and len(part) > 0:
                digits = any(map(str.isdecimal, part))
                if part.isdecimal() or digits or "-" in part or "_" in part or "/" in part:
                    yield Fact("id", start, start + len(part), (("code", squeeze(part)),), "cited")
            start += len(part)


def find_quotes(folded: str) -> Iterator[Fact]:
    """Quoted strings. The key is the words, so that marks and spaces do not matter."""
    spans = [found.span(1) for found in _DOUBLE.finditer(folded)]
    spans += [found.span(1) for found in _TICKS.finditer(folded)]
    spans += [found.span(1) for found in _SINGLE.finditer(folded)]
    for start, end in spans:
        inner = words(folded[start:end])
        if inner and any(any(map(str.isalpha, word)) for word in inner):
            yield Fact("quote", start, end, (("quote", tuple(inner)),), "quote")
