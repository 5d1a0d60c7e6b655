"""Texts wrapped and damaged the way models do it: a gap is found before a model finds it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from voirdire.audit.corpus.item import REFUSE, UNKNOWN
from voirdire.audit.mutate import around, damage, rewrite, several
from voirdire.audit.mutate.base import MUTATIONS, Base, Intends, Mutation, sound_base

__all__ = ["MUTATIONS", "Intends", "Mutant", "Mutation", "mutations"]

# Imported for what they add to MUTATIONS.
_PARTS = (around, several, damage, rewrite)
_TRIES = 20  # texts that were there already, before a mutation is taken to have no new ones


class Mutant(NamedTuple):
    """A mutated text.

    Attributes:
        text: what a parser gets.
        name: of the mutation.
        intended: the JSON value that should be read, ``REFUSE`` or ``UNKNOWN``.
        base: number of the base it was made from, from 0.
    """

    text: str
    name: str
    intended: Any
    base: int


def mutations(bases: Sequence[tuple[str, Any]], count: int, seed: int) -> Iterator[Mutant]:
    """Mutated texts, all different: every mutation in turn, each of another base.

    The same for the same arguments on every machine; a smaller ``count`` gives the beginning of the
    same texts. Bases that are not one strict JSON object or array of the value given, or are nested
    deeper than a reply is, are passed over; so is a mutation that no base has something for.

    Args:
        bases: JSON texts and their values.
        count: how many to make; fewer come when no new ones are left.
        seed: of what is drawn.
    """
    sound: dict[str, tuple[int, Base]] = {}
    for number, (text, value) in enumerate(bases):
        if text not in sound and (base := sound_base(text, value)):
            sound[text] = number, base
    makers = {name: _made(name, list(sound.values()), seed) for name in MUTATIONS}
    seen: set[bytes] = set()
    while makers:
        for name, maker in list(makers.items()):
            if len(seen) >= count:
                return
            for mutant in islice(maker, _TRIES):
                mark = blake2b(mutant.text.encode(), digest_size=12).digest()
                if mark not in seen:
                    seen.add(mark)
                    yield mutant
                    break
            else:
                del makers[name]


def _made(name: str, bases: list[tuple[int, Base]], seed: int) -> Iterator[Mutant]:
    """Endless mutants by one mutation, base after base; none where it suits no base."""
    mutation = MUTATIONS[name]
    draw = Random(f"{seed} {name}")
    order = draw.sample(bases, len(bases))
    while order:
        suited = []
        for number, base in order:
            text = mutation.make(base, draw)
            if text is not None and text != base.text:
                suited.append((number, base))
                yield Mutant(text, name, _intended(mutation, base, text), number)
        order = suited


def _intended(mutation: Mutation, base: Base, text: str) -> Any:
    if mutation.intends is Intends.BASE:
        return base.value
    if mutation.intends is Intends.AS_WRITTEN:
        return json.loads(text, strict=False)
    return REFUSE if mutation.intends is Intends.NOTHING else UNKNOWN
