"""Numbers, with their units, that stand in no source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from voirdire.checks.subject import Subject
from voirdire.errors import ConfigError

_WORDS = frozenset(["url", "email", "quote", "name"])  # kinds of fact that are no numbers
_LABELS = frozenset(["cited", "letter", "weekday"])  # groups of facts that are none either


def read(value: Any) -> Callable[[Subject], list[str]]:
    """The check for ``numbers: true``: amounts, dates, times, versions and codes with digits.

    The rules judge's reading of them: 30 minutes is half an hour, and $9 is 9 USD.

    Raises:
        ConfigError: it is something else.
    """
    if value is not True:
        raise ConfigError("config: numbers: must be true or false")
    return _faults


def _faults(subject: Subject) -> list[str]:
    # Loaded only where asked for: every assertion is a new process.
    from voirdire.judges.rules.case import MISSING, WRONG, Case
    from voirdire.judges.rules.compare import compare

    case = Case(subject.sources, "", subject.prose)
    found = {}
    for finding in compare(case):
        fact = finding.fact
        if finding.status not in (MISSING, WRONG) or fact.kind in _WORDS or fact.group in _LABELS:
            continue
        # Found, but said of something else: that is for a judge to say.
        if case.truth.find(fact):
            continue
        text = subject.prose[fact.start : fact.end]
        ref = finding.ref
        there = ref.passage.text[ref.fact.start : ref.fact.end] if ref else ""
        found[text] = f"{text} is not in the source" + (f" (nearest: {there})" if there else "")
    unread = [f"not all of it was checked: {case.exhausted}"] if case.exhausted else []
    return [*found.values(), *unread]
