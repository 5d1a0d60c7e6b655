"""What changed, as lines for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from voirdire.plaintext import one_line, safe_text


def rejudged_text(record: Mapping[str, Any]) -> str:
    """The report on a certificate's cases judged again."""
    then, now = record["right"]["then"], record["right"]["now"]
    missing = record["missing"]
    lines = [
        f"{record['certificate']}, calibrated {record['since']}",
        f"{'':<24}{'then':<16}now",
        f"{'as people labelled':<24}{_of(then):<16}{_of(now)}",
        f"{'without a verdict':<24}{missing['then']:<16}{missing['now']}",
    ]
    if record["flips"]["ids"]:
        lines.append(f"flipped: {_some(record['flips']['ids'])}")
    return safe_text("\n".join([*lines, *_end(record)]))


def compared_text(record: Mapping[str, Any]) -> str:
    """The report on two periods."""
    before, after = record["before"], record["after"]
    rows = [("", before["name"], after["name"]), ("calls", before["calls"], after["calls"])]
    rows += [("fail", *_shares(record["fails"])), ("unreadable", *_shares(record["unreadable"]))]
    rows += [
        (f"not {name}", *_shares(value, "  <- moved" * value["moved"]))
        for name, value in record["criteria"].items()
    ]
    kinds = sorted({*before["outcomes"], *after["outcomes"]} - {"pass", "fail"})
    rows += [
        (kind, before["outcomes"].get(kind, 0), after["outcomes"].get(kind, 0)) for kind in kinds
    ]
    for name, unit in (("latency_ms", "ms"), ("completion_tokens", "tokens")):
        title = f"{name.split('_')[0]}, median {unit}"
        rows.append((title, _number(before[name]["median"]), _number(after[name]["median"])))
    for name in ("judges", "models", "rubrics"):
        rows.append((name, _some(before[name]), _some(after[name])))
    names, firsts = (max(len(str(row[column])) for row in rows) for column in (0, 1))
    lines = [
        f"{one_line(name, 120):<{names}}  {one!s:<{firsts}}  {other}" for name, one, other in rows
    ]
    left = before["left_out"] + after["left_out"]
    if left:
        lines.append(f"{left} calls judge no single answer or were never read; left out")
    return safe_text("\n".join([*lines, *_end(record)]))


def _end(record: Mapping[str, Any]) -> list[str]:
    return [
        *(f"- {one_line(reason, 400)}" for reason in record["reasons"]),
        str(record["conclusion"]),
    ]


def _shares(value: Mapping[str, Any], mark: str = "") -> tuple[str, str]:
    return _share(value["before"]), _share(value["after"]) + mark


def _share(share: Mapping[str, Any]) -> str:
    if share["value"] is None:
        return "-"
    return f"{_of(share)} {share['value']:.0%} [{share['low']:.0%}, {share['high']:.0%}]"


def _of(share: Mapping[str, Any]) -> str:
    return f"{share['k']} of {share['n']}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _some(names: Any) -> str:
    shown = [one_line(str(name), 120) for name in names]
    more = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
    return (", ".join(shown[:5]) + more) or "-"
