"""Beyond the corpus: its values, wrapped and damaged the way models do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from voirdire.audit.corpus.item import OWN, REFUSE, UNKNOWN, Block
from voirdire.audit.mutate import Mutant, mutations
from voirdire.audit.tally import Tally

MUTANTS_A_BLOCK = 500
STOCK = (
    {"verdict": "pass", "score": 0.5, "reason": "It names the source, page 3."},
    {"items": [{"name": "rye bread", "count": 2}, {"name": "milk", "count": 1}], "total": 3},
    {"name": "Ada Lind", "address": {"street": "3 Mill Lane", "flat": None}, "active": True},
)
"""Values to start from where none of the corpus is known."""


def mutants(sample: Tally, count: int, seed: int) -> Iterator[Block]:
    """Blocks of mutants of the values that a tally has sampled, or else of ``STOCK``.

    Args:
        sample: a tally of the corpus.
        count: how many mutants.
        seed: of the choice of bases and of all that is random in a mutation.
    """
    known = [base.json for _, base in sorted(sample.sample.items())]
    bases = [(text, json.loads(text)) for text in known or map(json.dumps, STOCK)]
    lines: list[bytes] = []
    first = 1
    for number, mutant in enumerate(mutations(bases, count, seed), 1):
        lines.append(_line(mutant, number))
        if len(lines) == MUTANTS_A_BLOCK:
            yield Block(0, "mutations", first, b"".join(lines), OWN)
            first, lines = number + 1, []
    if lines:
        yield Block(0, "mutations", first, b"".join(lines), OWN)


def _line(mutant: Mutant, number: int) -> bytes:
    value: dict[str, Any] = {
        "text": mutant.text,
        "where": f"mutation {number} ({mutant.name})",
        "kind": mutant.name,
    }
    if mutant.intended is REFUSE:
        value["refuse"] = True
    elif mutant.intended is not UNKNOWN:
        value["intended"] = mutant.intended
    return json.dumps(value).encode("ascii") + b"\n"
