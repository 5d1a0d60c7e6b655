"""Answers put through checks against one small source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from voirdire.checks.config import read_config

SOURCE = [
    {
        "id": "kb-01",
        "text": "The link https://kitebase.example/help works for 30 minutes, since version 2.0. "
        "Mail support@kitebase.example. Team is $9 per month. Open /settings/billing.",
    },
    {"id": "kb-02", "text": "Refunds are paid within 14 days, until 31 March 2026."},
    {"id": "refund policy", "text": "Nothing else."},
]


def faults(answer: str, folder: Path = Path(), **config: Any) -> dict[str, list[str]]:
    """The faults of an answer by check, ``SOURCE`` the source unless the config names another."""
    return read_config({"source": SOURCE, **config}, [folder]).run(answer, {})


def of(answer: str, name: str, value: Any) -> list[str]:
    """The faults of an answer under one check."""
    return faults(answer, **{name: value})[name]
