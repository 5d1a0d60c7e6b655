"""The rows of a results file one after the other, however big the file is.

Not with a library for streaming JSON: the fast ones put ``?`` for half of a surrogate pair and
refuse NaN, and an audit must see the texts as they are. Python's own decoder reads each row, and
is given more of the file where a row goes on.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from typing import IO, Any

from voirdire.errors import ConfigError

_CHUNK = 256 * 1024
_SPACE = re.compile(r"[ \t\n\r]*")
_decode = json.JSONDecoder().raw_decode


def is_results(stream: IO[bytes]) -> bool:
    """Whether this is JSON with a list at ``results.results``; reads no further than to there.

    Args:
        stream: the file, from its beginning.
    """
    try:
        return _enter(_Text(stream))
    except (ValueError, RecursionError):
        return False


def rows(stream: IO[bytes], name: str) -> Iterator[Any]:
    """The members of the list at ``results.results``; what stands behind it is not read.

    Args:
        stream: the file, from its beginning; :func:`is_results` holds of it.
        name: of the file, for errors.

    Raises:
        ConfigError: the file is cut off or damaged.
    """
    text, number = _Text(stream), 0
    try:
        _enter(text)
        text.take()
        more = text.next() != "]"
        if not more:
            text.take()
        while more:
            number += 1
            yield text.value()
            mark = text.take()
            if mark not in (",", "]"):
                raise ValueError("expecting ',' or ']'")
            more = mark == ","
    except (ValueError, RecursionError) as error:
        if text.ended:
            why = f"is cut off or damaged at row {number}; write the results file again"
        else:
            why = f"row {number} cannot be read ({_why(error)})"
        raise ConfigError(f"{name}: {why}") from None


def _why(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "not UTF-8"
    return str(getattr(error, "msg", error)) or "too deep"


def _enter(text: _Text) -> bool:
    for key in _members(text):
        if key == "results" and text.next() == "{":
            for inner in _members(text):
                if inner == "results" and text.next() == "[":
                    return True
                text.value()
        else:
            text.value()
    return False


def _members(text: _Text) -> Iterator[Any]:
    """The keys of an object; whoever asks for the next one has read the value of the last."""
    mark = text.take()
    if mark == "{" and text.next() == "}":
        text.take()
        return
    while mark in ("{", ","):
        key = text.value()
        if text.take() != ":":
            raise ValueError("expecting ':'")
        yield key
        mark = text.take()
    if mark != "}":
        raise ValueError("expecting '{', ',' or '}'")


class _Text:
    """A text that is read as far as it is needed."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._buffer = ""
        self._at = 0
        self.ended = False

    def next(self) -> str:
        """The next character that is no space, which stays; empty at the end."""
        while True:
            space = _SPACE.match(self._buffer, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._more():
                return ""

    def take(self) -> str:
        """The next character that is no space, which goes."""
        found = self.next()
        self._at += len(found)
        return found

    def value(self) -> Any:
        """The next JSON value."""
        self.next()
        while True:
            try:
                found, end = _decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                # A fault well before the end of what is here is one, whatever follows.
                inside = len(self._buffer) - error.pos > 16
                if (inside and not error.msg.startswith("Unterminated")) or not self._more():
                    raise
                continue
            # A number may go on behind the end of what is here: of 1e+9 there may be 1e+ so far.
            closed = isinstance(found, (str, dict, list)) or end + 3 <= len(self._buffer)
            if closed or not self._more():
                self._at = end
                return found

    def _more(self) -> bool:
        # As much again as is here already: a long row is tried few times.
        data = self._stream.read(max(_CHUNK, len(self._buffer) - self._at))
        self.ended = not data
        more = self._decoder.decode(data, final=self.ended)
        if data:
            self._buffer = self._buffer[self._at :] + more
            self._at = 0
        return not self.ended
