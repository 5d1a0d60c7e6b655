"""A calibration for people: lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from voirdire.calibration.report import spoken
from voirdire.plaintext import one_line, safe_text

SHOWN = 10
"""Disagreements that are shown; all of them are in the JSON."""
TAG_CASES = 5
"""Cases that a tag has at least to be shown; all tags are in the JSON."""
_MEASURES = (
    "agreement",
    "kappa",
    "fails_caught",
    "passes_kept",
    "precision_of_fails",
    "balanced_accuracy",
    "youden_j",
    "mcc",
)


def terminal(report: Mapping[str, Any]) -> str:
    """The report of a calibration as lines."""
    cases = report["cases"]
    counts = f"{cases['passes']} pass, {cases['fails']} fail; {cases['decided']} decided"
    lines = [
        f"judge    {report['judge']}  (fingerprint {report['fingerprint'][:12]})",
        f"rubric   {_name(report['rubric']['name'])}",
        f"labels   {cases['n']}: {counts}",
    ]
    if cases["damaged"]:
        lines.append(f"left out {cases['damaged']} that cannot be read")
    if report["canned"]:
        lines.append("replies  canned: recorded, nobody was asked")
    if report["missing"]:
        kinds = ", ".join(f"{kind} {count}" for kind, count in report["missing"].items())
        lines.append(f"missing  {kinds} (in no figure below); decided {_decided(report)}")
    lines.append("")
    lines += [f"  {name.replace('_', ' '):<20} {_value(report[name])}" for name in _MEASURES]
    lines += ["", "beside it:"]
    lines += [f"  {name.replace('_', '-'):<12} {spoken(found)}" for name, found in _beside(report)]
    for how, found in report["treatments"].items() if report["missing"] else ():
        title = {"left_out": "left out", "as_fail": "as fail", "against": "worst case"}[how]
        lines.append(f"  missing {title:<11} {_short(found)}")
    if report["humans"]:
        lines.append(f"  two people  {_short(report['humans'])}")
    lines += _groups("criterion", report["criteria"])
    tags = {tag: found for tag, found in report["tags"].items() if found["n"] >= TAG_CASES}
    lines += [f"  tag {_name(tag):<16} {_short(found)}" for tag, found in tags.items()]
    lines += list(_families(report))
    lines += list(_disagreements(report))
    lines += list(_comparison(report))
    lines += ["", *(f"- {sentence}" for sentence in report["advice"])]
    return safe_text("\n".join(lines))


def _decided(report: Mapping[str, Any]) -> str:
    found = report["missing_by_label"]
    counts = {label: (found[label]["n"], found[label]["missing"]) for label in ("fail", "pass")}
    return ", ".join(f"{n - missing} of {n} {label}" for label, (n, missing) in counts.items())


def _name(text: str) -> str:
    """A name that others chose: a line end in it would make a line of the report."""
    return one_line(text, 80)


def _value(found: Mapping[str, Any]) -> str:
    if "k" in found:
        if not found["n"]:
            return "no such case"
        rate = found["k"] / found["n"]
        return (
            f"{found['k']} of {found['n']}  {rate:.0%}  [{found['low']:.0%}, {found['high']:.0%}]"
        )
    if found["value"] is None:
        return f"undefined: {found.get('why') or 'no case was decided'}"
    word = f"  {found['strength']}" if found.get("strength") else ""
    bounds = "" if found["low"] is None else f"  [{found['low']:.2f}, {found['high']:.2f}]"
    return f"{found['value']:.2f}{bounds}{word}"


def _beside(report: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from ((name, found) for name, found in report["baselines"].items() if found)


def _short(found: Mapping[str, Any]) -> str:
    def number(value: float | None, form: str) -> str:
        return "undefined" if value is None else format(value, form)

    caught, kept = found["fails_caught"], found["passes_kept"]
    return (
        f"agreement {number(found['agreement'], '.0%')}, kappa {number(found['kappa'], '.2f')}, "
        f"fails caught {caught['k']} of {caught['n']}, passes kept {kept['k']} of {kept['n']}"
    )


def _groups(title: str, groups: Mapping[str, Any]) -> Iterator[str]:
    for name, found in groups.items():
        failed = f"fails {found['failed']} of {found['of']}"
        labelled = f"; {_short(found['labelled'])}" if found["labelled"] else ""
        yield f"  {title} {_name(name)}: {failed}{labelled}"


def _families(report: Mapping[str, Any]) -> Iterator[str]:
    """Whether the judge passes more of a family's answers than people do."""
    for family, found in report["families"].items():
        if "favour" in found:
            own = " (the judge's own family)" if family == report["judge_family"] else ""
            yield (
                f"  family {family}{own}: passes {found['favour']:+.0%} beside people; "
                f"{_short(found)}"
            )


def _disagreements(report: Mapping[str, Any]) -> Iterator[str]:
    found = report["disagreements"]
    if not found:
        return
    yield ""
    yield f"{len(found)} disagreement{'s' * (len(found) != 1)}, the most confident first:"
    for row in found[:SHOWN]:
        confidence = "" if row["confidence"] is None else f", confidence {row['confidence']:g}"
        yield f"  {_name(row['id'])}: person {row['label']}, judge {row['outcome']}{confidence}"
        for name in ("question", "answer", "note", "critique"):
            if row[name]:
                yield f"    {name:<9} {one_line(row[name], 160)}"
        for quote in row["evidence"]:
            yield f"    quote     {one_line(quote, 160)}"
    if len(found) > SHOWN:
        yield f"  and {len(found) - SHOWN} more (--json has all)"


def _comparison(report: Mapping[str, Any]) -> Iterator[str]:
    found = report["comparison"]
    if not found:
        return
    yield ""
    yield "judges on the same labels (McNemar's exact test against the best):"
    for row in found["judges"]:
        caught = row["fails_caught"]
        balanced = row["balanced_accuracy"]
        cost = (
            "cost not known" if row["usd_per_200"] is None else f"${row['usd_per_200']:.4f} per 200"
        )
        test = "best" if row["p"] is None else f"p = {row['p']:.3f}"
        worse = ", shown to be worse" if row["shown_worse"] else ""
        seconds = "" if row["median_seconds"] is None else f", {row['median_seconds']:.1f} s"
        yield (
            f"  {row['judge']}: balanced accuracy "
            f"{'undefined' if balanced is None else f'{balanced:.2f}'}, fails caught {caught['k']} "
            f"of {caught['n']}, decided {row['decided']} of {row['n']}, {cost}{seconds}, "
            f"{test}{worse}"
        )
    if found["cheapest"]:
        yield f"  the cheapest that is not shown to be worse: {found['cheapest']}"
