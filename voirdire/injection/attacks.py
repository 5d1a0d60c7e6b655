"""Attacks: texts that try to steer a judge, and where each is planted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voirdire.errors import ConfigError
from voirdire.jsonl import objects

PLACES = ("answer", "question", "source")
_FIELDS = ("id", "kind", "where", "text")


@dataclass(frozen=True)
class Attack:
    """One attack.

    Attributes:
        id: its name, unique in its file.
        kind: what it is a kind of (``plain_order``, ``fake_verdict``, …).
        where: what it is planted in: ``answer``, ``question`` or ``source``.
        text: what is planted, with the placeholders of
            :func:`voirdire.injection.plant.planted`.
    """

    id: str
    kind: str
    where: str
    text: str


def load_attacks(path: Path) -> tuple[Attack, ...]:
    """Read a JSONL file of attacks: ``{"id", "kind", "where", "text"}`` a line, all of them text.

    Raises:
        ConfigError: names the line that is wrong or whose id stands twice.
    """
    found: dict[str, Attack] = {}
    for where, value in objects(path):
        for field in _FIELDS:
            if not isinstance(value.get(field), str) or not value[field].strip():
                raise ConfigError(f"{where}: `{field}` must be text that is not empty")
        attack = Attack(*(value[field] for field in _FIELDS))
        if attack.where not in PLACES:
            raise ConfigError(f"{where}: `where` must be {', '.join(PLACES)}, not {attack.where!r}")
        if attack.id in found:
            raise ConfigError(f"{where}: the id {attack.id!r} stands twice; give each its own")
        found[attack.id] = attack
    return tuple(found.values())


def of_kinds(attacks: Sequence[Attack], kinds: Sequence[str]) -> tuple[Attack, ...]:
    """The attacks of some kinds; all of them where none is named.

    Raises:
        ConfigError: a kind that no attack is of.
    """
    known = sorted({attack.kind for attack in attacks})
    for kind in kinds:
        if kind not in known:
            raise ConfigError(f"no attack is of the kind {kind!r}; there are: {', '.join(known)}")
    return tuple(attack for attack in attacks if not kinds or attack.kind in kinds)
