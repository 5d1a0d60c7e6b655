"""Shrink a text to the few characters that matter, by delta debugging.

After Zeller and Hildebrandt (Simplifying and Isolating Failure-Inducing Input, 2002): leave out
ever smaller chunks for as long as the property holds. Here all chunks of a size are tried in one
batch, so that the judge can share its work among processes, and those that can go are left out
together where that holds too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

# What is left out or kept as one: half of a pair is another fault than the one looked for.
_ATOM = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[\ud800-\udbff][\udc00-\udfff]|.",
    re.DOTALL,
)
_RUN = re.compile(r"[^\W\d_]{2,}|\d{2,}")
_BATCH = 4_000_000  # characters judged at once, so that memory stays small


def shrink(text: str, holds: Callable[[list[str]], list[bool]], budget: int = 2000) -> str:
    """The smallest text found that still has a property.

    Deterministic. Where the budget allows, no single character can be left out of the result.

    Args:
        text: has the property.
        holds: judges a batch of texts: which of them have it.
        budget: how many texts may be judged.

    Returns:
        A text that ``holds`` said yes to, or the given one.
    """
    judge = _Judge(holds, budget)
    size = max(1, len(text))
    while text and judge.left > 0:
        smaller = _edited(text, _chunks(text, size), judge)
        if size == 1 and smaller == text:
            smaller = _edited(text, _words(text), judge)
            if smaller == text:
                break
        text = smaller
        size = max(1, min((size + 1) // 2, len(text)))
    return text


class _Edit(NamedTuple):
    """A stretch of a text, and what could stand there instead."""

    start: int
    end: int
    instead: str


def _chunks(text: str, size: int) -> list[_Edit]:
    """The text in chunks of ``size`` atoms, each to be left out."""
    starts = [atom.start() for atom in _ATOM.finditer(text)][::size]
    return [
        _Edit(start, end, "") for start, end in zip(starts, [*starts[1:], len(text)], strict=True)
    ]


def _words(text: str) -> list[_Edit]:
    """Words and numbers, each to be one character: shorter to read."""
    return [
        _Edit(run.start(), run.end(), "1" if run[0].isdecimal() else "a")
        for run in _RUN.finditer(text)
    ]


class _Judge:
    """The property, and how many texts may still be judged."""

    def __init__(self, holds: Callable[[list[str]], list[bool]], budget: int) -> None:
        self._holds = holds
        self.left = budget

    def which(self, candidates: Iterable[str], length: int) -> Iterator[int]:
        """Indexes of the candidates that hold, in order; each is about ``length`` long."""
        candidates = iter(candidates)
        done = 0
        while self.left > 0:
            batch = list(islice(candidates, min(self.left, max(1, _BATCH // length))))
            if not batch:
                return
            self.left -= len(batch)
            yield from (i for i, held in enumerate(self._holds(batch), done) if held)
            done += len(batch)


def _edited(text: str, edits: list[_Edit], judge: _Judge) -> str:
    """The text with as many of the edits as hold together."""

    def made(chosen: list[_Edit]) -> str:
        pieces, pos = [], 0
        for edit in sorted(chosen):
            pieces += [text[pos : edit.start], edit.instead]
            pos = edit.end
        return "".join([*pieces, text[pos:]])

    can = [edits[i] for i in judge.which((made([edit]) for edit in edits), len(text))]
    agreed: list[_Edit] = []
    groups = [can] if can else []
    while groups:
        group = groups.pop()
        is_known = not agreed and len(group) == 1
        if is_known or any(True for _ in judge.which([made(agreed + group)], len(text))):
            agreed += group
        elif len(group) > 1:
            half = len(group) // 2
            groups += [group[half:], group[:half]]
    return made(agreed)
