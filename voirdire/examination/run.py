"""An examination: the questions put to a judge, one after the other."""

from __future__ import annotations

from voirdire.errors import ConfigError
from voirdire.examination.finding import Finding, Question
from voirdire.examination.questions import QUESTIONS
from voirdire.examination.request import Request
from voirdire.examination.room import Room


def examine(request: Request) -> list[Finding]:
    """Examine a judge.

    Args:
        request: whom, with what, and which questions.

    Returns:
        A finding for each question that was chosen, in the order of ``QUESTIONS``.

    Raises:
        ConfigError: the judge or a setting is wrong, a question is not known, or the journal
            cannot be written.
    """
    chosen = _chosen(request.questions)
    room = Room(request)
    room.begin("cases", sum(question.asks for question in chosen))
    _ = room.base
    findings = []
    for number, question in enumerate(chosen):
        room.begin(question.name, sum(later.asks for later in chosen[number + 1 :]))
        findings.append(question.put(room))
    return findings


def _chosen(names: tuple[str, ...]) -> list[Question]:
    known = [question.name for question in QUESTIONS]
    for name in names:
        if name not in known:
            raise ConfigError(f"there is no question {name!r}; there are: {', '.join(known)}")
    return [question for question in QUESTIONS if not names or question.name in names]
