"""A report for people: lines for a terminal, the red flags first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from voirdire.plaintext import one_line

_EVIDENCE, _FLIPS, _WIDE = 4, 20, 200


def terminal(report: Mapping[str, Any]) -> str:
    """The report as lines."""
    return "\n".join(
        [
            *_runs(report),
            "",
            *_flags(report["flags"]),
            *_leaderboard(report["leaderboard"]),
            *_compared(report["compared"]),
            *_kinds(report["kinds"]),
            *_end(report),
        ]
    )


def percent(share: float | None) -> str:
    """A share as people write it."""
    return "–" if share is None else f"{share:.1%}"


def interval(found: Mapping[str, Any]) -> str:
    """A share with its interval."""
    if found["value"] is None:
        return "–"
    return f"{percent(found['value'])} [{percent(found['low'])}, {percent(found['high'])}]"


def beside(row: Mapping[str, Any]) -> Iterator[str]:
    """What else there is to a row of the leaderboard, in a few words each."""
    if row["undecided"]:
        silent = f", {row['unanswered']} of them without an answer" if row["unanswered"] else ""
        yield f"{row['undecided']} undecided{silent}"
    if row["errors"]:
        kinds = ", ".join(f"{one_line(kind, 40)} {count}" for kind, count in row["errors"].items())
        yield f"judge errors: {kinds}"
    if fixed := row["corrected"]:
        refused = fixed["value"] is None
        yield f"not corrected: {fixed['refused']}" if refused else f"corrected {interval(fixed)}"
    if row["cost"]:
        yield f"${row['cost']:.4f}"
    if row["judge_cost"]:
        yield f"judge ${row['judge_cost']:.4f}"
    if row["median_seconds"] is not None:
        yield f"{row['median_seconds']:.2f} s"
    tokens = row["tokens"]
    if any(tokens.values()):
        thought = f", {tokens['reasoning']:,} of them reasoning" if tokens["reasoning"] else ""
        yield f"{tokens['prompt']:,} tokens in, {tokens['completion']:,} out{thought}"
    if row["canned"]:
        yield "canned: recorded, nobody was asked"


def causes(flip: Mapping[str, Any]) -> str:
    """What was another when a case flipped."""
    if flip["changed"]:
        return f"another {', '.join(flip['changed'])}"
    return "nothing that was written down is another: the judge wavers"


def _runs(report: Mapping[str, Any]) -> Iterator[str]:
    for run in report["runs"]:
        facts = [f"{run['rows']:,} answers"]
        facts += [f"{run['damaged']:,} damaged or repeated rows left out"] if run["damaged"] else []
        facts += [one_line(run[name], 80) for name in ("eval_id", "at") if run[name]]
        yield f"{one_line(run['name'], _WIDE)}  ({', '.join(facts)})"


def _flags(flags: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield f"red flags: {len(flags)}" if flags else "no red flags"
    for flag in flags:
        yield f"  ! {flag['kind']}: {one_line(flag['text'], _WIDE)}"
        for line in flag["evidence"][:_EVIDENCE]:
            yield f"      {one_line(line, _WIDE)}"
        if len(flag["evidence"]) > _EVIDENCE:
            yield f"      and {len(flag['evidence']) - _EVIDENCE} more"
        if flag["command"]:
            yield f"      settle it: {one_line(flag['command'], _WIDE)}"


def _leaderboard(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    several = len({row["run"] for row in rows}) > 1
    for (run, metric), models in groupby(rows, lambda row: (row["run"], row["metric"])):
        yield ""
        yield one_line(f"{metric} · {run}" if several else metric, _WIDE)
        for row in models:
            yield (
                f"  {one_line(row['model'], 40):<40} {interval(row['rate']):<24}"
                f" {row['passed']}/{row['decided']}, coverage {percent(row['coverage'])}"
            )
            if notes := "; ".join(beside(row)):
                yield f"      {notes}"
            if row["tie_with_next"]:
                yield "      = no difference shown to the next"


def _compared(found: Mapping[str, Any] | None) -> Iterator[str]:
    if found is None:
        return
    flips = found["flips"]
    yield ""
    yield one_line(f"{found['before']} → {found['after']}", _WIDE)
    yield f"  {len(flips)} flipped, {found['same']} the same, {found['alone']} in one run only"
    for flip in flips[:_FLIPS]:
        where = one_line(f"{flip['case']} · {flip['model']} · {flip['metric']}", 100)
        yield f"  {where}: {flip['before']} → {flip['after']} ({causes(flip)})"
    if len(flips) > _FLIPS:
        yield f"  and {len(flips) - _FLIPS} more"


def _kinds(kinds: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if kinds:
        found = ", ".join(f"{one_line(one['kind'], 40)} {one['count']}" for one in kinds)
        yield ""
        yield f"no verdict in {sum(one['count'] for one in kinds)} of {kinds[0]['of']}: {found}"


def _end(report: Mapping[str, Any]) -> Iterator[str]:
    apart = [row for row in report["rows"] if disagrees(row)]
    if apart:
        yield ""
        yield f"judge and person disagree on {len(apart)} of {_labelled(report)} labelled:"
        for row in apart[:_FLIPS]:
            where = one_line(f"{row['case']} · {row['model']} · {row['metric']}", 100)
            why = one_line(row["critique"], _WIDE)
            yield f"  {where}: person {row['label']}, judge {row['outcome']}: {why}"
    if report["rows_left_out"]:
        yield ""
        yield f"{report['rows_left_out']:,} grades are in the figures, but not among the rows"


def disagrees(row: Mapping[str, Any]) -> bool:
    """Whether a person decided otherwise."""
    return row["outcome"] in ("pass", "fail") and row["label"] not in (None, row["outcome"])


def _labelled(report: Mapping[str, Any]) -> int:
    return sum(row["label"] is not None for row in report["rows"])
