"""Giving assertions another provider in the text of a file, and nothing else."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from voirdire.errors import ConfigError
from voirdire.initial.marked import Entry, Node
from voirdire.initial.suitefile import SuiteFile

Provider = Mapping[str, Any]
"""An id and a config, as promptfoo takes them."""


class Edit(NamedTuple):
    """A stretch of a text, and what stands there afterwards."""

    start: int
    end: int
    text: str


def with_providers(file: SuiteFile, wanted: Sequence[tuple[Node, Provider]]) -> str:
    """The file's text with these providers on these assertions.

    Raises:
        ConfigError: the text cannot be changed so that its values change in nothing else.
    """
    newline = "\r\n" if "\r\n" in file.text else "\n"
    edits = sorted(_edit(file.text, newline, node, provider) for node, provider in wanted)
    parts, at = [], 0
    for edit in edits:
        if edit.start < at:
            raise _refused(file, "two of its changes meet")
        parts += [file.text[at : edit.start], edit.text]
        at = edit.end
    text = "".join([*parts, file.text[at:]])
    expected = _load(file, file.text)
    for node, provider in wanted:
        _at(file, expected, node)["provider"] = provider
    if _load(file, text) != expected:
        raise _refused(file, "more would change than the providers")
    return text


def provider_span(node: Node) -> tuple[int, int] | None:
    """Where the assertion's own provider stands; ``None`` where it has none."""
    entry = node.own("provider")
    return (entry.begin, entry.end) if entry else None


def _edit(text: str, newline: str, node: Node, provider: Provider) -> Edit:
    entry = node.own("provider")
    if node.flow:
        quoted = text[node.entries[0].begin] == '"'
        whole = {"provider": provider}
        shown = (json.dumps(whole, ensure_ascii=False) if quoted else _flow(whole))[1:-1]
        if entry is not None:
            pad = newline + " " * node.entries[0].column
            before = "".join(f" {comment}{pad}" for comment in _comments(text, entry))
            return Edit(entry.begin, entry.end, before + shown)
        last = node.entries[-1]
        between = text[node.entries[-2].end : last.begin] if len(node.entries) > 1 else ", "
        # As the entries before it: on a line of its own, or beside them.
        gap = between if re.fullmatch(r",\s+", between) else ", "
        return Edit(last.end, last.end, gap + shown)
    column = node.entries[0].column
    block = _block(provider, column)
    if entry is not None:
        kept = [f"{' ' * column}{comment}" for comment in _comments(text, entry)]
        return Edit(entry.begin, entry.end, newline.join([*kept, *block]).lstrip())
    lines = newline.join(block)
    after = _last_on_one_line(text, node)
    found = text.find("\n", after.end)
    end = len(text) if found < 0 else found - (text[found - 1] == "\r")
    return Edit(end, end, newline + lines)


def _comments(text: str, entry: Entry) -> list[str]:
    """The comments within an entry that goes."""
    bare = list(text[entry.begin : entry.end])
    for start, end in _scalars(entry):
        bare[start - entry.begin : end - entry.begin] = "x" * (end - start)
    found = re.finditer(r"\s(#[^\r\n]*)", "".join(bare))
    return [text[one.start(1) + entry.begin : one.end(1) + entry.begin].rstrip() for one in found]


def _scalars(entry: Entry) -> Iterator[tuple[int, int]]:
    """Where the values that are texts stand: no mark in them begins a comment."""
    if entry.alias or entry.node.kind == "scalar":
        yield entry.start, entry.end
        return
    for inner in entry.node.entries:
        yield from _scalars(inner)


def _last_on_one_line(text: str, node: Node) -> Entry:
    """The last entry that the next line can follow: a block of text may end in empty lines."""
    simple = [
        entry
        for entry in node.entries
        if entry.alias or not (entry.node.kind == "scalar" and entry.node.style in ("|", ">"))
    ]
    ends = [entry for entry in simple if entry.alias or entry.node.kind == "scalar"]
    return (simple if simple and simple[-1] is node.entries[-1] else ends or node.entries)[-1]


def _block(provider: Provider, column: int) -> list[str]:
    pad = " " * column
    lines = [f"{pad}provider:", f"{pad}  id: {_scalar(provider['id'])}", f"{pad}  config:"]
    for key, value in provider["config"].items():
        shown = _flow(value) if isinstance(value, Mapping) else _scalar(value)
        lines.append(f"{pad}    {key}: {shown}")
    return lines


def _flow(value: Any) -> str:
    """A value on one line, its inner texts as YAML has them within brackets."""
    if isinstance(value, Mapping):
        inner = (f"{key}: {_flow(one)}" for key, one in value.items())
        return "{" + ", ".join(inner) + "}"
    return _scalar(value, in_flow=True)


@functools.cache
def _scalar(value: Any, *, in_flow: bool = False) -> str:
    """A text as YAML writes it: bare where that is the same text."""
    if not isinstance(value, str):
        return json.dumps(value)
    import yaml

    shown = f"[{value}]" if in_flow else value
    try:
        same = yaml.safe_load(shown) == ([value] if in_flow else value)
    except yaml.YAMLError:
        same = False
    bare = same and re.fullmatch(r"[\w./][\w./:@+~-]*( [\w./:@+~-]+)*", value)
    return value if bare else json.dumps(value, ensure_ascii=False)


def _load(file: SuiteFile, text: str) -> Any:
    import yaml

    readable = text.replace("\t", " ") if file.path.suffix == ".json" else text
    try:
        return yaml.load(readable, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        raise _refused(file, "it could not be read again") from None


def _at(file: SuiteFile, value: Any, node: Node) -> dict[str, Any]:
    try:
        for part in node.path:
            value = value[part]
    except (LookupError, TypeError):
        value = None
    if not isinstance(value, dict):
        raise _refused(file, f"line {node.line} is not found again")
    return value


def _refused(file: SuiteFile, why: str) -> ConfigError:
    return ConfigError(
        f"{file.path}: nothing is changed, since {why}; put the providers in by hand, as README.md "
        "shows"
    )
