"""Agreement of a judge with people, from outcomes: errors cannot leak in as fails."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Agreement:
    """Counts over the cases that the judge decided.

    Attributes:
        both_pass, both_fail: judge and person agree.
        missed: a person failed it, the judge passed it.
        harsh: a person passed it, the judge failed it.
        missing: cases that the judge did not decide; in no other count.
    """

    both_pass: int
    both_fail: int
    missed: int
    harsh: int
    missing: int

    @property
    def decided(self) -> int:
        """Cases that the judge decided."""
        return self.both_pass + self.both_fail + self.missed + self.harsh

    @property
    def rate(self) -> float | None:
        """Share of decided cases in which both say the same, 0 to 1; ``None`` without any."""
        return (self.both_pass + self.both_fail) / self.decided if self.decided else None

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa, -1 to 1; ``None`` where chance alone gives full agreement.

        kappa = (p_o - p_e) / (1 - p_e), with p_e from the raters' own shares (Cohen 1960,
        "A coefficient of agreement for nominal scales").
        """
        n = self.decided
        if not n or self.rate is None:
            return None
        person = (self.both_pass + self.harsh) / n
        judge = (self.both_pass + self.missed) / n
        chance = person * judge + (1 - person) * (1 - judge)
        return None if chance == 1 else (self.rate - chance) / (1 - chance)


def agreement(pairs: Iterable[tuple[str, str]]) -> Agreement:
    """Count ``(person's label, judge's outcome)`` pairs; labels are ``pass`` or ``fail``."""
    counts = {"passpass": 0, "failfail": 0, "failpass": 0, "passfail": 0}
    missing = 0
    for label, outcome in pairs:
        if outcome in ("pass", "fail"):
            counts[label + outcome] += 1
        else:
            missing += 1
    return Agreement(
        counts["passpass"], counts["failfail"], counts["failpass"], counts["passfail"], missing
    )
