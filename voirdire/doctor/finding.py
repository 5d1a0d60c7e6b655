"""What the doctor finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

STATUSES: Final = ("ok", "warning", "problem")


class Finding(NamedTuple):
    """One thing that was looked at.

    Attributes:
        check: what was looked at, one word.
        status: ``ok``, ``warning`` or ``problem``.
        text: what was found; holds no key.
        mend: what to do about it; empty where nothing is to be done.
    """

    check: str
    status: str
    text: str
    mend: str = ""


def worst(findings: Sequence[Finding]) -> str:
    """The worst status among the findings."""
    return max((finding.status for finding in findings), key=STATUSES.index, default="ok")
