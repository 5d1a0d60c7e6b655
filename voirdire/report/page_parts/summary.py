"""What stands above the rows: red flags, leaderboard, comparison, calibration, judge errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from voirdire.examination.page import shown
from voirdire.report.page_parts.drawn import bar, bounds, interval, percent, reliability

EVIDENCE = 20
"""Lines of evidence that a flag shows; all of them are in the JSON."""
FLIPS = 200
"""Flips that are shown; all of them are in the JSON."""
_HEADS = (
    "Model",
    "Passed, of the decided",
    "Interval, 0 to 100 %",
    "Coverage",
    "Undecided",
    "Judge errors",
    "Cost",
    "Median time",
    "Tokens",
)


def flags(found: Sequence[Mapping[str, Any]]) -> str:
    """The red flags, each with its evidence and the command that settles it."""
    if not found:
        return "<p>None was found.</p>\n"
    return "".join(
        f'<article class="flag"><h3><span class="kind">{shown(one["kind"])}</span> '
        f"{shown(one['text'])}</h3>\n{_evidence(one['evidence'])}"
        + (f"<p>Settle it: <code>{shown(one['command'])}</code></p>\n" if one["command"] else "")
        + "</article>\n"
        for one in found
    )


def leaderboard(entries: Sequence[Mapping[str, Any]]) -> str:
    """Models by run and metric; neighbours that cannot be told apart are joined."""
    if not entries:
        return "<p>No row was graded.</p>\n"
    heads = "".join(f'<th scope="col">{head}</th>' for head in _HEADS)
    body = ""
    for (run, metric), group in groupby(entries, lambda one: (one["run"], one["metric"])):
        body += (
            f'<tbody><tr class="group"><th scope="rowgroup" colspan="{len(_HEADS)}">'
            f"{shown(metric)} <small>{shown(run)}</small></th></tr>\n"
            f"{''.join(map(_entry, group))}</tbody>\n"
        )
    return f'<table class="board"><thead><tr>{heads}</tr></thead>\n{body}</table>\n'


def compared(found: Mapping[str, Any] | None) -> str:
    """What came out otherwise in the second of two runs, and what had changed; may be empty."""
    if found is None:
        return ""
    flips = found["flips"]
    lines = "".join(
        f"<tr>{_cells(one['case'], one['model'], one['metric'])}"
        f"<td>{_outcome(one['before'])} → {_outcome(one['after'])}</td>"
        f"{_cells(', '.join(map(str, one['changed'])) or 'nothing known')}</tr>\n"
        for one in flips[:FLIPS]
    )
    more = f"<p>{len(flips) - FLIPS} more are in the JSON.</p>\n" if len(flips) > FLIPS else ""
    heads = "".join(
        f'<th scope="col">{head}</th>'
        for head in ("Case", "Model", "Metric", "Outcome", "What changed")
    )
    table = (
        '<div class="wide" tabindex="0" role="region" aria-label="What flipped">\n'
        f"<table><thead><tr>{heads}</tr></thead>\n<tbody>{lines}</tbody></table></div>\n{more}"
    )
    return (
        '<section id="compared"><h2>What flipped</h2>\n'
        f"<p>{shown(found['before'])} → {shown(found['after'])}: {len(flips)} came out otherwise, "
        f"{found['same']} as before; {found['alone']} are in one of the two alone.</p>\n"
        f"{table if flips else ''}</section>\n"
    )


def calibration(found: Mapping[str, Any] | None) -> str:
    """What people's labels say of the judge, and what its confidence is worth; may be empty."""
    if found is None:
        return ""
    from voirdire.calibration.report import spoken

    said = f"<p>{shown(found['judge'])}, {shown(found['date'])}: {shown(spoken(found))}.</p>\n"
    bins = [one for one in found["reliability"] if one["cases"]]
    return (
        '<section id="calibration"><h2>The judge beside people</h2>\n'
        f"{said}{_reliability(bins) if bins else ''}</section>\n"
    )


def _reliability(bins: Sequence[Mapping[str, Any]]) -> str:
    heads = "".join(
        f'<th scope="col">{head}</th>' for head in ("Stated", "Mean", "Right", "Verdicts")
    )
    lines = "".join(
        f"<tr><th scope='row'>{percent(one['start'])} to {percent(one['end'])}</th>"
        f"<td>{percent(one['stated'])}</td><td>{bounds({**one, 'value': one['right']})}</td>"
        f"<td>{one['cases']}</td></tr>\n"
        for one in bins
    )
    return (
        "<p>Points on the dashed line are as often right as the judge says. Bars are 95 % "
        f'intervals.</p>\n<div class="beside">{reliability(bins)}\n'
        f"<table><thead><tr>{heads}</tr></thead>\n<tbody>{lines}</tbody></table></div>\n"
    )


def kinds(found: Sequence[Mapping[str, Any]]) -> str:
    """How often the judge gave no verdict, by kind."""
    if not any(one["count"] for one in found):
        return "<p>Every reply of the judge was a verdict.</p>\n"
    lines = "".join(
        f'<tr><th scope="row">{shown(one["kind"])}</th>'
        f"<td>{bar(one['count'] / one['of'] if one['of'] else 0)}</td>"
        f"<td>{one['count']} of {one['of']}</td>"
        f"<td>{percent(one['count'] / one['of'] if one['of'] else None)}</td></tr>\n"
        for one in found
    )
    return f"<table><tbody>{lines}</tbody></table>\n"


def _entry(one: Mapping[str, Any]) -> str:
    name = shown(one["model"])
    if one["canned"]:
        name += ' <span class="canned">recorded replies</span>'
    tie = one["tie_with_next"]
    apart = '<small class="tie-note">≈ the next: not shown to differ</small>' if tie else ""
    rate = f"{bounds(one['rate'])} <small>{one['passed']} of {one['decided']}</small>"
    drawn = interval(one["rate"], "rate")
    corrected = one["corrected"]
    if corrected and corrected["value"] is not None:
        rate += f"<br><small>corrected {bounds(corrected)}</small>"
        drawn += interval(corrected, "corrected")
    elif corrected and corrected.get("refused"):
        rate += f"<br><small>not corrected: {shown(corrected['refused'])}</small>"
    judge = f" <small>judge {_cost(one['judge_cost'])}</small>" if one["judged"] else ""
    undecided = str(one["undecided"])
    if one["unanswered"]:
        undecided += f", {one['unanswered']} without an answer"
    errors = ", ".join(f"{count} {kind}" for kind, count in one["errors"].items() if count)
    return (
        f'<tr{" class=tie" if tie else ""}><th scope="row">{name}{apart}</th>'
        f"<td>{rate}</td><td>{drawn}</td>"
        f"<td>{percent(one['coverage'])} <small>{one['decided']} of {one['cases']}</small></td>"
        f"{_cells(undecided, errors or 'none')}"
        f"<td>{_cost(one['cost'])}{judge}</td>"
        f"{_cells(_seconds(one['median_seconds']), _tokens(one['tokens']))}</tr>\n"
    )


def _evidence(lines: Sequence[str]) -> str:
    if not lines:
        return ""
    items = "".join(f"<li>{shown(line)}</li>\n" for line in lines[:EVIDENCE])
    if len(lines) > EVIDENCE:
        items += f"<li>{len(lines) - EVIDENCE} more are in the JSON</li>\n"
    many = len(lines) > 3
    return (
        f"<details{'' if many else ' open'}><summary>Evidence ({len(lines)})</summary>\n"
        f"<ul>\n{items}</ul></details>\n"
    )


def _cells(*values: object) -> str:
    return "".join(f"<td>{shown(value)}</td>" for value in values)


def _outcome(outcome: object) -> str:
    return f'<span class="outcome">{shown(outcome)}</span>'


def _cost(dollars: float | None) -> str:
    return "not known" if dollars is None else f"${dollars:.4f}"


def _seconds(seconds: float | None) -> str:
    return "not known" if seconds is None else f"{seconds:.2f} s"


def _tokens(tokens: Mapping[str, int | None] | None) -> str:
    known: Iterable[tuple[str, int]] = (
        (name, count) for name, count in (tokens or {}).items() if count
    )
    return ", ".join(f"{count:,} {name}" for name, count in known) or "not known"
