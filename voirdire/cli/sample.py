"""``voirdire sample``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click

from voirdire.cli.inputs import (
    cache_options,
    dump,
    journal_option,
    journal_path,
    json_option,
    judge_option,
    judge_settings,
    open_memory,
    policy_option,
    read_sources,
    rubric_option,
    settings_option,
    source_option,
)
from voirdire.errors import ConfigError
from voirdire.grade import Case, Outcome, fingerprint, grade
from voirdire.journal import Journal
from voirdire.judges.spec import make_judge
from voirdire.record import judge_facts
from voirdire.reply import Usage
from voirdire.rubric import load_rubric
from voirdire.sampling.draw import Drawn, draw
from voirdire.sampling.history import Tested, append, read_history, tested
from voirdire.sampling.period import PERIODS
from voirdire.sampling.report import advice, follow, report_record, report_text
from voirdire.source import text_hash
from voirdire.stats.extra import load


@click.command("sample")
@click.argument("log", type=click.Path(path_type=Path))
@click.option(
    "--n", type=click.IntRange(min=1), default=300, show_default=True, help="Answers of a period."
)
@click.option("--per", type=click.Choice(PERIODS), default="day", show_default=True)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Another seed is another sample."
)
@click.option(
    "--history",
    type=click.Path(path_type=Path),
    help="Keep what came of each period here (JSONL), and chart the earlier ones too.",
)
@click.option("--fail-on-jump", is_flag=True, help="Exit 1 where a period of the log jumps.")
@rubric_option
@source_option
@judge_option
@settings_option
@cache_options
@policy_option
@journal_option
@json_option
def command(
    log: Path,
    n: int,
    per: str,
    seed: int,
    history: Path | None,
    fail_on_jump: bool,
    rubric: Path,
    sources: tuple[Path, ...],
    spec: str | None,
    settings: tuple[str, ...],
    cache: str | None,
    no_cache: bool,
    refresh: bool,
    policy: str,
    journal: Path | None,
    as_json: bool,
) -> None:
    """Judge a sample of live answers, and follow the share that fails.

    LOG is JSONL, {"id", "at", "question", "answer"} a line, "source" too if it differs; "at" is
    an ISO time, UTC where it names no zone. The sample of a period is the same whenever it is
    drawn; what the history holds of it is not judged again. A share above what the earlier
    periods let expect is a jump. Undecided answers and judge errors are counted apart.

    \b
    Examples:
      voirdire sample answers.jsonl --rubric rubric.yaml --source help.md --judge rules
      voirdire sample today.jsonl --n 300 --per day --history sampled.jsonl --fail-on-jump \\
          --rubric rubric.yaml --source help.md --judge openai:MODEL --json

    \b
    Exit codes: 0 judged; 1 a jump (with --fail-on-jump), or a period of which no answer could be
    judged; 2 bad input.
    """
    if not spec:
        raise ConfigError("no judge was given; add --judge SPEC (rules needs no model)")
    load("scipy.stats")  # or the answers would be judged before it is missed
    loaded = load_rubric(rubric)
    given = judge_settings(settings)
    judge = make_judge(spec, given)
    shared = read_sources(sources) if sources else ()
    drawn = draw(log, n=n, per=per, seed=seed, sources=shared)
    mark = fingerprint(judge, loaded, policy)
    earlier = read_history(history)
    for warning in judge_facts(judge, Usage(0, 0))["warnings"]:
        click.echo(f"warning: {warning}", err=True)
    book = Journal(journal_path(journal))
    memory = open_memory(cache, no_cache=no_cache, refresh=refresh)

    def judged(case: Case) -> Outcome:
        return grade(case, loaded, judge, book, policy=policy, memory=memory)

    known = {one.period: one for one in earlier if (one.per, one.fingerprint) == (per, mark)}
    source = text_hash(" ".join(one.sha256 for one in shared)) if shared else ""
    for one in drawn:
        before = known.get(one.period)
        if before is not None and before.stands_for(one):
            _say_kept(before, one)
            continue
        outcomes = _judge(one, judged, int(given.get("in_flight", 4)))
        known[one.period] = tested(
            one, outcomes, per=per, judge=judge.spec, mark=mark, source=source
        )
        if history is not None:
            append(history, known[one.period])

    in_log = {one.period for one in drawn}
    followed = follow([known[name] for name in sorted(known)], in_log)
    said = advice(followed, sum(one.fingerprint != mark for one in earlier))
    if as_json:
        click.echo(dump(report_record(followed, said)))
    else:
        click.echo("\n".join([report_text(followed), *said]))
    here = [one for one in followed if one.in_log]
    if any(not one.tested.decided for one in here) or (
        fail_on_jump and any(one.is_jump for one in here)
    ):
        raise click.exceptions.Exit(1)


def _judge(drawn: Drawn, judged: Callable[[Case], Outcome], in_flight: int) -> list[Outcome]:
    outcomes = []
    with ThreadPoolExecutor(in_flight) as pool:
        try:
            for outcome in pool.map(judged, drawn.cases):
                outcomes.append(outcome)
                if sys.stderr.isatty():
                    done = len(outcomes) == len(drawn.cases)
                    shown = f"\r{drawn.period}: {len(outcomes)}/{len(drawn.cases)} judged"
                    click.echo(shown, nl=done, err=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return outcomes


def _say_kept(before: Tested, drawn: Drawn) -> None:
    if before.of > drawn.of:
        click.echo(
            f"{drawn.period}: the history has it from {before.of} answers, the log holds "
            f"{drawn.of}: kept as it was",
            err=True,
        )
