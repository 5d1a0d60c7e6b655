"""Ask the rules judge, and hold its reply to the verdict schema."""

from __future__ import annotations

import json
from typing import Any

from voirdire.judges.base import Ask
from voirdire.judges.rules import RulesJudge
from voirdire.prompt import Prompt
from voirdire.source import Source
from voirdire.verdict import Verdict, check_verdict


def judge(
    sources: dict[str, str],
    answer: str,
    question: str = "",
    criteria: tuple[str, ...] = ("grounded",),
    ignore: tuple[str, ...] = (),
) -> dict[str, Any]:
    ask = Ask(
        prompt=Prompt("", "", ()),
        schema={},
        rubric_criteria=criteria,
        sources=tuple(Source(id_, text) for id_, text in sources.items()),
        question=question,
        answer=answer,
        ignore=ignore,
    )
    reply = RulesJudge().ask(ask)
    assert reply.finish_reason == "stop"
    assert reply.raw == reply.text
    assert not reply.canned
    verdict: dict[str, Any] = json.loads(reply.text or "")
    assert isinstance(check_verdict(verdict, criteria), Verdict), check_verdict(verdict, criteria)
    return verdict
