"""The report of an audit: what ``parser_permissiveness.json`` holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voirdire import intervals
from voirdire.audit.outcome import OUTCOMES, direction
from voirdire.audit.tally import Counts, Tally


def gap(tally: Tally) -> dict[str, Any]:
    """What a tally says of the gap: counts, direction, rates, and who got what was intended."""
    counts = tally.all
    return {
        "texts": counts.texts,
        "counts": counts.by_outcome(),
        "direction": _direction(counts),
        "rates": {name: rate(counts.outcomes[name], counts.texts) for name in OUTCOMES},
        "accepted": dict(zip(("eval", "production", "both"), counts.accepted, strict=True)),
        "endings": {
            side: dict(sorted(endings.items()))
            for side, endings in zip(("eval", "production"), tally.endings, strict=True)
        },
        "intended": _got(counts.intended),
        "refuse": _got(counts.refuse),
        "kinds": {kind: _kind(found) for kind, found in sorted(tally.kinds.items())},
    }


def rate(count: int, of: int) -> dict[str, Any]:
    """A share with its 95 % interval (Wilson); where none was found, ``at_most`` (rule of three).

    Args:
        count: texts of one outcome.
        of: all texts, at least 1.
    """
    low, high = intervals.wilson(count, of)
    found: dict[str, Any] = {"count": count, "of": of, "rate": count / of, "interval": [low, high]}
    return found if count else {**found, "at_most": intervals.rule_of_three(of)}


def corpus_record(
    paths: list[str], tally: Tally, files: list[Mapping[str, Any]], sha256: str
) -> dict[str, Any]:
    """What was audited: enough to tell later whether it has changed."""
    return {
        "paths": paths,
        "texts": tally.all.texts,
        "bytes": sum(file["bytes"] for file in files),
        "sha256": sha256,
        "files": files,
        "damaged": tally.damaged,
        "damages": [damage._asdict() for damage in tally.named_damages()],
    }


def _direction(counts: Counts) -> str:
    first, second, both = counts.accepted
    return direction(counts.by_outcome(), (first - both, second - both))


def _got(found: list[int]) -> dict[str, int]:
    return dict(zip(("texts", "eval", "production"), found, strict=True))


def _kind(counts: Counts) -> dict[str, Any]:
    return {
        "texts": counts.texts,
        "counts": {name: count for name, count in counts.by_outcome().items() if count},
        "direction": _direction(counts),
        "intended": _got(counts.intended),
        "refuse": _got(counts.refuse),
    }
