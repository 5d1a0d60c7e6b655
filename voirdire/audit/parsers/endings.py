"""How a parser's call may end, beside giving a value or raising an error of its own."""

from __future__ import annotations

VALUE = "value"
NOTHING = "nothing"  # gave None, undefined or no answer
RAISED = "raised"  # an exception: the ordinary way to refuse a text
INVALID = "invalid"  # gave a value that the schema refuses
TIMEOUT = "timeout"
MEMORY = "memory"
DIED = "died"  # killed its process, or left it

CRASHES = (MEMORY, DIED)


class RefusedError(Exception):
    """A parser in another process refused the text.

    Args:
        name: of its error, e.g. ``SyntaxError``.
        message: what it said.
    """

    def __init__(self, name: str, message: str = "") -> None:
        super().__init__(message)
        self.name = name


class Broken(BaseException):
    """A parser in another process brought no answer.

    Args:
        ending: ``timeout``, ``memory`` or ``died``.
        why: one clause for people.
    """

    def __init__(self, ending: str, why: str) -> None:
        super().__init__(why)
        self.ending = ending
        self.why = why
