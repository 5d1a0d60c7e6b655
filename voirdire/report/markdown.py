"""A report as Markdown, for a pull request: short, and nothing in it is anybody's markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any

from voirdire.plaintext import one_line
from voirdire.report.terminal import beside, causes, interval, percent

_EVIDENCE, _FLIPS, _WIDE = 3, 20, 200
# All that Markdown and HTML read as more than itself.
_MARKUP = re.compile(r"[\\`*_{}\[\]()<>&#+!|~@:$^=-]|(?<=www)\.", re.IGNORECASE)
# GitHub and GitLab look for people and issues in what Markdown has made of the text, where an
# escaped @ is one again; a comment, which nobody sees, parts it from the name.
_CALLS = re.compile(r"[@#!$%~](?=\w)|GH(?=-)", re.IGNORECASE)
_PARTED = "<!-- -->"


def markdown(report: Mapping[str, Any]) -> str:
    """The report as Markdown."""
    lines = [
        *_flags(report["flags"]),
        *_leaderboard(report["leaderboard"]),
        *_compared(report["compared"]),
        *_end(report),
    ]
    return "\n".join(lines) + "\n"


def plain(text: str, limit: int = _WIDE) -> str:
    """Text of others on one line, in which nothing is markup."""
    line = one_line(text, limit)
    ends = [0, *(call.end() for call in _CALLS.finditer(line)), len(line)]
    parts = (line[start:end] for start, end in pairwise(ends))
    return _PARTED.join(_MARKUP.sub(lambda one: f"&#{ord(one[0])};", part) for part in parts)


def _flags(flags: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield f"### voirdire: {len(flags)} red flag{'s' * (len(flags) != 1)}"
    yield ""
    for flag in flags:
        yield f"- **{flag['kind']}** {plain(flag['text'])}"
        for line in flag["evidence"][:_EVIDENCE]:
            yield f"  - {plain(line)}"
        if len(flag["evidence"]) > _EVIDENCE:
            yield f"  - and {len(flag['evidence']) - _EVIDENCE} more"
        if flag["command"]:
            yield f"  - settle it: <code>{plain(flag['command'])}</code>"


def _leaderboard(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    several = len({row["run"] for row in rows}) > 1
    for (run, metric), models in groupby(rows, lambda row: (row["run"], row["metric"])):
        yield ""
        yield f"#### {plain(f'{metric} · {run}' if several else metric)}"
        yield ""
        yield "| model | pass rate (95 %) | decided | coverage | |"
        yield "|---|---|---|---|---|"
        for row in models:
            notes = [plain(note) for note in beside(row)]
            notes += ["no difference shown to the next"] if row["tie_with_next"] else []
            yield (
                f"| {plain(row['model'], 80)} | {interval(row['rate'])} |"
                f" {row['decided']} of {row['cases']} | {percent(row['coverage'])} |"
                f" {'; '.join(notes)} |"
            )


def _compared(found: Mapping[str, Any] | None) -> Iterator[str]:
    if found is None:
        return
    flips = found["flips"]
    yield ""
    yield f"#### {plain(found['before'])} → {plain(found['after'])}"
    yield ""
    yield f"{len(flips)} flipped, {found['same']} the same, {found['alone']} in one run only."
    if flips:
        yield ""
        yield "| case | model | metric | before | after | |"
        yield "|---|---|---|---|---|---|"
    for flip in flips[:_FLIPS]:
        names = " | ".join(plain(flip[name], 80) for name in ("case", "model", "metric"))
        yield f"| {names} | {flip['before']} | {flip['after']} | {causes(flip)} |"
    if len(flips) > _FLIPS:
        yield ""
        yield f"And {len(flips) - _FLIPS} more."


def _end(report: Mapping[str, Any]) -> Iterator[str]:
    runs = ", ".join(f"{plain(run['name'])} ({run['rows']:,} answers)" for run in report["runs"])
    yield ""
    yield f"<sub>voirdire {plain(report['tool_version'])} · {runs}</sub>"
