"""A judge's preference between two answers: its JSON schema, and the strict check.

The answers are named by where they stand, ``first`` and ``second``, so that their names
carry nothing that could be preferred.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from voirdire.verdict import (
    CONFIDENCE,
    CRITIQUE,
    choice_fault,
    closed,
    confidence_fault,
    critique_fault,
    fields_fault,
    quotes_fault,
    quotes_schema,
)

WINNERS = ("first", "second", "tie")


@dataclass(frozen=True)
class Preference:
    """A preference that met the schema whole.

    Attributes:
        winner: ``first``, ``second`` or ``tie``.
        confidence: 0 to 1, as the judge states it.
        critique: the judge's reasons, written before its decision.
        evidence: quotes, at least one.
    """

    winner: str
    confidence: float
    critique: str
    evidence: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The preference as the judge's own schema has it."""
        return {
            "critique": self.critique,
            "evidence": list(self.evidence),
            "winner": self.winner,
            "confidence": self.confidence,
        }


def preference_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a preference, fields in the order of writing."""
    return closed(
        {
            "critique": dict(CRITIQUE),
            "evidence": quotes_schema(),
            "winner": {"type": "string", "enum": list(WINNERS)},
            "confidence": dict(CONFIDENCE),
        }
    )


def check_preference(value: Any) -> Preference | str:
    """The preference that a parsed JSON value is, or one sentence that says why it is none."""
    fault = fields_fault(value, ("critique", "evidence", "winner", "confidence"), "the reply")
    if fault:
        return fault
    fault = (
        critique_fault(value["critique"])
        or quotes_fault(value["evidence"])
        or choice_fault("winner", value["winner"], WINNERS)
        or confidence_fault(value["confidence"])
    )
    if fault:
        return fault
    return Preference(
        value["winner"], float(value["confidence"]), value["critique"], tuple(value["evidence"])
    )
