"""Counterexamples: one for each outcome and shape, shrunk to the characters that matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from voirdire.audit.outcome import SIDES
from voirdire.audit.shrink import shrink
from voirdire.audit.tally import Example, Tally

Look = Callable[[Sequence[str]], list[dict[str, Any]]]
SHOWN = 2_000
"""Characters of the text as it was that the report shows."""
BROKEN_BUDGET = 40
"""Candidates tried where each may cost a new process."""
HURRIED_S = 0.5
"""Seconds after which a shrunk text is taken to hang; what is found is held to the real limit."""


def counterexamples(tally: Tally, look: Look, hurried: Look) -> list[dict[str, Any]]:
    """The groups of texts on which the parsers differ, the most frequent of each outcome first.

    Args:
        tally: with the groups and the shortest text of each.
        look: says how both parsers end on each of a few texts.
        hurried: the same within ``HURRIED_S``.
    """
    ordered = sorted(tally.groups.items(), key=lambda item: (item[0][0], -item[1][0], item[0][1]))
    found = []
    for (outcome, group), (count, example) in ordered:
        text = _shrunk(outcome, group, example, look, hurried)
        calls = zip(SIDES, look([text])[0]["calls"], strict=True)
        found.append(
            {"outcome": outcome, "shape": group, "count": count}
            | {"where": example.where, "characters": example.size, "text": _cut(example.text)}
            | {"shrunk": text, **dict(calls)}
        )
    return found


def _shrunk(outcome: str, group: str, example: Example, look: Look, hurried: Look) -> str:
    """A shorter text of the same shape with the same outcome."""

    def holds_by(judge: Look) -> Callable[[list[str]], list[bool]]:
        return lambda texts: [
            outcome in seen["outcomes"] and seen["shape"] == group for seen in judge(texts)
        ]

    holds = holds_by(hurried if outcome.endswith("_timeout") else look)
    budget = {"budget": BROKEN_BUDGET} if outcome.endswith(("_crash", "_timeout")) else {}
    if not holds([example.text])[0]:  # what broke in the crowd may do well alone
        return example.text
    text = shrink(example.text, holds, **budget)
    return text if holds_by(look)([text])[0] else example.text


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"
