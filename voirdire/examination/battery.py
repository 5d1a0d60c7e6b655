"""What a judge is examined with: cases, minimal pairs, and what is planted in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.calibration.labelled import Labelled
from voirdire.examination.twins import Twin, twins_of
from voirdire.grade import Case
from voirdire.injection.attacks import Attack, load_attacks
from voirdire.jsonl import objects
from voirdire.pairwise.compare import Pair
from voirdire.rubric import Rubric, load_rubric
from voirdire.source import Source, load_sources

DATA = Path(__file__).with_name("data")
_TWINS = 8


class Battery(NamedTuple):
    """All that the questions are made from.

    Attributes:
        rubric: what the judge decides.
        cases: labelled cases, failing and passing ones in turn.
        twins: minimal pairs of a right and a wrong answer.
        pairs: answers to be compared.
        paddings: what makes an answer longer and says nothing.
        attacks: what tries to steer the judge.
        other: a source of truth about something else.
    """

    rubric: Rubric
    cases: tuple[Labelled, ...]
    twins: tuple[Twin, ...]
    pairs: tuple[Pair, ...]
    paddings: tuple[Attack, ...]
    attacks: tuple[Attack, ...]
    other: tuple[Source, ...]


def default_battery(attacks: Path | None = None) -> Battery:
    """The battery that comes with the package: the help centre of a fictitious newsletter service.

    Args:
        attacks: attacks of the user's instead of ours.

    Raises:
        ConfigError: the file of attacks is wrong.
    """
    sources = tuple(load_sources(DATA / "excerpts.jsonl"))
    cases = [
        Labelled(
            Case(sources, value["question"], value["answer"], value["id"]),
            value["label"],
            {},
            value["note"],
            "",
            (),
            "",
            where,
        )
        for where, value in objects(DATA / "cases.jsonl")
    ]
    return Battery(
        load_rubric(DATA / "rubric.yaml"),
        in_turn(cases),
        tuple(_twin(value, sources) for _, value in objects(DATA / "twins.jsonl")),
        tuple(_pair(value, sources) for _, value in objects(DATA / "pairs.jsonl")),
        *_planted(attacks),
    )


def own_battery(rubric: Rubric, cases: Sequence[Labelled], attacks: Path | None = None) -> Battery:
    """A battery made from the user's labelled cases.

    Its minimal pairs are answers that a person passed, with a number changed or a verb denied.

    Args:
        rubric: what the judge decides.
        cases: labelled cases.
        attacks: attacks of the user's instead of ours.

    Raises:
        ConfigError: the file of attacks is wrong.
    """
    twins = tuple(twins_of([one.case for one in cases if one.label == "pass"], _TWINS))
    return Battery(rubric, in_turn(cases), twins, _duels(twins), *_planted(attacks))


def in_turn(cases: Iterable[Labelled]) -> tuple[Labelled, ...]:
    """Failing and passing cases in turn, so that the first few hold some of both."""
    given = list(cases)
    fails, passes = ([one for one in given if one.label == label] for label in ("fail", "pass"))
    mixed = chain.from_iterable(zip_longest(fails, passes))
    return tuple(one for one in mixed if one is not None)


def _planted(
    attacks: Path | None,
) -> tuple[tuple[Attack, ...], tuple[Attack, ...], tuple[Source, ...]]:
    return (
        load_attacks(DATA / "padding.jsonl"),
        load_attacks(attacks or DATA / "attacks.jsonl"),
        tuple(load_sources(DATA / "other.jsonl")),
    )


def _twin(value: Mapping[str, Any], sources: tuple[Source, ...]) -> Twin:
    fields = ("id", "kind", "question", "right", "wrong")
    return Twin(**{name: value[name] for name in fields}, sources=sources)


def _pair(value: Mapping[str, Any], sources: tuple[Source, ...]) -> Pair:
    return Pair(value["a"], value["b"], value["question"], sources, value["id"], value["label"])


def _duels(twins: Sequence[Twin]) -> tuple[Pair, ...]:
    """The twins against each other, the right one standing as A and as B in turn."""
    return tuple(
        Pair(twin.right, twin.wrong, twin.question, twin.sources, twin.id, "a")
        if number % 2 == 0
        else Pair(twin.wrong, twin.right, twin.question, twin.sources, twin.id, "b")
        for number, twin in enumerate(twins)
    )
