"""Several samples of one judgement: how many must agree before it counts."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from voirdire.errors import ConfigError
from voirdire.grade import Outcome, together

MAX_SAMPLES = 100


class Quorum(NamedTuple):
    """How often a judge is asked, and how many must agree.

    Attributes:
        samples: 1 to 100.
        needed: more than half of the samples, so that only one decision can reach it.
    """

    samples: int = 1
    needed: int = 1


def read_quorum(samples: object, quorum: object, where: str) -> Quorum:
    """Check ``samples`` and ``quorum``; ``None`` takes 1 sample, and a bare majority.

    Raises:
        ConfigError: not whole numbers in their range.
    """
    count = 1 if samples is None else samples
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_SAMPLES:
        raise ConfigError(f"{where}samples: must be a whole number from 1 to {MAX_SAMPLES}")
    least = count // 2 + 1
    needed = least if quorum is None else quorum
    if isinstance(needed, bool) or not isinstance(needed, int) or not least <= needed <= count:
        raise ConfigError(
            f"{where}quorum: must be a whole number from {least} (more than half of the "
            f"samples) to {count} (all of them)"
        )
    return Quorum(count, needed)


def sampled(quorum: Quorum, judge: Callable[[int], Outcome]) -> Outcome:
    """Ask until the quorum is certain, reached or out of reach.

    Args:
        quorum: how often, and how many must agree.
        judge: gives the outcome of a sample, numbered from 0.

    Returns:
        The first of those that agree, with the median score of the readable samples; else an
        undecided (``split``), or a judge error where too few samples could be read.
    """
    found: list[Outcome] = []
    while len(found) < quorum.samples and not _is_certain(found, quorum):
        found.append(judge(len(found)))
    if quorum.samples == 1:
        return found[0]
    return _agreed(found, quorum)


def _votes(found: Sequence[Outcome]) -> Counter[str]:
    """How often each decision came, the undecided included; an error is no vote."""
    return Counter(outcome.outcome for outcome in found if outcome.outcome != "judge_error")


def _is_certain(found: Sequence[Outcome], quorum: Quorum) -> bool:
    votes = _votes(found)
    best = max(votes["pass"], votes["fail"])
    return best >= quorum.needed or best + quorum.samples - len(found) < quorum.needed


def _agreed(found: Sequence[Outcome], quorum: Quorum) -> Outcome:
    votes = _votes(found)
    readable = [outcome for outcome in found if outcome.outcome != "judge_error"]
    errors = [outcome for outcome in found if outcome.outcome == "judge_error"]
    for decision, count in votes.items():
        if count >= quorum.needed:
            base = next(outcome for outcome in found if outcome.outcome == decision)
            break
    else:
        if errors and len(readable) < quorum.needed:
            return errors[0]._replace(**together(found))
        counts = Counter(outcome.outcome.replace("_", " ") for outcome in found)
        told = ", ".join(f"{count} {name}" for name, count in counts.items())
        base = readable[0]._replace(
            outcome="undecided",
            kind="split",
            detail=f"{told} of {quorum.samples} samples; {quorum.needed} must agree",
        )
    score = statistics.median(outcome.score for outcome in readable)
    return base._replace(score=score, **together(found))
