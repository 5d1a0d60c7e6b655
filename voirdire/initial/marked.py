"""YAML with the place of everything in it, so that a text can be changed and otherwise kept.

Unlike a composed document this keeps an alias apart from what it stands for, and an alias's own
place: to change ``provider: *grader`` is not to change the grader.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from voirdire.errors import ConfigError

Key = str | int
_MAX_DEPTH = 100
_MAX_SIZE = 1_000_000


@dataclass(eq=False)
class Node:
    """A value of a YAML text.

    Attributes:
        kind: ``scalar``, ``sequence`` or ``mapping``.
        path: the keys and indexes that lead to it from the top, where it is written.
        line: of its first character, from 1.
        column: of its first character, from 0.
        text: a scalar's text; empty otherwise.
        style: a scalar's quotes or its ``|`` or ``>``; ``None`` for a plain one.
        flow: whether it is written in brackets.
        anchor: the name that aliases know it by.
        size: how many values it is, aliases counted as what they stand for.
        entries: what a sequence or a mapping holds; the keys of a sequence are its indexes.
    """

    kind: str
    path: tuple[Key, ...]
    line: int
    column: int
    text: str = ""
    style: str | None = None
    flow: bool = False
    anchor: str | None = None
    size: int = 1
    entries: list[Entry] = field(default_factory=list)

    def own(self, key: str) -> Entry | None:
        """The entry of a mapping that is written in it; the last where there are several."""
        found = [entry for entry in self.entries if self.kind == "mapping" and entry.key == key]
        return found[-1] if found else None

    def get(self, key: str) -> Node | None:
        """A mapping's value, its own or one that ``<<`` merges in."""
        own = self.own(key)
        if own is not None:
            return own.node
        merged = self.own("<<")
        if merged is None:
            return None
        bases = merged.node.values() if merged.node.kind == "sequence" else [merged.node]
        found = (base.get(key) for base in bases if base.kind == "mapping" and base is not self)
        return next((node for node in found if node is not None), None)

    def names(self) -> list[str]:
        """The keys of a mapping, its own and those that ``<<`` merges in."""
        names = [str(entry.key) for entry in self.entries if entry.key != "<<"]
        merged = self.own("<<")
        if merged is not None:
            bases = merged.node.values() if merged.node.kind == "sequence" else [merged.node]
            names += [key for base in bases if base.kind == "mapping" for key in base.names()]
        return list(dict.fromkeys(names))

    def values(self) -> list[Node]:
        """What a sequence or a mapping holds, aliases as what they stand for."""
        return [entry.node for entry in self.entries]

    def is_null(self) -> bool:
        """Whether it is a plain scalar that YAML reads as nothing."""
        return self.kind == "scalar" and self.style is None and self.text in ("", "~", "null")


@dataclass(eq=False)
class Entry:
    """A place in a sequence or a mapping.

    Attributes:
        key: the key, or the index.
        begin: offset of the key's first character; of the value's in a sequence.
        column: the key's, from 0.
        start: offset of the value's first character, its anchor included.
        end: offset behind its last character, white space left out.
        alias: whether the value is an alias (``node`` is what it stands for).
        node: the value.
    """

    key: Key
    begin: int
    column: int
    start: int
    end: int
    alias: bool
    node: Node


class Marked:
    """A YAML or JSON text, its values with their places.

    Attributes:
        text: as it was given.
        top: the value; ``None`` where the text holds none.
        aliases: the offset of each alias, and the name it uses.
    """

    def __init__(self, path: Path, text: str) -> None:
        """Read a text.

        Raises:
            ConfigError: not YAML, nested too deep, or a value that holds itself.
        """
        import yaml

        self.text = text
        self.aliases: list[tuple[int, str]] = []
        self._path = path
        self._anchors: dict[str, Node] = {}
        # A tab between JSON's values is white space, which YAML does not take for such.
        readable = text.replace("\t", " ") if path.suffix == ".json" else text
        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        try:
            self._events: list[Any] = list(yaml.parse(readable, Loader=loader))
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            at = f":{mark.line + 1}" if mark else ""
            problem = getattr(error, "problem", None) or getattr(error, "reason", "")
            raise ConfigError(f"{path}{at}: not valid YAML ({problem}); mend it") from None
        self._at = 2  # behind the start of the stream and of the document
        if sum(type(event).__name__ == "DocumentStartEvent" for event in self._events) > 1:
            raise ConfigError(f"{path}: holds several YAML documents; keep one")
        self.top = self._node(()) if len(self._events) > 2 else None

    def _node(self, path: tuple[Key, ...]) -> Node:
        return self._entry("", path, None).node

    def _entry(self, key: Key, path: tuple[Key, ...], key_event: Any) -> Entry:
        """The entry whose value is the next event."""
        event = self._events[self._at]
        self._at += 1
        mark, start, end = event.start_mark, event.start_mark.index, event.end_mark.index
        name = type(event).__name__
        if len(path) > _MAX_DEPTH:
            raise ConfigError(f"{self._path}:{mark.line + 1}: nested too deep; mend it")
        if name == "AliasEvent":
            self.aliases.append((start, event.anchor))
            node = self._anchors.get(event.anchor)
            if node is None:  # of no anchor, or of one that is not yet whole
                raise ConfigError(
                    f"{self._path}:{mark.line + 1}: the alias *{event.anchor} stands for nothing "
                    "that is whole before it; mend it"
                )
        else:
            kind = name.removesuffix("Event").removesuffix("Start").lower()
            node = Node(kind, path, mark.line + 1, mark.column, anchor=event.anchor)
            if kind == "scalar":
                node.text, node.style = event.value, event.style or None
                end = start + len(self.text[start:end].rstrip())
            else:
                node.flow = bool(event.flow_style)
                end = max(end, self._fill(node))
            if event.anchor:
                self._anchors[event.anchor] = node
        begin = key_event.start_mark if key_event else mark
        return Entry(key, begin.index, begin.column, start, end, name == "AliasEvent", node)

    def _fill(self, node: Node) -> int:
        """Read what a sequence or a mapping holds; where that ends."""
        end = 0
        while not type(self._events[self._at]).__name__.endswith("EndEvent"):
            key_event: Any = None
            key: Key = len(node.entries)
            if node.kind == "mapping":
                key_event = self._events[self._at]
                named = self._entry("", (*node.path, ""), None).node
                key = named.text if named.kind == "scalar" else f"({named.kind})"
            node.entries.append(self._entry(key, (*node.path, key), key_event))
            end = node.entries[-1].end
            node.size += node.entries[-1].node.size
            if node.size > _MAX_SIZE:
                raise ConfigError(f"{self._path}:{node.line}: too large; drop the YAML aliases")
        closing = self._events[self._at]
        self._at += 1
        # A block ends with the last thing in it: its own mark stands where the next one begins.
        return closing.end_mark.index if node.flow else end
