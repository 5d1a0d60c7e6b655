"""What an examination is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from voirdire.cache.recall import Memory
from voirdire.examination.battery import Battery
from voirdire.journal import Journal


class Asked(NamedTuple):
    """How much was asked so far.

    Attributes:
        calls: calls made.
        cost: US dollars; ``None`` where it is not known.
    """

    calls: int
    cost: float | None


def _silently(_: str, __: Asked) -> None:
    pass


_NOTHING_KEPT = Memory()


@dataclass(frozen=True)
class Request:
    """An examination.

    Attributes:
        spec: the judge's.
        battery: what it is asked.
        journal: where every call is written before it is read.
        settings: the judge's, as ``JudgeSettings`` has them.
        memory: where verdicts are kept.
        policy: how replies are read, ``strict`` or ``tolerant``.
        questions: names of the questions to put; all of them where none is named.
        max_calls: no more than so many calls, 2 or more; ``None`` is no limit.
        repeats: how often one case is put in a row, 2 to 100.
        tested: names of the models whose answers will be judged.
        most_cost: US dollars that 200 cases may cost; ``None`` sets no limit.
        most_seconds: seconds that a call may take, 95 % of the time; ``None`` sets no limit.
        tell: told the question under way and how much was asked, after every case.
    """

    spec: str
    battery: Battery
    journal: Journal
    settings: Mapping[str, Any] = field(default_factory=dict)
    memory: Memory = _NOTHING_KEPT
    policy: str = "strict"
    questions: tuple[str, ...] = ()
    max_calls: int | None = None
    repeats: int = 5
    tested: tuple[str, ...] = ()
    most_cost: float | None = None
    most_seconds: float | None = None
    tell: Callable[[str, Asked], None] = _silently
