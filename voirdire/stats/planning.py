"""How many labels a claim needs."""

from __future__ import annotations

from voirdire.intervals import LEVEL
from voirdire.stats.extra import load

MOST = 100_000
"""Labels beyond which nobody would go."""


def more_needed(count: int, of: int, target: float, level: float = LEVEL) -> int | None:
    """How many more cases show that a share is at least ``target``, if it stays what it is.

    "Shows" means that the exact one-sided lower bound reaches the target.

    Args:
        count: how often it was so, 0 to ``of``, such as fails caught.
        of: out of how many, such as labelled fails. Without any, the share is taken to be 1: the
            fewest cases that could show it.
        target: 0 to 1, both ends left out.
        level: 0 to 1, both ends left out.

    Returns:
        0 where the cases show it already; ``None`` where the share so far is not above the
        target, or so little that more than ``MOST`` cases would be needed.

    Raises:
        ConfigError: scipy is not installed.
        ValueError: a number is out of its range.
    """
    if not 0 <= count <= of or not 0 < target < 1 or not 0 < level < 1:
        raise ValueError(f"no share: {count} of {of} against {target} at level {level}")
    if of and count <= target * of:
        return None
    np, binomial = load("numpy"), load("scipy.stats").binom
    sizes = np.arange(max(of, 1), max(of, MOST) + 1)
    # In whole numbers: a case is caught or it is not.
    counts = sizes * count // of if of else sizes
    # The bound reaches the target where so high a count would be rare if that were the share.
    shown = np.flatnonzero(binomial.sf(counts - 1, sizes, target) <= 1 - level)
    return int(sizes[shown[0]]) - of if len(shown) else None
