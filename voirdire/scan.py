"""Find the JSON values that stand at the top level of a judge's reply.

A reply is untrusted text: it may hold thinking, prose, braces that are not JSON, or
ten million of them. The scan is one pass with a fixed budget of structural
characters, so that its time is linear in the text whatever the text is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from voirdire.strictjson import parse

MAX_DEPTH = 64
"""Deepest nesting that is read; a verdict needs three levels."""

TOKEN_BUDGET = 100_000
"""Structural characters and strings looked at in one reply; a verdict has a few hundred."""

BLANK = " \t\r\n\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u2028\u2029\ufeff"
"""White space and the byte order mark: harmless around a verdict."""

_TOP = re.compile(r"[{\[]|</?think>")
_STRUCTURE = re.compile(r'["{}\[\]]')
# Those below are compiled where they are used: a sound reply needs none, and promptfoo waits.
# Marks that somebody may take for the quotation marks of JSON.
_QUOTES = "\"'`´‘’‚‛“”„‟«»＂＇"
_MEMBER = r"[A-Za-z_]\w{0,80}\s{0,80}:"
_OBJECT_LIKE = rf"\{{\s{{0,80}}(?:[{_QUOTES}}}]|{_MEMBER})|[{_QUOTES}]\s{{0,80}}[:：]"
# Whitespace in a group that is matched again stands in for an atomic group (Python 3.11).
_OPEN_OBJECT_LIKE = rf"\{{(?=(\s*))\1(?:[{_QUOTES}{{]|{_MEMBER}|\Z)"
_ARRAY_LIKE = r"""\[(?=(\s*))\1(?:["\[{\]]|-?\d|true\b|false\b|null\b|\Z)"""
_CLOSE = "</think>"
_FULL_PASS = TOKEN_BUDGET // 16  # what one look at the whole rest of the text costs


class Part(NamedTuple):
    """A stretch of the visible text that is, or looks like, a JSON value.

    Attributes:
        kind: ``object``, ``array``, or ``open`` (its end never came).
        start, end: the stretch, in characters.
        value: the parsed value; ``None`` where ``fault`` says why it is not JSON.
        fault: empty for sound JSON.
        holds_object: an array with a brace in it.
    """

    kind: str
    start: int
    end: int
    value: Any = None
    fault: str = ""
    holds_object: bool = False

    @property
    def broken(self) -> bool:
        """Whether it only looks like JSON."""
        return self.kind == "open" or bool(self.fault)


class Scan:
    """What a scan found in the visible text, thinking left out.

    Attributes:
        parts: values in order.
        stretches: the text around them, in pieces; one more than there are parts.
        spoken: whether any of that text is more than white space.
        notes: thinking that was left out (``think_block``, ``think_prefix``).
        unclosed_think: a ``<think>`` whose end never came.
        late_think: a think tag after visible text or an object.
        unsure: thinking may have ended inside what looks like JSON, or after an object.
        stray_open: an opening brace in the text that belongs to nothing.
        overrun: the budget ran out; the rest was only counted.
        unbalanced: with ``overrun``: more brackets open than close.
    """

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.stretches: list[list[str]] = [[]]
        self.spoken = False
        self.notes: list[str] = []
        self.unclosed_think = False
        self.late_think = False
        self.unsure = False
        self.stray_open = False
        self.overrun = False
        self.unbalanced = False

    @property
    def outside(self) -> list[str]:
        """The text before, between and after the parts."""
        return ["".join(pieces) for pieces in self.stretches]

    def add(self, piece: str) -> None:
        """Add text that is no part."""
        self.stretches[-1].append(piece)
        self.spoken = self.spoken or bool(piece.strip(BLANK))

    def forget(self) -> None:
        """Drop what came so far: it was thinking."""
        self.parts.clear()
        self.stretches[:] = [[]]
        self.spoken = False
        self.stray_open = False
        self.late_think = False


class _Budget:
    """Structural characters left to look at."""

    def __init__(self) -> None:
        self.left = TOKEN_BUDGET

    def spend(self, cost: int = 1) -> bool:
        self.left -= cost
        return self.left >= 0


def scan(text: str) -> Scan:
    """Scan a reply. Never raises; linear in ``len(text)``."""
    found = Scan()
    budget = _Budget()
    lead, tail = len(text) - len(text.lstrip(BLANK)), len(text.rstrip(BLANK))

    def is_whole(start: int, end: int) -> bool:
        return start <= lead and end >= tail

    thought = False  # thinking has ended once: what follows is meant to be seen
    pos = 0
    while True:
        mark = _TOP.search(text, pos)
        if mark is None:
            found.add(text[pos:])
            return found
        start = mark.start()
        if not budget.spend():
            return _overrun(found, text, pos)
        if mark[0] == "<think>":
            close = text.find(_CLOSE, mark.end())
            found.add(text[pos:start])
            if close < 0:
                found.unclosed_think = True
                return found
            if found.parts or found.spoken:
                found.late_think = True
            thought = True
            _note(found, "think_block")
            pos = close + len(_CLOSE)
        elif mark[0] == _CLOSE:
            found.add(text[pos:start])
            # No opener: the chat template opened the thinking. Once thinking has ended
            # an object is meant to be seen, so a later stray tag takes nothing back.
            if thought and found.parts:
                found.late_think = found.unsure = True
            else:
                found.forget()
                _note(found, "think_prefix")
            thought = True
            pos = mark.end()
        else:
            state, end = _region(text, start, budget)
            if state == "spent":
                return _overrun(found, text, pos)
            part = _part(text, start, end, state, is_whole)
            if not thought and (part is None or (start > lead and part.broken)):
                # Braces in thinking that the template opened, if it ends among them. A reply
                # that begins with an object is no thinking: tags in it are text.
                close = text.find(_CLOSE, start, end)
                if close >= 0:
                    found.unsure = True
                    pos = close
                    continue
            if part is None:  # braces in prose
                found.stray_open = found.stray_open or state == "open"
                stop = start + 1 if state == "open" else end
                found.add(text[pos:stop])
                pos = stop
                continue
            found.add(text[pos:start])
            found.parts.append(part)
            found.stretches.append([])
            if part.kind == "open":
                return found
            pos = end


def _note(found: Scan, name: str) -> None:
    if name not in found.notes:
        found.notes.append(name)


def _overrun(found: Scan, text: str, pos: int) -> Scan:
    found.overrun = True
    found.unbalanced = _opens(text, pos, len(text)) > 0
    return found


def _opens(text: str, start: int, end: int) -> int:
    """Brackets opened less brackets closed, quotation marks ignored."""
    return (
        text.count("{", start, end)
        + text.count("[", start, end)
        - text.count("}", start, end)
        - text.count("]", start, end)
    )


def _region(text: str, start: int, budget: _Budget) -> tuple[str, int]:
    """Where the bracket at ``start`` closes: ``closed``, ``open``, ``deep`` or ``spent``."""
    depth = 0
    pos = start
    while True:
        mark = _STRUCTURE.search(text, pos)
        if mark is None:
            return ("open" if budget.spend(_FULL_PASS) else "spent"), len(text)
        if not budget.spend():
            return "spent", len(text)
        pos = mark.end()
        char = mark[0]
        if char == '"':
            end = _string_end(text, pos, budget)
            if end < 0:
                # A quotation mark left open: cut off, or one that should have been escaped.
                if not budget.spend(_FULL_PASS):
                    return "spent", len(text)
                return ("open" if _opens(text, start, len(text)) > 0 else "closed"), len(text)
            pos = end
        elif char in "{[":
            depth += 1
            if depth > MAX_DEPTH:
                if not budget.spend(_FULL_PASS):
                    return "spent", len(text)
                return ("open" if _opens(text, start, len(text)) > 0 else "deep"), len(text)
        else:
            depth -= 1
            if depth == 0:
                return ("closed" if budget.spend(text.count(",", start, pos)) else "spent"), pos


def _string_end(text: str, pos: int, budget: _Budget) -> int:
    """Just behind the quotation mark that ends the string begun before ``pos``, or -1."""
    while budget.spend():
        quote = text.find('"', pos)
        if quote < 0:
            return -1
        before = text[pos:quote]
        if (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            return quote + 1
        pos = quote + 1
    return -1


def _part(
    text: str, start: int, end: int, state: str, is_whole: Callable[[int, int], bool]
) -> Part | None:
    """The part that a region is, or ``None`` for brackets that belong to prose."""
    kind = "object" if text[start] == "{" else "array"
    if state == "open":
        like = _OPEN_OBJECT_LIKE if kind == "object" else _ARRAY_LIKE
        return Part("open", start, end) if re.compile(like).match(text, start) else None
    if state == "deep":
        return Part(kind, start, end, fault=f"nested deeper than {MAX_DEPTH}")
    value, fault = parse(text[start:end])
    holds_object = kind == "array" and "{" in text[start:end]
    if fault and not is_whole(start, end):
        is_array = kind == "array" and re.compile(_ARRAY_LIKE).match(text, start)
        if not is_array and not re.compile(_OBJECT_LIKE).search(text, start, end):
            return None
    return Part(kind, start, end, value, fault, holds_object)
