"""A judge run over many labelled cases."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from voirdire.calibration.labelled import Judged, Labelled
from voirdire.grade import Outcome, grade
from voirdire.inflight import each
from voirdire.journal import Journal
from voirdire.judges.base import Judge
from voirdire.rubric import Rubric

if TYPE_CHECKING:  # loaded only where they are used
    from voirdire.cache.recall import Memory
    from voirdire.quorum import Quorum

NO_REPLY = ("unreachable", "budget", "no_record")
"""Kinds of judge error that say nothing of the judge: no reply came at all."""


def unanswered(judged: Iterable[Judged]) -> int:
    """How many cases the judge was never heard on."""
    return sum(one.outcome.kind in NO_REPLY for one in judged)


def judge_cases(
    cases: Sequence[Labelled],
    rubric: Rubric,
    judge: Judge,
    journal: Journal,
    *,
    policy: str = "strict",
    memory: Memory | None = None,
    quorum: Quorum | None = None,
    order: str = "source_first",
    precheck: Judge | None = None,
    in_flight: int = 4,
    on_judged: Callable[[Judged], None] | None = None,
) -> list[Judged]:
    """Judge every case, several at a time.

    Who is stopped in the middle goes on where he was: with a ``memory``, the verdicts so far are
    kept, and the next run asks only for the others.

    Args:
        cases: what to judge.
        rubric, judge, journal, policy, memory, quorum, order, precheck: as for
            :func:`voirdire.grade.grade`.
        in_flight: how many cases are judged at once, 1 or more.
        on_judged: told of each judged case, in the order of the cases, in the caller's thread.

    Returns:
        The cases with their outcomes, in the order of the cases.

    Raises:
        ConfigError: the judge's settings are wrong, or the journal cannot be written; what has
            not begun by then is not asked.
    """

    def judged(labelled: Labelled) -> Outcome:
        return grade(
            labelled.case,
            rubric,
            judge,
            journal,
            policy=policy,
            precheck=precheck,
            memory=memory,
            quorum=quorum,
            order=order,
        )

    def tell(labelled: Labelled, outcome: Outcome) -> None:
        if on_judged is not None:
            on_judged(Judged(labelled, outcome))

    outcomes = each(cases, judged, in_flight, tell)
    return [Judged(*pair) for pair in zip(cases, outcomes, strict=True)]
