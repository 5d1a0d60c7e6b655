"""A tally for machines and for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from voirdire import intervals
from voirdire.pairwise.tally import Against, Share, Tally

_SHARES = {
    "wins_a": "A wins",
    "wins_b": "B wins",
    "consistent": "same in both orders",
    "first_slot": "wins of the first place",
    "first_twice": "first place twice",
    "second_twice": "second place twice",
}
_AGAINST = {
    "a_first": "right, A first",
    "b_first": "right, B first",
    "swapped": "right, after the swap",
}


def tally_record(tally: Tally) -> dict[str, Any]:
    """The tally as JSON values; the sign test is null without scipy."""
    known = intervals.available()
    record: dict[str, Any] = {
        "pairs": tally.pairs,
        **{name: _share(getattr(tally, name)) for name in _SHARES},
        "ties": tally.ties,
        "undecided": tally.undecided,
        "missing": tally.missing,
        "sign_test_p": _sign_test(tally) if known else None,
        "labels": None,
    }
    if tally.swapped is not None:
        record["labels"] = {
            name: {
                "right": _share(against.right),
                "kappa": against.kappa,
                "missing": against.missing,
            }
            for name, against in _labelled(tally)
        }
    if not known:
        record["note"] = intervals.MISSING
    return record


def tally_text(tally: Tally) -> str:
    """The tally as lines for people."""
    known = intervals.available()
    counts = (
        f"{tally.pairs} pairs: A wins {tally.wins_a.count}, B wins {tally.wins_b.count}, "
        f"ties {_reasons(tally.ties)}, undecided {_reasons(tally.undecided)}, "
        f"missing {_reasons(tally.missing)}"
    )
    lines = [counts]
    lines += [_line(title, getattr(tally, name)) for name, title in _SHARES.items()]
    for name, against in _labelled(tally):
        kappa = "none" if against.kappa is None else f"{against.kappa:.3f}"
        missing = f", {against.missing} missing" if against.missing else ""
        lines.append(f"{_line(_AGAINST[name], against.right)}, kappa {kappa}{missing}")
    lines.append(
        f"sign test of A's wins against B's: p = {_sign_test(tally):.3g}"
        if known
        else intervals.MISSING
    )
    return "\n".join(lines)


def _labelled(tally: Tally) -> Iterator[tuple[str, Against]]:
    for name in _AGAINST:
        against = getattr(tally, name)
        if against is not None:
            yield name, against


def _sign_test(tally: Tally) -> float:
    return intervals.sign_test(tally.wins_a.count, tally.wins_b.count)


def _share(share: Share) -> dict[str, Any]:
    bounds = list(intervals.wilson(share.count, share.of)) if share.of else None
    return {"count": share.count, "of": share.of, "rate": share.rate, "interval": bounds}


def _line(title: str, share: Share) -> str:
    line = f"{title:<24} {share.count:>4} of {share.of:<4}"
    if share.rate is None:
        return line.rstrip()
    line += f" {share.rate:6.1%}"
    low, high = intervals.wilson(share.count, share.of)
    return f"{line}  [{low:.1%}, {high:.1%}]"


def _reasons(kinds: Mapping[str, int]) -> str:
    named = ", ".join(f"{kind} {count}" for kind, count in kinds.items())
    return f"{sum(kinds.values())}{f' ({named})' if named else ''}"
