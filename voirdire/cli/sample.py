"""``voirdire sample``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from voirdire.cli.inputs import (
    Asking,
    asking_options,
    dump,
    json_option,
    read_sources,
    rubric_option,
    source_option,
)
from voirdire.grade import Case, Outcome, fingerprint, grade
from voirdire.inflight import each
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
@asking_options
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
    asking: Asking,
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
    load("scipy.stats")  # or the answers would be judged before it is missed
    loaded = load_rubric(rubric)
    shared = read_sources(sources) if sources else ()
    drawn = draw(log, n=n, per=per, seed=seed, sources=shared)
    earlier = read_history(history)
    judge = asking.judge()
    mark = fingerprint(judge, loaded, asking.policy)
    book, memory = asking.journal, asking.memory

    def judged(case: Case) -> Outcome:
        return grade(case, loaded, judge, book, policy=asking.policy, memory=memory)

    known = {one.period: one for one in earlier if (one.per, one.fingerprint) == (per, mark)}
    source = text_hash(" ".join(one.sha256 for one in shared)) if shared else ""
    for one in drawn:
        before = known.get(one.period)
        if before is not None and before.stands_for(one):
            _say_kept(before, one)
            continue
        outcomes = each(one.cases, judged, asking.in_flight, _Progress(one).count)
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


class _Progress:
    """Answers of a period judged so far, where somebody looks on."""

    def __init__(self, drawn: Drawn) -> None:
        self._period = drawn.period
        self._total = len(drawn.cases)
        self._done = 0

    def count(self, _: Case, __: Outcome) -> None:
        """One more was judged."""
        self._done += 1
        if sys.stderr.isatty():
            shown = f"\r{self._period}: {self._done}/{self._total} judged"
            click.echo(shown, nl=self._done == self._total, err=True)


def _say_kept(before: Tested, drawn: Drawn) -> None:
    if before.of > drawn.of:
        click.echo(
            f"{drawn.period}: the history has it from {before.of} answers, the log holds "
            f"{drawn.of}: kept as it was",
            err=True,
        )
