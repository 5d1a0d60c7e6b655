"""From the formats of a corpus to lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple, Protocol

from voirdire.audit.corpus.item import OWN, Form
from voirdire.promptfoo.outputs import Output, output_of
from voirdire.promptfoo.streamed import rows


class Lines(NamedTuple):
    """Some whole lines of JSON.

    Attributes:
        first: number of the first, from 1.
        data: UTF-8, each line ending with ``\\n`` but perhaps the last.
        form: where they keep what.
    """

    first: int
    data: bytes
    form: Form


class Read(Protocol):
    """From what is in a file to lines of JSON."""

    def __call__(self, stream: IO[bytes], name: str, form: Form, size: int) -> Iterator[Lines]:
        """Read the file ``name``: lines of the user's ``form`` in pieces of about ``size`` bytes,
        or lines of our own, one a piece."""


def json_lines(stream: IO[bytes], name: str, form: Form, size: int) -> Iterator[Lines]:
    """The user's own lines as they are."""
    number = 1
    while data := stream.read(size):
        # A read may end with less than was asked for, but in the middle of a line.
        data += stream.readline()
        yield Lines(number, data, form)
        number += data.count(b"\n")


def raw_text(stream: IO[bytes], name: str, form: Form, size: int) -> Iterator[Lines]:
    """The whole file is one text."""
    try:
        yield _text(1, name, stream.read().decode("utf-8"))
    except UnicodeDecodeError:
        yield damage(1, name, "not UTF-8")


def results(stream: IO[bytes], name: str, form: Form, size: int) -> Iterator[Lines]:
    """promptfoo's ``results.json``: an output a row."""
    outputs = (output_of(row) for row in rows(stream, name))
    return (
        of_output(output, number, f"{name}#{number}") for number, output in enumerate(outputs, 1)
    )


def result_rows(stream: IO[bytes], name: str, form: Form, size: int) -> Iterator[Lines]:
    """promptfoo's ``results.jsonl``: an output a line."""
    for number, place, value in _values(stream, name):
        if isinstance(value, _Fault):
            yield damage(number, place, value.why)
        else:
            yield of_output(output_of(value), number, place)


def journal(stream: IO[bytes], name: str, form: Form, size: int) -> Iterator[Lines]:
    """voirdire's own journal: what the judge replied to each call."""
    for number, place, value in _values(stream, name):
        if isinstance(value, _Fault):
            yield damage(number, place, f"{value.why} (a write was cut off)")
        elif not isinstance(value, dict) or value.get("type") not in ("call", "reading"):
            yield damage(number, place, "not a line of a journal")
        elif value["type"] == "call":
            reply = value.get("reply")
            if isinstance(reply, str):
                yield _text(number, place, reply)
            else:
                error = value.get("error")
                kind = error.get("kind") if isinstance(error, dict) else None
                yield damage(number, place, f"no reply ({kind})" if kind else "no reply")


def damage(number: int, place: str, why: str) -> Lines:
    """A line on what cannot be read."""
    return Lines(number, _line({"where": place, "damage": why}), OWN)


def of_output(output: Output, number: int, place: str) -> Lines:
    """A line on a model's output; its kind is the provider."""
    if output.text is None:
        return damage(number, place, output.why)
    return own(number, {"where": place, "text": output.text, "kind": output.provider})


def own(number: int, fields: dict[str, Any]) -> Lines:
    """A line of the form ``OWN``."""
    return Lines(number, _line(fields), OWN)


class _Fault(NamedTuple):
    why: str


def _values(stream: Iterable[bytes], name: str) -> Iterator[tuple[int, str, Any]]:
    for number, line in enumerate(stream, 1):
        if line.strip():
            place = f"{name}:{number}"
            try:
                yield number, place, json.loads(line.decode("utf-8"))
            except UnicodeDecodeError:
                yield number, place, _Fault("not UTF-8")
            except (ValueError, RecursionError):
                yield number, place, _Fault("not JSON")


def _text(number: int, place: str, text: str) -> Lines:
    return own(number, {"where": place, "text": text})


def _line(value: Any) -> bytes:
    return json.dumps(value).encode("ascii") + b"\n"
