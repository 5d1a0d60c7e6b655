"""The figures of a period: outcomes, kinds of error, latency and tokens."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from voirdire import intervals
from voirdire.calibration.judging import NO_REPLY
from voirdire.drift.calls import Heard, Side
from voirdire.drift.flips import DECIDED

_READABLE = (*DECIDED, "cannot_decide")


def figures(side: Side) -> dict[str, Any]:
    """What a period's calls come to, as JSON values."""
    calls = side.calls
    return {
        "name": side.name,
        "calls": len(calls),
        "left_out": side.left_out,
        "outcomes": dict(sorted(Counter(call.outcome for call in calls).items())),
        "latency_ms": _spread(call.latency_ms for call in calls),
        "completion_tokens": _spread(call.completion for call in calls),
        "judges": _names(call.judge for call in calls),
        "fingerprints": _names(call.fingerprint for call in calls),
        "models": _names(call.model for call in calls),
        "system_fingerprints": _names(call.system for call in calls),
        "rubrics": _names(f"{call.rubric} {call.version[:12]}" for call in calls),
        "prompts": len({call.prompt for call in calls}),
        "sources": len({source for call in calls for source in call.sources}),
    }


def decided(calls: Sequence[Heard]) -> tuple[int, int]:
    """Fails, and verdicts that are pass or fail."""
    found = [call.outcome for call in calls if call.outcome in DECIDED]
    return found.count("fail"), len(found)


def unreadable(calls: Sequence[Heard]) -> tuple[int, int]:
    """Replies that could not be read, and replies."""
    replies = [call.outcome for call in calls if call.outcome not in NO_REPLY]
    return sum(outcome not in _READABLE for outcome in replies), len(replies)


def shift(before: tuple[int, int], after: tuple[int, int]) -> dict[str, Any]:
    """Two shares with their 95 % intervals (Wilson), and Fisher's exact test.

    Raises:
        ConfigError: scipy is not installed.
    """
    from voirdire.stats.tests import fisher

    p = fisher(*((count, of - count) for count, of in (before, after)))
    return {"before": _share(*before), "after": _share(*after), "p": p}


def _share(count: int, of: int) -> dict[str, Any]:
    low, high = intervals.wilson(count, of) if of else (None, None)
    return {"k": count, "n": of, "value": count / of if of else None, "low": low, "high": high}


def _spread(values: Iterable[float | None]) -> dict[str, Any]:
    known = sorted(value for value in values if value is not None)
    if not known:
        return {"n": 0, "median": None, "p95": None}
    last = known[min(len(known) - 1, int(0.95 * len(known)))]
    return {"n": len(known), "median": statistics.median(known), "p95": last}


def _names(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(value for value in values if value).items()))
