"""The measures of a judge against people's labels, each with its interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from voirdire import intervals
from voirdire.stats import bounds
from voirdire.stats.classes import strength
from voirdire.stats.table import Table, count, measure, why_undefined

Pair = tuple[str, str]
"""A person's label and the judge's outcome."""

BOOTSTRAPPED = ("kappa", "balanced_accuracy", "youden_j", "mcc", "ac1")


def tabled(pairs: Iterable[Pair]) -> Table:
    """Count the pairs that the judge decided; the others are in no cell."""
    return count(pair for pair in pairs if pair[1] in ("pass", "fail"))


def measures(found: Table, seed: int) -> dict[str, Any]:
    """All measures of a table with 95 % intervals.

    Wilson's for agreement, Clopper and Pearson's for the shares that a gate depends on, the BCa
    bootstrap's for kappa and the like. What is undefined is null and says why.

    Args:
        found: the decided cases.
        seed: of the bootstrap.
    """
    result: dict[str, Any] = {"n": found.n, "confusion": found._asdict()}
    agreed = found.caught + found.kept
    low, high = intervals.wilson(agreed, found.n) if found.n else (None, None)
    result["agreement"] = {"value": measure("agreement", found), "low": low, "high": high}
    if not found.n:
        result["agreement"]["why"] = why_undefined("agreement", found)
    for name in BOOTSTRAPPED:
        result[name] = _bootstrapped(found, name, seed)
    kappa = result["kappa"]["value"]
    result["kappa"]["strength"] = None if kappa is None else strength(kappa)
    result["fails_caught"] = share(found.caught, found.fails)
    result["passes_kept"] = share(found.kept, found.passes)
    result["precision_of_fails"] = share(found.caught, found.caught + found.harsh)
    return result


def brief(found: Table) -> dict[str, Any]:
    """The measures that stand side by side in a comparison, without intervals.

    ``why`` holds the reason of each that is undefined.
    """
    names = ("agreement", "kappa", "balanced_accuracy")
    whys = {name: why_undefined(name, found) for name in names}
    return {
        "n": found.n,
        **{name: measure(name, found) for name in names},
        "fails_caught": {"k": found.caught, "n": found.fails},
        "passes_kept": {"k": found.kept, "n": found.passes},
        "why": {name: why for name, why in whys.items() if why},
    }


def share(k: int, n: int) -> dict[str, Any]:
    """A share with its exact 95 % interval (Clopper–Pearson); bounds are null without cases."""
    low, high = bounds.clopper_pearson(k, n) if n else (None, None)
    return {"k": k, "n": n, "low": low, "high": high}


def treatments(pairs: Sequence[Pair]) -> dict[str, dict[str, Any]]:
    """The same judge under the three ways to treat cases that it did not decide.

    ``left_out`` is how the measures are taken; ``as_fail`` counts each as a fail of the judge's;
    ``against`` counts each as the opposite of the person's label, the worst case.
    """
    against = {"pass": "fail", "fail": "pass"}

    def treated(how: str) -> list[Pair]:
        return [
            (label, outcome)
            if outcome in against
            else (label, "fail" if how == "as_fail" else against[label])
            for label, outcome in pairs
        ]

    return {
        "left_out": brief(tabled(pairs)),
        "as_fail": brief(tabled(treated("as_fail"))),
        "against": brief(tabled(treated("against"))),
    }


def _bootstrapped(found: Table, name: str, seed: int) -> dict[str, Any]:
    value = measure(name, found)
    if value is None:
        return {"value": None, "low": None, "high": None, "why": why_undefined(name, found)}
    bound = bounds.interval(found, name, seed)
    return {"value": value, **bound._asdict()}
