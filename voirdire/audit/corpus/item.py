"""One text of a corpus, and the blocks of JSON lines that carry many."""

from __future__ import annotations

from typing import Any, Final, NamedTuple


class _Mark:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


UNKNOWN: Final = _Mark("UNKNOWN")
"""Nobody said which value a text intends."""
REFUSE: Final = _Mark("REFUSE")
"""A text from which no value should be read."""


class Item(NamedTuple):
    """A text to be parsed.

    Attributes:
        text: what a model said, raw.
        where: ``file:line``, a file, or ``file#row``.
        intended: the JSON value that should be read, ``UNKNOWN`` or ``REFUSE``.
        kind: the part of the corpus it belongs to; empty where it has none.
    """

    text: str
    where: str
    intended: Any = UNKNOWN
    kind: str = ""


class Damage(NamedTuple):
    """A place that holds no text to be parsed, and why."""

    where: str
    why: str


class Form(NamedTuple):
    """Where a line of JSON keeps what an :class:`Item` holds.

    Attributes:
        text: the field of the raw text.
        intended: the field of the intended value; a line without it intends nothing known. A line
            with ``"refuse": true`` intends that nothing be read.
        kind: the field of the kind.
        where: the field that names the place; empty: the file and the line's number do.
    """

    text: str = "text"
    intended: str = "intended"
    kind: str = "kind"
    where: str = ""


OWN = Form(where="where")
"""Of the lines that readers of other formats make: ``{"text", "where"}``, or of a place that cannot
be read ``{"where", "damage"}``."""


class Block(NamedTuple):
    """Some whole lines of one file: what is handed to a worker at a time.

    Attributes:
        file: number of the file in the corpus, from 0; with ``first`` it orders all texts.
        name: of the file, as it is shown.
        first: number of the first line, from 1.
        data: the lines, UTF-8, each ending with ``\\n`` but perhaps the last.
        form: where they keep what.
    """

    file: int
    name: str
    first: int
    data: bytes
    form: Form
