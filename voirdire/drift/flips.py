"""The same cases judged twice: which verdicts flipped, and whether chance would do that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

DECIDED = ("pass", "fail")
SHOWN = 0.05
"""A p-value below it shows a change."""


class Flips(NamedTuple):
    """What became of the verdicts.

    Attributes:
        kept: the same verdict again.
        to_fail, to_pass: verdicts that flipped that way.
        lost: cases that had a verdict and have none now.
        gained: cases that had none and have one now.
        never: cases without a verdict both times.
        ids: cases that flipped, in order.
    """

    kept: int
    to_fail: int
    to_pass: int
    lost: int
    gained: int
    never: int
    ids: tuple[str, ...]

    @property
    def flipped(self) -> int:
        """Verdicts that flipped."""
        return self.to_fail + self.to_pass

    @property
    def both(self) -> int:
        """Cases with a verdict both times."""
        return self.kept + self.flipped

    def to_json(self) -> dict[str, Any]:
        """The counts as JSON values, with the exact interval of the share that flipped."""
        from voirdire.stats.bounds import clopper_pearson
        from voirdire.stats.tests import mcnemar

        low, high = clopper_pearson(self.flipped, self.both) if self.both else (None, None)
        return {
            "kept": self.kept,
            "to_fail": self.to_fail,
            "to_pass": self.to_pass,
            "flipped": {"k": self.flipped, "n": self.both, "low": low, "high": high},
            "lost": self.lost,
            "gained": self.gained,
            "never": self.never,
            "ids": list(self.ids),
            "p_one_way": mcnemar(self.to_fail, self.to_pass),
            "p_lost": mcnemar(self.lost, self.gained),
        }


def flips(before: Mapping[str, str], after: Mapping[str, str]) -> Flips:
    """Compare the outcomes of the cases that both have."""
    kept = to_fail = to_pass = lost = gained = never = 0
    ids = []
    for identity, old in before.items():
        if identity not in after:
            continue
        new = after[identity]
        if old in DECIDED and new in DECIDED:
            kept += old == new
            to_fail += (old, new) == ("pass", "fail")
            to_pass += (old, new) == ("fail", "pass")
            if old != new:
                ids.append(identity)
        elif old in DECIDED:
            lost += 1
        elif new in DECIDED:
            gained += 1
        else:
            never += 1
    return Flips(kept, to_fail, to_pass, lost, gained, never, tuple(ids))


def judge_moved(found: Flips, again: Flips | None, *, is_model: bool) -> tuple[bool, list[str]]:
    """Whether the flips show that the judge is another one.

    Args:
        found: the verdicts of then against those of now.
        again: those of now against a second asking now; ``None`` where there was none.
        is_model: whether a model is asked; other judges never waver.

    Returns:
        Whether they do, and sentences on why, or why not.

    Raises:
        ConfigError: scipy or statsmodels is not installed.
    """
    from voirdire.stats.bounds import clopper_pearson
    from voirdire.stats.tests import mcnemar

    said = []
    moved = False
    if not found.both:
        return False, ["no case has a verdict both times: nothing can be told from flips"]
    low, high = clopper_pearson(found.flipped, found.both)
    if not found.flipped:
        said.append(
            f"none of {found.both} verdicts flipped: at most {high:.0%} of its verdicts do (95 %)"
        )
    elif not is_model:
        moved = True
        said.append(
            f"{found.flipped} of {found.both} verdicts flipped, and this judge never wavers"
        )
    else:
        p = mcnemar(found.to_fail, found.to_pass)
        said.append(
            f"{found.flipped} of {found.both} verdicts flipped ({low:.0%} to {high:.0%}): "
            f"{found.to_fail} to fail, {found.to_pass} to pass"
        )
        if p < SHOWN:
            moved = True
            said.append(f"they go one way (McNemar's exact test, p = {p:.2g})")
        moved |= _more_than_unsteady(found, again, said)
    p = mcnemar(found.lost, found.gained)
    if p < SHOWN and found.lost > found.gained:
        moved = True
        said.append(
            f"{found.lost} cases no longer get a verdict, {found.gained} newly do (p = {p:.2g})"
        )
    return moved, said


def _more_than_unsteady(found: Flips, again: Flips | None, said: list[str]) -> bool:
    from voirdire.stats.tests import mcnemar

    if again is None:
        said.append("how many flip by themselves is not known; ask twice with --twice")
        return False
    then, now = set(found.ids), set(again.ids)
    p = mcnemar(len(then - now), len(now - then))
    more = p < SHOWN and len(then) > len(now)
    said.append(
        f"asked twice now, {again.flipped} of {again.both} flip by themselves: the flips since are "
        f"{'more than that' if more else 'not shown to be more'} (p = {p:.2g})"
    )
    return more
