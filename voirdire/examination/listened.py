"""A judge that is listened to: its calls are counted, and what it replied is kept."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from voirdire.errors import JudgeCallError
from voirdire.examination.request import Asked
from voirdire.judges.base import Ask, Judge
from voirdire.judges.model import ModelJudge
from voirdire.judges.prices import Price
from voirdire.reply import Reply


class Ledger:
    """Calls and their cost, over all the forms in which a judge is asked.

    Args:
        limit: no more than so many calls; ``None`` is no limit.

    Attributes:
        asked: the sum so far.
    """

    def __init__(self, limit: int | None) -> None:
        self.asked = Asked(0, 0.0)
        self._limit = limit
        self._lock = threading.Lock()

    @property
    def left(self) -> int | None:
        """Calls that may still be made; ``None`` for any number."""
        return None if self._limit is None else self._limit - self.asked.calls

    def begin(self) -> None:
        """Count a call before it is made.

        Raises:
            JudgeCallError: ``budget``: none is left.
        """
        with self._lock:
            if self.left == 0:
                raise JudgeCallError("budget", f"the limit of {self._limit} calls is reached")
            self.asked = self.asked._replace(calls=self.asked.calls + 1)

    def pay(self, cost: float | None) -> None:
        """Add what a call cost."""
        with self._lock:
            before = self.asked.cost
            total = None if cost is None or before is None else before + cost
            self.asked = self.asked._replace(cost=total)


class Listened:
    """A judge whose calls are counted and whose replies are kept.

    Attributes:
        replies: all that it replied, in order of arrival; not what was kept from earlier runs.
    """

    def __init__(self, judge: Judge, ledger: Ledger) -> None:
        self.replies: list[Reply] = []
        self._judge = judge
        self._ledger = ledger

    @property
    def spec(self) -> str:
        """See ``Judge``."""
        return self._judge.spec

    @property
    def identity(self) -> Mapping[str, Any]:
        """See ``Judge``."""
        return self._judge.identity

    @property
    def can_reask(self) -> bool:
        """See ``Judge``."""
        return self._judge.can_reask

    @property
    def cacheable(self) -> bool:
        """See ``Judge``."""
        return self._judge.cacheable

    @property
    def model(self) -> ModelJudge | None:
        """The judge, where it is a model behind an API."""
        return self._judge if isinstance(self._judge, ModelJudge) else None

    @property
    def price(self) -> Price | None:
        """What its tokens cost; ``None`` where that is not known."""
        return self.model.price if self.model else None

    def ask(self, ask: Ask) -> Reply:
        """See ``Judge``."""
        self._ledger.begin()
        reply = self._judge.ask(ask)
        self.replies.append(reply)
        if self.model:
            self._ledger.pay(self.price.of(reply.usage) if self.price else None)
        return reply
