"""What became of one text: how both parsers ended, in one word or, where both broke, two."""

from __future__ import annotations

from voirdire.audit.parsers.endings import CRASHES, TIMEOUT, VALUE

SIDES = ("eval", "production")
SAME = "same"
DIFFERENT = "different"
EVAL_ONLY = "eval_only"
PRODUCTION_ONLY = "production_only"
NEITHER = "neither"
OUTCOMES = (
    SAME,
    DIFFERENT,
    EVAL_ONLY,
    PRODUCTION_ONLY,
    NEITHER,
    "eval_crash",
    "production_crash",
    "eval_timeout",
    "production_timeout",
)
AGREE = (SAME, NEITHER)
"""Outcomes in which the parsers do not differ."""


def outcomes(endings: tuple[str, str], same: bool) -> tuple[str, ...]:
    """The outcomes of one text.

    Args:
        endings: of the eval's parser and of production's.
        same: whether both gave the same value, where both gave one.

    Returns:
        One of ``OUTCOMES``; two where both crashed or ran out of time, so that swapping the
        parsers swaps the counts.
    """
    broken = tuple(
        f"{side}_{'timeout' if ending == TIMEOUT else 'crash'}"
        for side, ending in zip(SIDES, endings, strict=True)
        if ending == TIMEOUT or ending in CRASHES
    )
    if broken:
        return broken
    parsed = (endings[0] == VALUE, endings[1] == VALUE)
    if all(parsed):
        return (SAME,) if same else (DIFFERENT,)
    if parsed[0]:
        return (EVAL_ONLY,)
    return (PRODUCTION_ONLY,) if parsed[1] else (NEITHER,)


def direction(counts: dict[str, int], alone: tuple[int, int]) -> str:
    """Which way the gap runs.

    Args:
        counts: texts by outcome.
        alone: texts of which only the eval's parser gave a value, and only production's, those
            on which the other one broke among them.

    Returns:
        ``divergent`` where a value differs, since that is worse than either; else ``mixed``,
        ``eval_more_permissive``, ``eval_stricter`` or ``equal``.
    """
    if counts[DIFFERENT]:
        return "divergent"
    if all(alone):
        return "mixed"
    if alone[0]:
        return "eval_more_permissive"
    return "eval_stricter" if alone[1] else "equal"
