"""What two orders of asking come to: only a win that survives the swap counts. Pure."""

from __future__ import annotations

from dataclasses import dataclass

ANSWERS = ("a", "b")
TAKEN = "taken"
"""Kind of what was said where nothing speaks against taking it."""
ORDER_SENSITIVE = "order-sensitive"
SAID_TIE = "said tie"


@dataclass(frozen=True)
class Said:
    """What a judge said in one order.

    Attributes:
        first: the answer that stood first, ``a`` or ``b``.
        winner: ``a``, ``b`` or ``tie``, as the reply has it; ``None`` where it was unreadable.
        kind: :data:`TAKEN`, why it is not (``low_confidence``, ``evidence_not_found``,
            ``empty_answer``), or the kind of judge error.
        detail: one sentence; empty where it is taken.
    """

    first: str
    winner: str | None
    kind: str = TAKEN
    detail: str = ""

    @property
    def order(self) -> str:
        """The order, for people."""
        return f"with {self.first.upper()} first"

    @property
    def slot(self) -> str | None:
        """The place of the winner, ``first`` or ``second``; ``None`` where there is none."""
        if self.winner not in ANSWERS:
            return None
        return "first" if self.winner == self.first else "second"


@dataclass(frozen=True)
class Settled:
    """What a comparison came to.

    Attributes:
        outcome: ``a``, ``b``, ``tie``, ``undecided`` or ``judge_error``.
        kind: ``win``; for a tie :data:`ORDER_SENSITIVE` or :data:`SAID_TIE`; else why it is
            undecided, or the kind of judge error (of the first order that has one).
        detail: one sentence for people.
    """

    outcome: str
    kind: str
    detail: str


def settle(one: Said, two: Said) -> Settled:
    """Settle a comparison by what was said in its two orders.

    A reply that is missing in either order makes the comparison missing, and one that cannot be
    taken makes it undecided; neither is ever an agreement or a tie.
    """
    for outcome, left in (
        ("judge_error", [said for said in (one, two) if said.winner is None]),
        ("undecided", [said for said in (one, two) if said.kind != TAKEN]),
    ):
        if left:
            detail = "; ".join(f"{said.order}: {said.detail}" for said in left)
            return Settled(outcome, left[0].kind, detail)
    if one.winner != two.winner:
        detail = f"{one.order} {_result(one)}, {two.order} {_result(two)}"
        return Settled("tie", ORDER_SENSITIVE, detail)
    if one.winner == "tie":
        return Settled("tie", SAID_TIE, "a tie in both orders")
    return Settled(str(one.winner), "win", f"{_result(one)} in both orders")


def _result(said: Said) -> str:
    return "it is a tie" if said.winner == "tie" else f"{str(said.winner).upper()} wins"
