"""Models and a judge on loopback: the words are canned, all else is real.

The server tells who is asked by the model's name and what about by the text that it was sent, and
counts its replies. Only a test's script says what models and judge answer.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.judges.judge_server import JudgeServer, Request, Step, reply

JUDGE = "judge-1"
SOURCE = "The link lasts 30 minutes."
_CASE = re.compile(r"Question (\w+):")

Asked = tuple[str, str, str]
"""Who was asked, for which case, and of a judge whose answer it was."""


def verdict(verdict: str = "pass", *, holds: bool = True) -> Step:
    """A judge's reply."""
    said = {
        "critique": "So it says.",
        "criteria": {"grounded": holds},
        "evidence": [SOURCE],
        "verdict": verdict,
        "confidence": 0.95,
    }
    return reply(json.dumps(said))


def asked(request: Request) -> Asked:
    """What a request is about; every answer names its model, so that a judge's can be told."""
    sent = request.json
    said = sent["messages"][-1]["content"]
    found = _CASE.search(said)
    assert found is not None, said
    if sent["model"] != JUDGE:
        return sent["model"], found[1], ""
    return JUDGE, found[1], str(json.loads(said)["answer"]).split(":")[0]


def say(who: Asked) -> Step:
    """Models that answer, and a judge that passes every answer."""
    model, case, _ = who
    return verdict() if model == JUDGE else reply(f"{model}: {case} lasts 30 minutes.")


class ModelsServer(JudgeServer):
    """The server.

    Args:
        script: what is replied to whom.
    """

    def __init__(self, script: Callable[[Asked], Step] = say) -> None:
        super().__init__([reply()])
        self.script = script
        self.replied: Counter[Asked] = Counter()
        self.most: float = float("inf")
        self.full = threading.Event()
        self.gate = threading.Event()

    def hold_after(self, most: float) -> None:
        """Reply so often, and let whoever asks then wait until :attr:`gate` is set."""
        self.most = most
        self.full.clear()
        self.gate.clear()

    def next_step(self, request: Request) -> Step:
        """See ``JudgeServer``."""
        super().next_step(request)
        who = asked(request)
        with self._lock:
            is_held = sum(self.replied.values()) >= self.most
            if not is_held:
                self.replied[who] += 1
        if is_held:
            self.full.set()
            self.gate.wait(30)
        return self.script(who)

    def told(self) -> list[Any]:
        """The requests' bodies."""
        return [request.json for request in self.requests]
