"""A chart of periods for machines and for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from voirdire import intervals
from voirdire.sampling.chart import LEAST_BASELINE, SETTLED_BASELINE, Limits, Point, chart
from voirdire.sampling.history import Tested

LENIENT = 0.98
"""Share of passes from which a person should look at some of them."""
FORMULA = (
    "p ± 3 √(p (1 − p) (1/n + 1/N)), p the share of the N cases of the earlier periods "
    "(NIST/SEMATECH e-Handbook 6.3.3.2); exact hypergeometric limits at the same tail, 0.00135, "
    "where fewer than 10 are expected"
)


class Followed(NamedTuple):
    """One period with its place in both charts.

    Attributes:
        tested: what came of its sample.
        fails: the share of decided answers that failed.
        missing: the share of drawn answers without a verdict.
        in_log: whether the log at hand holds it.
    """

    tested: Tested
    fails: Point
    missing: Point
    in_log: bool

    @property
    def is_jump(self) -> bool:
        """Whether more failed, or more got no verdict, than the limits allow."""
        return "over" in (self.fails.side, self.missing.side)


def follow(periods: Sequence[Tested], in_log: set[str]) -> list[Followed]:
    """Chart the periods, which are of one judge and in order.

    Raises:
        ConfigError: scipy is needed and not installed.
    """
    fails = chart([(one.failed, one.decided) for one in periods])
    missing = chart([(one.missing, one.drawn) for one in periods])
    return [
        Followed(one, fail, miss, one.period in in_log)
        for one, fail, miss in zip(periods, fails, missing, strict=True)
    ]


def advice(followed: Sequence[Followed], others: int) -> list[str]:
    """What the chart asks for, a sentence each.

    Args:
        followed: the chart.
        others: how many periods of the history are of another judge or rubric.
    """
    said = []
    here = [one for one in followed if one.in_log]
    for one in here:
        name = one.tested.period
        if one.fails.side == "over":
            said.append(
                f"{name}: more answers fail than the limits allow; read them, and ask "
                "`voirdire drift` whether the product changed or the judge did"
            )
        if one.fails.side == "under":
            said.append(
                f"{name}: fewer answers fail than the limits allow: better answers, or a judge "
                "gone lenient; `voirdire drift` tells"
            )
        if one.missing.side == "over":
            said.append(
                f"{name}: more answers got no verdict than the limits allow; the share that fails "
                "says less than before"
            )
        if one.tested.drawn and not one.tested.decided:
            said.append(f"{name}: no answer could be judged ({_errors(one.tested.errors)})")
    passed = sum(one.tested.passed for one in here)
    decided = sum(one.tested.decided for one in here)
    if decided and passed / decided >= LENIENT:
        said.append(
            f"the judge passes {passed} of {decided}: either all is well or it sees nothing; draw "
            "30 of its passes and have a person label them: `voirdire label JOURNAL --of passes`"
        )
    sources = {one.tested.source for one in followed}
    if len(sources) > 1:
        said.append("the sources changed within the chart: a jump may be theirs")
    if others:
        said.append(
            f"{others} period{'s' * (others != 1)} of the history are of another judge or rubric "
            "and in no limit"
        )
    return said


def report_record(followed: Sequence[Followed], said: Sequence[str]) -> dict[str, Any]:
    """The chart as JSON values."""
    last = followed[-1].tested
    return {
        "judge": last.judge,
        "fingerprint": last.fingerprint,
        "per": last.per,
        "periods": [_record(one) for one in followed],
        "jumps": [one.tested.period for one in followed if one.is_jump],
        "formula": FORMULA,
        "advice": list(said),
    }


def report_text(followed: Sequence[Followed]) -> str:
    """The chart as a table."""
    width = max(len("period"), *(len(one.tested.period) for one in followed))
    lines = [
        f"{'period':{width}}  {'fail':<16}{'rate':<8}{'expected':<18}{'coverage':<18}no verdict"
    ]
    for one in followed:
        tested = one.tested
        rate = f"{tested.failed / tested.decided:.1%}" if tested.decided else "-"
        lines.append(
            f"{tested.period:{width}}  {f'{tested.failed} of {tested.decided}':<16}{rate:<8}"
            f"{_limits_text(one.fails.limits):<18}{f'{tested.decided} of {tested.drawn}':<18}"
            f"{_missing(tested)}{_marks(one)}"
        )
    return "\n".join([*lines, *_notes(followed)])


def _notes(followed: Sequence[Followed]) -> list[str]:
    limits = followed[-1].fails.limits
    if limits is None:
        return [f"no limits yet for the last period: they need {LEAST_BASELINE} periods before it"]
    trial = f"; trial limits until {SETTLED_BASELINE}" * (limits.baseline < SETTLED_BASELINE)
    return [f"limits of the last period: {limits.method}, from {limits.baseline} periods{trial}"]


def _record(one: Followed) -> dict[str, Any]:
    tested = one.tested
    return {
        "period": tested.period,
        "in_log": one.in_log,
        "of": tested.of,
        "drawn": tested.drawn,
        "pass": tested.passed,
        "fail": tested.failed,
        "undecided": tested.undecided,
        "judge_errors": dict(tested.errors),
        "fail_rate": _share(tested.failed, tested.decided),
        "coverage": _share(tested.decided, tested.drawn),
        "limits": _limits_record(one.fails.limits),
        "side": one.fails.side,
        "missing_limits": _limits_record(one.missing.limits),
        "missing_side": one.missing.side,
        "jump": one.is_jump,
    }


def _share(count: int, of: int) -> dict[str, Any]:
    low, high = intervals.wilson(count, of) if of else (None, None)
    return {"k": count, "n": of, "value": count / of if of else None, "low": low, "high": high}


def _limits_record(limits: Limits | None) -> dict[str, Any] | None:
    return limits._asdict() if limits else None


def _limits_text(limits: Limits | None) -> str:
    return f"{limits.low:.1%} to {limits.high:.1%}" if limits else "-"


def _missing(tested: Tested) -> str:
    parts = [f"undecided {tested.undecided}"] if tested.undecided else []
    if tested.errors:
        parts.append(f"judge errors {sum(tested.errors.values())} ({_errors(tested.errors)})")
    return ", ".join(parts) or "none"


def _errors(errors: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(errors.items())) or "undecided"


def _marks(one: Followed) -> str:
    marks = ""
    if one.fails.side:
        marks += f"  <- {one.fails.side} its limit"
    if one.missing.side == "over":
        marks += "  <- verdicts missing"
    return marks
