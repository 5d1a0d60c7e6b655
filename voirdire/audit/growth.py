"""How a parser's time grows with the length of texts that are made to be slow to read."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

FLOOR = 0.001
"""Seconds under which a time says more of the machine than of the parser."""


def _times(unit: str, start: str = "", end: str = "") -> Callable[[int], str]:
    """Texts of a unit again and again, between a start and an end."""

    def make(n: int) -> str:
        return start + unit * max(1, (n - len(start) - len(end)) // len(unit)) + end

    return make


def _nested(opens: str, closes: str, end: str = "") -> Callable[[int], str]:
    def make(n: int) -> str:
        depth = max(1, (n - len(end)) // (len(opens) + len(closes)))
        return opens * depth + closes * depth + end

    return make


HOSTILE: Final[dict[str, Callable[[int], str]]] = {
    "opening braces": _times("{"),
    "opening brackets": _times("["),
    "closing braces": _times("}"),
    "braces, then an object": _times("{", end='{"a": 1}'),
    "object, then closing braces": _times("}", start='{"a": 1}'),
    "keys that open objects": _times('{"a":'),
    "braces and quotation marks": _times('{"'),
    "nested to the middle": _nested('{"a":', "}"),
    "nested arrays, one bracket short": _nested("[", "]", end="["),
    "many objects": _times('{"a": 1}\n'),
    "many objects, then a brace": _times('{"a": 1}\n', end="{"),
    "many broken objects": _times('{"a": 1,}\n'),
    "many words in braces": _times("{a} "),
    "a brace now and then": _times(
        "{ so it goes on and on and never comes to an object, as ever; "
    ),
    "one object of many keys": _times('"a": 1, ', start="{", end='"b": 1}'),
    "one array, never closed": _times("1, ", start="["),
    "quotation marks": _times('"'),
    "apostrophes in braces": _times("{'"),
    "one long string, never closed": _times("x", start='{"a": "'),
    "backslashes in a string": _times("\\", start='{"a": "'),
    "escaped quotation marks": _times('\\"', start='{"a": "'),
    "one long number": _times("9", start='{"a": ', end="}"),
    "blanks in an object": _times(" ", start='{"a": 1,', end="x"),
    "line breaks behind a brace": _times("\n", start="{"),
    "commas": _times(",", start='{"a": 1'),
    "fences": _times("```json\n"),
    "fences and braces": _times("```json\n{\n"),
    "a fence and line breaks": _times("\n", start="```json"),
    "thinking opens": _times("<think>"),
    "thinking closes between braces": _times("{</think>"),
    "tags that never close": _times("<answer>{"),
    "line comments": _times("//{\n", start="{"),
    "comments that never close": _times("/*", start='{"a": 1 '),
    "long prose, then an object": _times("so it goes, ", end='{"a": 1}'),
    "object, then long prose": _times(" so it goes,", start='{"a": 1}'),
}
"""Texts of about ``n`` characters, by kind: each has brought some parser's usual design down."""


def order(sizes: Sequence[int], seconds: Sequence[float]) -> float | None:
    """The power of the length with which time grows: about 1 is linear, about 2 quadratic.

    The slope over the last three times, on logarithmic scales: what grows faster than the text
    shows at the longest ones.

    Args:
        sizes: lengths of the texts, growing; doublings serve best.
        seconds: the time of each; take the best of a few.

    Returns:
        ``None`` where fewer than three times reach ``FLOOR``: too fast to tell.
    """
    points = [
        (math.log(size), math.log(time))
        for size, time in zip(sizes, seconds, strict=True)
        if time >= FLOOR and size > 0
    ][-3:]
    if len(points) < 3:
        return None
    (size, time), (last_size, last_time) = points[0], points[-1]
    return (last_time - time) / (last_size - size) if last_size > size else None
