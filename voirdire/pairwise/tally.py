"""Statistics over many comparisons. Counts only; what is missing is counted apart. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from voirdire.pairwise.swap import ANSWERS, Said, Settled, settle
from voirdire.stats.classes import cross, kappa


@dataclass(frozen=True)
class Compared:
    """One pair as the statistics see it.

    Attributes:
        a_first: what was said with A first.
        b_first: what was said with B first.
        label: a person's choice, ``a``, ``b`` or ``tie``; ``None`` where there is none.
    """

    a_first: Said
    b_first: Said
    label: str | None = None

    @property
    def settled(self) -> Settled:
        """What the two orders come to."""
        return settle(self.a_first, self.b_first)


@dataclass(frozen=True)
class Share:
    """How often something was so, out of the cases in which it could be."""

    count: int
    of: int

    @property
    def rate(self) -> float | None:
        """The share, 0 to 1; ``None`` without any case."""
        return self.count / self.of if self.of else None


@dataclass(frozen=True)
class Against:
    """A judge's choices held against a person's.

    Attributes:
        right: cases in which both choose the same, out of those in which the judge chose.
        kappa: Cohen's kappa, -1 to 1; ``None`` where chance alone gives full agreement.
        missing: labelled cases in which the judge made no choice that counts.
    """

    right: Share
    kappa: float | None
    missing: int


@dataclass(frozen=True)
class Tally:
    """What a file of pairs comes to.

    Attributes:
        pairs: how many there are.
        wins_a: wins of A that survived the swap, out of the pairs that were settled.
        wins_b: those of B.
        ties: reason → ties.
        undecided: reason → pairs whose replies were read and could not be taken.
        missing: kind → pairs with an unreadable reply in either order.
        consistent: pairs in which both orders say the same, out of those readable in both.
        first_slot: wins of the answer that stood first, out of all wins in pairs that are
            readable in both orders. A judge that does not care about places has one half.
        first_twice: pairs in which the first place won both times, out of those readable in
            both orders.
        second_twice: pairs in which the second place did.
        a_first: the choices with A first, against the labels; ``None`` without labels.
        b_first: the choices with B first.
        swapped: the outcomes after the swap.
    """

    pairs: int
    wins_a: Share
    wins_b: Share
    ties: dict[str, int]
    undecided: dict[str, int]
    missing: dict[str, int]
    consistent: Share
    first_slot: Share
    first_twice: Share
    second_twice: Share
    a_first: Against | None
    b_first: Against | None
    swapped: Against | None


def tally(pairs: Sequence[Compared]) -> Tally:
    """Count a file of pairs."""
    settled = [pair.settled for pair in pairs]
    outcomes = Counter(one.outcome for one in settled)
    of = outcomes["a"] + outcomes["b"] + outcomes["tie"]
    readable = [pair for pair in pairs if pair.a_first.winner and pair.b_first.winner]
    slots = [(pair.a_first.slot, pair.b_first.slot) for pair in readable]
    won = [slot for both in slots for slot in both if slot]
    labelled = [pair for pair in pairs if pair.label is not None]
    return Tally(
        pairs=len(pairs),
        wins_a=Share(outcomes["a"], of),
        wins_b=Share(outcomes["b"], of),
        ties=_kinds(settled, "tie"),
        undecided=_kinds(settled, "undecided"),
        missing=_kinds(settled, "judge_error"),
        consistent=Share(
            sum(pair.a_first.winner == pair.b_first.winner for pair in readable), len(readable)
        ),
        first_slot=Share(won.count("first"), len(won)),
        first_twice=Share(slots.count(("first", "first")), len(readable)),
        second_twice=Share(slots.count(("second", "second")), len(readable)),
        a_first=_against((pair.label, pair.a_first.winner) for pair in labelled),
        b_first=_against((pair.label, pair.b_first.winner) for pair in labelled),
        swapped=_against((pair.label, _choice(pair.settled)) for pair in labelled),
    )


def _against(choices: Iterable[tuple[str | None, str | None]]) -> Against | None:
    given = list(choices)
    if not given:
        return None
    made = [(label, choice) for label, choice in given if label and choice]
    right = sum(label == choice for label, choice in made)
    return Against(Share(right, len(made)), kappa(cross(made)), len(given) - len(made))


def _choice(settled: Settled) -> str | None:
    return settled.outcome if settled.outcome in (*ANSWERS, "tie") else None


def _kinds(settled: Sequence[Settled], outcome: str) -> dict[str, int]:
    return dict(Counter(one.kind for one in settled if one.outcome == outcome).most_common())
