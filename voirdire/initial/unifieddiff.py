"""A unified diff in linear time, for texts in which a few short stretches differ.

``difflib`` looks through the whole text for every stretch, which takes minutes in a large suite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

_CONTEXT = 3
# How many lines a stretch may have, what goes and what comes; beyond it all the rest differs.
_FURTHEST = 100
_ALIKE = 3


class _Stretch(NamedTuple):
    """Lines that differ: from and to, in the old text and in the new one."""

    old: int
    old_end: int
    new: int
    new_end: int


def unified_diff(old: str | None, new: str, name: str) -> str:
    """The diff of two texts as ``git apply`` and ``patch -p1`` take it.

    Args:
        old: the text before; ``None`` where there was no file.
        new: the text afterwards.
        name: the file's path.
    """
    before, after = _lines(old or ""), _lines(new)
    stretches = list(_stretches(before, after))
    if not stretches:
        return ""
    out = ["--- /dev/null\n" if old is None else f"--- a/{name}\n", f"+++ b/{name}\n"]
    hunk: list[_Stretch] = []
    for stretch in stretches:
        if hunk and stretch.old - hunk[-1].old_end > 2 * _CONTEXT:
            out += _hunk(before, after, hunk)
            hunk = []
        hunk.append(stretch)
    out += _hunk(before, after, hunk)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in out
    )


def _lines(text: str) -> list[str]:
    """The lines, each with the line feed that ends it: no other mark ends one."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _stretches(old: Sequence[str], new: Sequence[str]) -> Iterator[_Stretch]:
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and old[i] == new[j]:
            i, j = i + 1, j + 1
            continue
        gone, come = _nearest(old, new, i, j)
        yield _Stretch(i, i + gone, j, j + come)
        i, j = i + gone, j + come


def _nearest(old: Sequence[str], new: Sequence[str], i: int, j: int) -> tuple[int, int]:
    """How many lines go and come until both go on alike."""
    rest = len(old) - i, len(new) - j
    for both in range(1, _FURTHEST):
        for gone in range(max(0, both - rest[1]), min(both, rest[0]) + 1):
            come = both - gone
            ahead = old[i + gone : i + gone + _ALIKE]
            if ahead == new[j + come : j + come + _ALIKE] and (ahead or both == sum(rest)):
                return gone, come
    return rest


def _hunk(old: Sequence[str], new: Sequence[str], stretches: Sequence[_Stretch]) -> list[str]:
    first, last = stretches[0], stretches[-1]
    lead = min(_CONTEXT, first.old)
    end = min(last.old_end + _CONTEXT, len(old))
    lengths = end - first.old + lead, last.new_end + end - last.old_end - first.new + lead
    starts = first.old - lead, first.new - lead
    shown = [
        f"{start + (length > 0)},{length}" for start, length in zip(starts, lengths, strict=True)
    ]
    lines = [f"@@ -{shown[0]} +{shown[1]} @@\n"]
    at = starts[0]
    for stretch in stretches:
        lines += [f" {line}" for line in old[at : stretch.old]]
        lines += [f"-{line}" for line in old[stretch.old : stretch.old_end]]
        lines += [f"+{line}" for line in new[stretch.new : stretch.new_end]]
        at = stretch.old_end
    return lines + [f" {line}" for line in old[at:end]]
