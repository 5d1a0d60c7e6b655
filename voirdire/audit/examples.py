"""Counterexamples: one for each outcome and shape, shrunk to the characters that matter."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from voirdire.audit.outcome import SIDES
from voirdire.audit.shapes import shape
from voirdire.audit.shrink import shrink
from voirdire.audit.tally import Example, Tally

Look = Callable[[Sequence[str]], list[dict[str, Any]]]
SHOWN = 2_000
"""Characters of the text as it was that the report shows."""
SLOW_BUDGET = 40
"""Candidates tried where each may cost a new process, or takes long."""
SLOW_S = 0.5
"""Seconds for one text that are long."""
HURRIED_S = 0.5
"""Seconds after which a shrunk text is taken to hang; what is found is held to the real limit."""


def counterexamples(tally: Tally, look: Look, hurried: Look) -> list[dict[str, Any]]:
    """The groups of texts on which the parsers differ, the most frequent of each outcome first.

    Args:
        tally: with a sample of these texts, and the shortest of each outcome.
        look: says how both parsers end on each of a few texts.
        hurried: the same within ``HURRIED_S``.
    """
    found = []
    for outcome in sorted(tally.shortest):
        groups, looked_at = _groups(tally, outcome)
        of = tally.all.outcomes[outcome]
        sampled = {"texts": looked_at, "of": of} if looked_at < of else None
        for group, (count, example) in sorted(groups.items(), key=lambda one: (-one[1][0], one)):
            text = _shrunk(outcome, group, example, look, hurried)
            seen = look([text])[0]
            calls = zip(SIDES, seen["calls"], strict=True)
            found.append(
                {"outcome": outcome, "shape": group, "count": count, "sampled": sampled}
                | {"where": example.where, "characters": example.size, "text": _cut(example.text)}
                | {"shrunk": text, **dict(calls), "again": outcome in seen["outcomes"]}
            )
    return found


def _groups(tally: Tally, outcome: str) -> tuple[dict[str, tuple[int, Example]], int]:
    """By shape, how many of the texts looked at and the shortest; and how many were looked at."""
    examples = {
        (one.file, one.line): Example(len(one.text), one.text, one.file, one.line, one.where)
        for one in tally.differing.get(outcome, ())
    }
    shortest = tally.shortest[outcome]
    examples[shortest.file, shortest.line] = shortest
    groups: dict[str, tuple[int, Example]] = {}
    for example in examples.values():
        group = shape(example.text)
        count, before = groups.get(group, (0, example))
        groups[group] = (count + 1, min(example, before))
    return groups, len(examples)


def _shrunk(outcome: str, group: str, example: Example, look: Look, hurried: Look) -> str:
    """A shorter text of the same shape with the same outcome."""

    def holds_by(judge: Look) -> Callable[[list[str]], list[bool]]:
        return lambda texts: [
            outcome in seen["outcomes"] and seen["shape"] == group for seen in judge(texts)
        ]

    holds = holds_by(hurried if outcome.endswith("_timeout") else look)
    begun = time.monotonic()
    if not holds([example.text])[0]:  # what broke in the crowd may do well alone
        return example.text
    slow = outcome.endswith(("_crash", "_timeout")) or time.monotonic() - begun > SLOW_S
    text = shrink(example.text, holds, **({"budget": SLOW_BUDGET} if slow else {}))
    return text if holds_by(look)([text])[0] else example.text


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
