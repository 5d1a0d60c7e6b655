"""The leaderboard: who passes how often, and where a difference may be chance."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from voirdire.certificate import load
from voirdire.errors import ConfigError
from voirdire.grade import Setup
from voirdire.intervals import LEVEL, available, wilson
from voirdire.report.tally import DECIDED, Group, setup_key
from voirdire.stats.table import Table


def leaderboard(groups: Iterable[Group], certificate: Path | None) -> list[dict[str, Any]]:
    """A row a run, metric and model, the best model first.

    Args:
        groups: what was counted.
        certificate: of the judge that the pass rates are corrected for.

    Raises:
        ConfigError: the certificate cannot be read, or holds no calibration.
    """
    found = None if certificate is None else calibrated(certificate)
    place = {key: at for at, key in enumerate(dict.fromkeys(_suite(group) for group in groups))}
    ordered = sorted(groups, key=lambda group: (place[_suite(group)], *_rank(group)))
    rows = []
    for _, suite in groupby(ordered, key=_suite):
        models = list(suite)
        for group, below in zip(models, [*models[1:], None], strict=True):
            rows.append({**_row(group, found), "tie_with_next": _tie(group, below)})
    return rows


def calibrated(certificate: Path) -> dict[str, Any]:
    """A certificate that holds a calibration.

    Raises:
        ConfigError: it cannot be read, or holds none.
    """
    found = load(certificate)
    if found["calibration"] is None:
        raise ConfigError(f"{certificate}: holds no calibration; run voirdire calibrate")
    counts = found["calibration"].get("confusion")
    is_table = isinstance(counts, dict) and set(counts) == set(Table._fields)
    if not is_table or not all(type(count) is int and count >= 0 for count in counts.values()):
        raise ConfigError(f"{certificate}: its confusion table is damaged; calibrate anew")
    return found


def setup_of(certificate: dict[str, Any]) -> str:
    """The judge of a certificate, as :func:`voirdire.report.tally.setup_key` has it."""
    return setup_key({name: certificate["judge"][name] for name in Setup._fields})


def _suite(group: Group) -> tuple[str, str]:
    return group.run, group.metric


def _rank(group: Group) -> tuple[float, str]:
    decided = group.decided
    return (-group.outcomes["pass"] / decided if decided else 1.0), group.model


def _row(group: Group, certificate: dict[str, Any] | None) -> dict[str, Any]:
    decided, passed = group.decided, group.outcomes["pass"]
    low, high = wilson(passed, decided) if decided else (None, None)
    return {
        "run": group.run,
        "model": group.model,
        "metric": group.metric,
        "cases": group.cases,
        "decided": decided,
        "passed": passed,
        "rate": {"value": passed / decided if decided else None, "low": low, "high": high},
        "coverage": decided / group.cases,
        "undecided": group.outcomes["undecided"],
        "unanswered": group.kinds["no_answer"],  # among the undecided
        "errors": dict(sorted(group.errors.items())),
        "corrected": None if certificate is None else _corrected(group, certificate),
        "cost": group.cost,
        "judge_cost": group.judge_cost if group.judged else None,
        "median_seconds": statistics.median(group.seconds) if group.seconds else None,
        "tokens": {name: group.tokens[name] for name in ("prompt", "completion", "reasoning")},
        "canned": group.canned,
        "judged": group.judged,
    }


def _corrected(group: Group, certificate: dict[str, Any]) -> dict[str, Any] | None:
    """As ``voirdire corrected`` has it; ``None`` where the certificate's judge graded nothing."""
    from voirdire.calibration.passrate import INVERTED
    from voirdire.stats.corrected import corrected

    graded = group.by_setup.get(setup_of(certificate), Counter())
    if not graded:
        return None
    if group.inverted:
        return {"value": None, "low": None, "high": None, "refused": INVERTED}
    if sum(graded[name] for name in DECIDED) != group.decided:
        others = "Other judges than that of the certificate decided some of these cases."
        return {"value": None, "low": None, "high": None, "refused": others}
    labels = Table(**certificate["calibration"]["confusion"])
    return corrected(graded["pass"], group.decided, labels)._asdict()


def _tie(group: Group, below: Group | None) -> bool | None:
    """Whether the difference to the next model may be chance; ``None`` where there is none."""
    if below is None or not group.decided or not below.decided:
        return None
    wins, losses, shared = 0, 0, 0
    for mine, other in pairs(group, below):
        shared += 1
        wins += (mine, other) == ("pass", "fail")
        losses += (mine, other) == ("fail", "pass")
    if not shared or not _can_test():
        return not _apart(group, below)
    if wins + losses < 6:  # the least that can be significant: 2 / 2 ** 6
        return True
    from voirdire.stats.tests import mcnemar

    return mcnemar(wins, losses) >= 1 - LEVEL


def pairs(one: Group, other: Group) -> Iterator[tuple[str, str]]:
    """The outcomes of both in the cases that both have decided."""
    for key, fact in one.facts.items():
        beside = other.facts.get(key)
        if beside and fact.outcome in DECIDED and beside.outcome in DECIDED:
            yield fact.outcome, beside.outcome


def _apart(one: Group, other: Group) -> bool:
    (low, high), (other_low, other_high) = (
        wilson(group.outcomes["pass"], group.decided) for group in (one, other)
    )
    return low > other_high or high < other_low


def _can_test() -> bool:
    import importlib.util

    return available() and importlib.util.find_spec("statsmodels") is not None


def kinds(groups: Sequence[Group]) -> list[dict[str, Any]]:
    """How often each kind of no verdict was met, of all judged grades."""
    judged = [group for group in groups if group.judged]
    counts: Counter[str] = sum((group.kinds for group in judged), Counter())
    of = sum(group.cases for group in judged)
    return [{"kind": kind, "count": count, "of": of} for kind, count in counts.most_common()]
