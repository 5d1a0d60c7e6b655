"""What a run may cost, all its models and the judge together, over all its resumptions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from voirdire.judges.base import Ask
from voirdire.judges.budget import Limits, RunBudget
from voirdire.judges.prices import Price
from voirdire.reply import Reply


class Asked(Protocol):
    """A judge, or a model under test."""

    @property
    def spec(self) -> str: ...
    @property
    def identity(self) -> Mapping[str, Any]: ...
    def ask(self, ask: Ask) -> Reply: ...


class Metered:
    """Whom it stands for, until the run's money is spent.

    Args:
        asked: who is asked.
        price: of its tokens; ``None`` where it is not known, and ``max_cost`` is none.
        max_cost: US dollars for the whole run; ``None`` is no limit, and is counted all the same:
            the next resumption may have one.
        folder: the run's.
    """

    cacheable = False

    def __init__(
        self, asked: Asked, price: Price | None, max_cost: float | None, folder: Path
    ) -> None:
        self._asked = asked
        self._budget = RunBudget(Limits(None, None, max_cost), price, "budget", folder)
        self.can_reask = bool(getattr(asked, "can_reask", False))

    @property
    def spec(self) -> str:
        """Of whom it stands for."""
        return self._asked.spec

    @property
    def identity(self) -> Mapping[str, Any]:
        """Of whom it stands for."""
        return self._asked.identity

    def ask(self, ask: Ask) -> Reply:
        """Ask, and count what it cost.

        Raises:
            JudgeCallError: ``budget`` where the money is spent; else as whom it stands for.
        """
        said = json.dumps([*ask.prompt.messages, *map(dict, ask.turns)], ensure_ascii=True)
        with self._budget.reserved(len(said)) as account:
            reply = self._asked.ask(ask)
            account.answered = True
            account.usage = reply.usage
            account.text = f"{reply.reasoning or ''}{reply.text or ''}"
            return reply
