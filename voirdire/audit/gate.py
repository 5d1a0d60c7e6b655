"""Which findings fail a build: ``different,eval-only:1%,crash``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from voirdire.errors import ConfigError

FINDINGS = {
    "different": ("different",),
    "eval-only": ("eval_only",),
    "production-only": ("production_only",),
    "neither": ("neither",),
    "crash": ("eval_crash", "production_crash"),
    "timeout": ("eval_timeout", "production_timeout"),
}
SLOW = "slow"
_NUMBER = re.compile(r"(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})%?", re.ASCII)
DAMAGED = "damaged"


class Limit(NamedTuple):
    """How much of one finding is borne.

    Attributes:
        finding: a name of ``FINDINGS``, or ``slow`` or ``damaged``.
        most: texts, or their share where ``share`` says so.
        share: whether ``most`` is a share of all texts, 0 to 1.
    """

    finding: str
    most: Fraction
    share: bool


def limits(text: str) -> list[Limit]:
    """Read ``NAME[:MOST],…``, where MOST is a count or a percentage, 0 by default.

    Raises:
        ConfigError: a name or a number that is none.
    """
    return [_limit(part.strip()) for part in text.split(",") if part.strip()]


def _limit(part: str) -> Limit:
    name, colon, most = part.partition(":")
    known = [*FINDINGS, SLOW, DAMAGED]
    if name not in known:
        raise ConfigError(f"--fail-on {part}: no such finding; give one of {', '.join(known)}")
    share = most.endswith("%")
    # Exact: of 0.7 % in binary, 7 of 1,000 would be more.
    number = Fraction(most.removesuffix("%")) if _NUMBER.fullmatch(most) else Fraction(0)
    if (colon and not _NUMBER.fullmatch(most)) or (share and (number > 100 or name == SLOW)):
        raise ConfigError(f"--fail-on {part}: after the colon stands a count or a percentage")
    return Limit(name, number / 100 if share else number, share)


def exceeded(report: Mapping[str, Any], gates: list[Limit]) -> list[str]:
    """What fails, a sentence each; of mutations too, where there were any."""
    found = []
    for part, title in ((report, ""), (report.get("mutations"), " of the mutations")):
        for gate in gates if part else ():
            count = _count(part or {}, gate.finding)
            of = (part or {})["texts"] if "texts" in (part or {}) else report["corpus"]["texts"]
            if count is not None and (Fraction(count, of) if gate.share else count) > gate.most:
                most = float(gate.most)
                borne = f"{100 * most:g} %" if gate.share else f"{most:g}"
                found.append(f"{gate.finding}{title}: {count} of {of}, more than {borne}")
    return found


def _count(part: Mapping[str, Any], finding: str) -> int | None:
    if finding == SLOW:
        return sum(map(len, part["growth"].values())) if part.get("growth") else None
    if finding == DAMAGED:
        return int(part["corpus"]["damaged"]) if "corpus" in part else None
    return sum(int(part["counts"][name]) for name in FINDINGS[finding])
