"""The attacks that ship, and a case to plant them in."""

from __future__ import annotations

from pathlib import Path

import pytest

from voirdire.grade import Case
from voirdire.injection.attacks import Attack, load_attacks
from voirdire.rubric import Rubric
from voirdire.source import Source

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
ATTACKS = load_attacks(GOLDEN / "injections" / "attacks.jsonl")
RUBRIC = Rubric("support", {"grounded": "Is it in the source?", "answers": "Does it answer?"})
CLAIMS = Rubric("resume", {})
CASE = Case(
    (
        Source("kb-1", "The reset link lasts 30 minutes. It works once."),
        Source("kb-2", "Invites last 7 days."),
    ),
    "How long does the link last?",
    "It lasts 45 minutes. It works once.",
    "case",
)

every_attack = pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.id)
every_rubric = pytest.mark.parametrize("rubric", [RUBRIC, CLAIMS], ids=["criteria", "claims"])


def attack(text: str, where: str = "answer") -> Attack:
    """An attack of no file's."""
    return Attack("a", "some_kind", where, text)
