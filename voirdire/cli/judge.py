"""``voirdire judge``."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from voirdire.cli.inputs import (
    Asking,
    asking_options,
    dump,
    inline_sources,
    json_option,
    read_sources,
    rubric_option,
    source_option,
    text_argument,
    text_field,
)
from voirdire.errors import ConfigError
from voirdire.grade import ORDERS, Case, Outcome, grade
from voirdire.inflight import each
from voirdire.jsonl import objects
from voirdire.judges.base import Judge
from voirdire.judges.spec import make_judge
from voirdire.quorum import read_quorum
from voirdire.record import as_record
from voirdire.rubric import load_rubric
from voirdire.source import Source

_COLOURS = {"pass": "green", "fail": "red", "undecided": "yellow", "judge_error": "magenta"}


@click.command("judge")
@rubric_option
@source_option
@click.option("--question", help="What the answer answers.")
@click.option("--answer", help="The answer; - reads standard input.")
@click.option("--case-id", help="The case's id; the replay judge looks replies up by it.")
@click.option(
    "--jsonl",
    "jsonl_file",
    type=click.Path(path_type=Path),
    help='Many answers: {"id", "question", "answer"} a line, "source" too if it differs.',
)
@asking_options
@click.option(
    "--precheck", type=click.Choice(["rules"]), help="Ask the rules first; their fail is final."
)
@click.option("--samples", type=int, help="Ask so often; the samples differ by seed.")
@click.option("--quorum", type=int, help="How many samples must agree.  [default: a majority]")
@click.option(
    "--order",
    type=click.Choice(ORDERS),
    default="source_first",
    help="both: ask with the source first and the answer first; keep what survives.",
)
@json_option
def command(
    rubric: Path,
    sources: tuple[Path, ...],
    question: str | None,
    answer: str | None,
    case_id: str | None,
    jsonl_file: Path | None,
    asking: Asking,
    precheck: str | None,
    samples: int | None,
    quorum: int | None,
    order: str,
    as_json: bool,
) -> None:
    """Judge answers against their source of truth.

    \b
    Examples:
      voirdire judge --rubric rubric.yaml --source help.md --judge rules \\
          --question "How long does the link last?" --answer "30 minutes."
      voirdire judge --rubric rubric.yaml --source excerpts.json \\
          --jsonl cases.jsonl --judge replay:replies.jsonl --json
      voirdire judge --rubric rubric.yaml --source help.md --answer - \\
          --judge openai:qwen@http://127.0.0.1:8080/v1 --set max_tokens=4096 < answer.txt

    \b
    Exit codes: 0 judged, whatever the outcome; 1 a judge error; 2 bad input.
    """
    loaded = load_rubric(rubric)
    judge = asking.judge()
    first = make_judge("rules") if precheck else None
    cases = _cases(sources, question, answer, case_id, jsonl_file)
    votes = read_quorum(samples, quorum, "--")
    book, memory = asking.journal, asking.memory

    def judged(case: Case) -> Outcome:
        return grade(
            case,
            loaded,
            judge,
            book,
            policy=asking.policy,
            precheck=first,
            memory=memory,
            quorum=votes,
            order=order,
        )

    shown = itertools.count(1)

    def show(case: Case, outcome: Outcome) -> None:
        _show(case, outcome, judge, as_json=as_json, many=jsonl_file is not None)
        _progress(next(shown), len(cases))

    outcomes = each(cases, judged, asking.in_flight, show)
    if jsonl_file is not None and not as_json:
        click.echo(_summary(outcomes))
    if any(outcome.outcome == "judge_error" for outcome in outcomes):
        raise click.exceptions.Exit(1)


def _cases(
    paths: tuple[Path, ...],
    question: str | None,
    answer: str | None,
    case_id: str | None,
    jsonl_file: Path | None,
) -> list[Case]:
    if (answer is None) == (jsonl_file is None):
        raise ConfigError("give the answer with --answer, or many with --jsonl")
    if jsonl_file is None:
        return [Case(read_sources(paths), question, text_argument(answer or ""), case_id)]
    if question is not None or case_id is not None:
        raise ConfigError("with --jsonl the question and the id stand in each line")
    shared = read_sources(paths) if paths else ()
    cases = []
    seen: set[str] = set()
    for where, value in objects(jsonl_file):
        identity = text_field(value, "id", where)
        if identity is not None and identity in seen:
            raise ConfigError(f"{where}: the id {identity!r} stands twice; give each its own")
        seen.add(identity or "")
        cases.append(
            Case(
                _sources(value, where, shared),
                text_field(value, "question", where),
                text_field(value, "answer", where, required=True) or "",
                identity,
            )
        )
    return cases


def _sources(value: Any, where: str, shared: Sequence[Source]) -> tuple[Source, ...]:
    if value.get("source") is not None:
        return inline_sources(value["source"], where)
    if not shared:
        raise ConfigError(f"{where}: no source of truth; add --source FILE or a `source` here")
    return tuple(shared)


def _show(case: Case, outcome: Outcome, judge: Judge, *, as_json: bool, many: bool) -> None:
    if as_json:
        record = as_record(outcome, judge)
        click.echo(dump({"id": case.id, **record} if many else record))
        return
    word = click.style(f"{outcome.outcome:<11}", fg=_COLOURS[outcome.outcome], bold=True)
    click.echo(f"{word} {case.id + '  ' if case.id else ''}{outcome.reason}")
    if not many:
        click.echo(f"journal id: {outcome.journal_id}")


def _progress(done: int, total: int) -> None:
    if total > 1 and sys.stderr.isatty():
        click.echo(f"\r{done}/{total} judged", nl=done == total, err=True)


def _summary(outcomes: Sequence[Outcome]) -> str:
    counts = dict.fromkeys(_COLOURS, 0)
    kinds: dict[str, int] = {}
    for outcome in outcomes:
        counts[outcome.outcome] += 1
        if outcome.outcome == "judge_error":
            kinds[outcome.kind] = kinds.get(outcome.kind, 0) + 1
    decided = counts["pass"] + counts["fail"]
    rate = f"{counts['pass']}/{decided} decided cases pass" if decided else "no case was decided"
    errors = ", ".join(_kinds(kinds))
    return (
        f"{rate} · coverage {decided}/{len(outcomes)} · undecided {counts['undecided']} · "
        f"judge errors {counts['judge_error']}{f' ({errors})' if errors else ''}"
    )


def _kinds(kinds: dict[str, int]) -> Iterator[str]:
    for kind, count in sorted(kinds.items(), key=lambda item: -item[1]):
        yield f"{kind} {count}"
