"""Where a judge is examined: the questions ask it here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, TypeVar

from voirdire.calibration.labelled import Judged
from voirdire.examination.listened import Ledger, Listened
from voirdire.examination.request import Request
from voirdire.grade import Case, Outcome, grade
from voirdire.judges.spec import make_judge
from voirdire.pairwise.compare import Comparison, Pair, compare
from voirdire.quorum import Quorum

T = TypeVar("T")
U = TypeVar("U")


class Room:
    """A judge, a battery, and all that the judge was asked.

    Args:
        request: what was asked for.

    Attributes:
        judge: the judge as it is set.
        under_way: the question that is being put.

    Raises:
        ConfigError: the judge cannot be made.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.battery = request.battery
        self.under_way = ""
        self._ledger = Ledger(request.max_calls)
        self._share: int | None = None
        self.judge = self.variant()

    @cached_property
    def base(self) -> list[Judged]:
        """The cases as they are, judged once; with a limit on calls, by at most half of them."""
        cases = self.battery.cases
        if self._ledger.left is not None:
            cases = cases[: self._ledger.left // 2]
        outcomes = self._all([one.case for one in cases], self._graded(self.judge))
        return [Judged(one, outcome) for one, outcome in zip(cases, outcomes, strict=True)]

    def begin(self, question: str, others: int) -> None:
        """Begin a question, with its part of the calls that are left.

        Args:
            question: its name.
            others: questions after it that will ask, too.
        """
        self.under_way = question
        left = self._ledger.left
        self._share = None if left is None else left // (1 + others)

    def variant(self, **settings: Any) -> Listened:
        """The same judge with other settings."""
        request = self.request
        return Listened(make_judge(request.spec, {**request.settings, **settings}), self._ledger)

    def grade(
        self, cases: Iterable[Case], judge: Listened | None = None, order: str = "source_first"
    ) -> list[Outcome]:
        """Judge cases, in their order; the first of them where calls are limited."""
        taken = self._some(cases, 2 if order == "both" else 1)
        return self._all(taken, self._graded(judge or self.judge, order))

    def repeat(self, cases: Iterable[Case]) -> list[Outcome]:
        """Judge each case again and again until its outcome changes; no verdict is kept or used."""
        times = self.request.repeats
        taken = self._some(cases, times)
        return self._all(taken, self._graded(self.judge, quorum=Quorum(times, times), memory=None))

    def compare(self, pairs: Iterable[Pair]) -> list[Comparison]:
        """Compare answers in both orders; the first of them where calls are limited.

        Raises:
            ConfigError: the judge cannot compare.
        """
        request = self.request
        return self._all(
            self._some(pairs, 2),
            lambda pair: compare(
                pair,
                self.battery.rubric,
                self.judge,
                request.journal,
                policy=request.policy,
                memory=request.memory,
            ),
        )

    def _graded(
        self, judge: Listened, order: str = "source_first", **how: Any
    ) -> Callable[[Case], Outcome]:
        request = self.request
        how = {"policy": request.policy, "memory": request.memory, "order": order, **how}
        return lambda case: grade(case, self.battery.rubric, judge, request.journal, **how)

    def _some(self, items: Iterable[T], calls: int) -> list[T]:
        """As many as the question's part of the calls allows, at so many calls each."""
        given = list(items)
        if self._share is None:
            return given
        taken = given[: self._share // calls]
        self._share -= calls * len(taken)
        return taken

    def _all(self, items: Sequence[T], one: Callable[[T], U]) -> list[U]:
        done: list[U] = []
        with ThreadPoolExecutor(int(self.request.settings.get("in_flight", 4))) as pool:
            try:
                for result in pool.map(one, items):
                    done.append(result)
                    self.request.tell(self.under_way, self._ledger.asked)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return done
