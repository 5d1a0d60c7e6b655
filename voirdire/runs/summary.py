"""What a run came to: figures of each model, and lines for a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from voirdire.intervals import wilson
from voirdire.plaintext import one_line
from voirdire.runs.done import Done, cost_of


def summary(models: Sequence[str], done: Sequence[Done]) -> list[dict[str, Any]]:
    """The figures of each model.

    Args:
        models: the specs, in order.
        done: all pairs.

    Returns:
        A row a model. Errors of the model, errors of the judge and answers that fail are three
        things; the pass rate is over decided answers alone, with its 95 % interval.
    """
    return [_figures(model, [one for one in done if one.model == model]) for model in models]


def _figures(model: str, done: Sequence[Done]) -> dict[str, Any]:
    outcomes = Counter(one.outcome for one in done)
    decided = outcomes["pass"] + outcomes["fail"]
    answers = [one.answer for one in done if one.answer is not None]
    judged = [one.verdict for one in done if one.verdict is not None]
    seconds = [answer.latency_ms / 1000 for answer in answers if not answer.recorded]
    rate = None
    if decided:
        low, high = wilson(outcomes["pass"], decided)
        rate = {"value": outcomes["pass"] / decided, "low": low, "high": high}
    return {
        "model": model,
        "cases": len(done),
        "answered": len(answers),
        "model_errors": dict(Counter(one.fault.kind for one in done if one.fault)),
        "cut_off": sum(answer.cut_off for answer in answers),
        "passed": outcomes["pass"],
        "failed": outcomes["fail"],
        "undecided": outcomes["undecided"],
        "judge_errors": dict(
            Counter(one["kind"] for one in judged if one["outcome"] == "judge_error")
        ),
        "rate": rate,
        "cost": _sum([answer.cost for answer in answers]),
        "judge_cost": _sum([cost_of(one) for one in judged]),
        "median_seconds": round(median(seconds), 3) if seconds else None,
    }


def _sum(parts: Sequence[float | None]) -> float | None:
    known = [part for part in parts if part is not None]
    return round(sum(known), 6) if len(known) == len(parts) else None


def lines(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The figures for people, a line a model."""
    for row in rows:
        decided = row["passed"] + row["failed"]
        rate = row["rate"]
        passed = f"{row['passed']}/{decided} pass" if decided else "none decided"
        if rate:
            passed += f" ({rate['value']:.1%}, {rate['low']:.1%} to {rate['high']:.1%})"
        parts = [
            passed,
            f"undecided {row['undecided']}",
            f"judge errors {_kinds(row['judge_errors'])}",
            f"model errors {_kinds(row['model_errors'])}",
        ]
        if row["cut_off"]:
            parts.append(f"cut off {row['cut_off']}")
        parts.append(f"model {money(row['cost'])}, judge {money(row['judge_cost'])}")
        yield f"{one_line(row['model'], 80)}: {' · '.join(parts)}"


def money(cost: float | None) -> str:
    """A cost for people."""
    return "cost not known" if cost is None else f"${cost:.4f}"


def _kinds(kinds: Mapping[str, int]) -> str:
    if not kinds:
        return "0"
    named = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    return f"{sum(kinds.values())} ({named})"
