"""``voirdire run``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voirdire.cli.inputs import (
    dump,
    journal_option,
    journal_path,
    json_option,
    judge_option,
    judge_settings,
    policy_option,
    read_sources,
    settings_option,
    source_option,
)
from voirdire.cli.outputs import see_outputs
from voirdire.errors import ConfigError
from voirdire.journal import Journal
from voirdire.judges.spec import make_judge
from voirdire.record import judge_facts
from voirdire.reply import Usage
from voirdire.rubric import load_rubric

if TYPE_CHECKING:
    from voirdire.runs.comparison import Plan
    from voirdire.runs.done import Done
    from voirdire.runs.models import Model
    from voirdire.runs.questions import Template


@click.command("run")
@click.argument("cases_file", metavar="CASES", type=click.Path(path_type=Path))
@click.option(
    "--models",
    multiple=True,
    required=True,
    help="Models, commas between them: openai:MODEL[@URL], openrouter:MODEL, ollama:MODEL, "
    "anthropic:MODEL, recorded:FILE.jsonl. May be repeated.",
)
@judge_option
@click.option(
    "--rubric",
    type=click.Path(path_type=Path),
    help="The rubric, a YAML file.  [default: rubric.yaml beside CASES]",
)
@source_option
@click.option(
    "--prompt",
    "prompt_file",
    type=click.Path(path_type=Path),
    help="What each model is asked: a text file with {{question}} and {{source}} in it.",
)
@settings_option
@click.option(
    "--model-set",
    "model_settings",
    multiple=True,
    metavar="[MODEL,]NAME=VALUE",
    help="A setting of all the models, or of the one named before the comma. May be repeated.",
)
@click.option(
    "--in-flight",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="How many answers are worked on at once.",
)
@click.option(
    "--max-cost", type=float, help="US dollars, models and judge together, resumptions too."
)
@click.option(
    "--out", type=click.Path(path_type=Path), required=True, help="promptfoo's results, JSON."
)
@click.option("--report", type=click.Path(path_type=Path), help="Write the report, an HTML page.")
@click.option(
    "--run-folder",
    type=click.Path(path_type=Path),
    help="Where answers and verdicts are kept.  [default: OUT with .run for .json]",
)
@policy_option
@journal_option
@json_option
def command(
    cases_file: Path,
    models: tuple[str, ...],
    spec: str | None,
    rubric: Path | None,
    sources: tuple[Path, ...],
    prompt_file: Path | None,
    settings: tuple[str, ...],
    model_settings: tuple[str, ...],
    in_flight: int,
    max_cost: float | None,
    out: Path,
    report: Path | None,
    run_folder: Path | None,
    policy: str,
    journal: Path | None,
    as_json: bool,
) -> int:
    """Ask several models the same questions, and let one judge decide on every answer.

    CASES is JSON lines, YAML or CSV with id, question and perhaps source. Answers and verdicts
    are kept in the run's folder as they come: after Ctrl-C, a crash or the end of --max-cost,
    the same command goes on, and what was replied to is not asked again unless it came to an
    error. Delete the folder to begin anew.

    The results are promptfoo's: look at them with promptfoo import OUT and promptfoo view.
    An error of a model is none of the judge, and neither is an answer that fails.

    \b
    Examples:
      voirdire run cases.jsonl --models openai:MODEL,anthropic:MODEL --judge openai:JUDGE \\
          --rubric rubric.yaml --source help.md --prompt prompt.txt --out results.json
      voirdire run cases.jsonl --models recorded:before.jsonl,recorded:after.jsonl \\
          --judge rules --out results.json --json

    \b
    Exit codes: 0 done; 1 errors of a model or of the judge are among them; 2 bad input;
    130 stopped.
    """
    from voirdire.runs.comparison import GivenUpError, Plan, check_prices, compare
    from voirdire.runs.kept import run_folder as opened
    from voirdire.runs.progress import Progress
    from voirdire.runs.questions import load_questions
    from voirdire.runs.results import write_report, write_results

    if not spec:
        raise ConfigError("no judge was given; add --judge SPEC (rules needs no model)")
    if max_cost is not None and not 0 < max_cost < float("inf"):
        raise ConfigError(f"--max-cost {max_cost:g}: must be more than 0 US dollars")
    folder_path = run_folder or out.with_suffix(".run")
    asked_for = rubric or cases_file.with_name("rubric.yaml")
    read = [cases_file, asked_for, *sources, *_recordings((*models, spec))]
    read += [path for path in (prompt_file, folder_path) if path]
    see_outputs([path for path in (out, report) if path], read)
    tested = _models(models, model_settings, in_flight)
    plan = Plan(
        models=tested,
        questions=load_questions(cases_file, read_sources(sources) if sources else None),
        template=_template(prompt_file, tested),
        judge=make_judge(spec, {"in_flight": in_flight, **judge_settings(settings)}),
        rubric=load_rubric(asked_for),
        policy=policy,
        max_cost=max_cost,
        in_flight=in_flight,
    )
    check_prices(plan)
    for warning in judge_facts(plan.judge, Usage(0, 0), [model.spec for model in tested])[
        "warnings"
    ]:
        click.echo(f"warning: {warning}", err=True)
    book = Journal(journal_path(journal))
    progress = Progress(len(plan.models) * len(plan.questions))

    def on_done(one: Done) -> None:
        progress.count(one)
        if sys.stderr.isatty():
            click.echo(f"\r{progress.line()}\x1b[K", nl=progress.ended, err=True)

    with opened(folder_path) as folder:
        if folder.damaged:
            text = f"warning: {folder.path}: damaged lines, left out: {folder.damaged}"
            click.echo(text, err=True)
        try:
            done = compare(plan, folder, book, on_done, _waits)
        except GivenUpError:
            click.echo("\nvoirdire: left; the calls under way are asked again", err=True)
            os._exit(130)  # Python would wait for the threads of these calls
        except KeyboardInterrupt:
            click.echo(
                f"\nvoirdire: stopped at {progress.line()}; {folder.path} keeps what was answered,"
                " and the same command goes on",
                err=True,
            )
            return 130
        write_results(out, plan, done, cases_file)
        if report is not None:
            write_report(out, report)
    _show(plan, done, out, as_json=as_json)
    return int(any(one.outcome in ("model_error", "judge_error") for one in done))


def _waits() -> None:
    click.echo("\nvoirdire: waits for the calls under way; Ctrl-C again leaves them", err=True)


def _recordings(specs: Iterable[str]) -> Iterator[Path]:
    """The files of recorded answers and replies."""
    for text in specs:
        for one in text.split(","):
            scheme, _, name = one.strip().partition(":")
            if scheme in ("recorded", "replay") and name:
                yield Path(name)


def _models(given: Sequence[str], settings: Sequence[str], in_flight: int) -> list[Model]:
    from voirdire.runs.models import make_model

    specs = [spec.strip() for text in given for spec in text.split(",") if spec.strip()]
    if not specs:
        raise ConfigError("no model was given; add --models SPEC,SPEC")
    shared: list[str] = []
    own: dict[str, list[str]] = {spec: [] for spec in specs}
    for pair in settings:
        named = next((spec for spec in specs if pair.startswith(f"{spec},")), None)
        if named is None:
            shared.append(pair)
        else:
            own[named].append(pair[len(named) + 1 :])
    found: dict[str, Model] = {}
    for spec in specs:
        try:
            values = judge_settings([*shared, *own[spec]])
            model = make_model(spec, {"in_flight": in_flight, **values})
        except ConfigError as error:
            raise ConfigError(f"--models: {error}") from None
        if model.spec in found:
            raise ConfigError(f"--models: {model.spec} stands twice; keep one")
        found[model.spec] = model
    return list(found.values())


def _template(path: Path | None, models: Sequence[Model]) -> Template:
    from voirdire.runs.questions import Template, load_template

    if path is not None:
        return load_template(path)
    if not all(model.is_recorded for model in models):
        raise ConfigError("no prompt was given; add --prompt FILE with {{question}} in it")
    return Template("{{question}}", "prompt")  # what recorded answers were asked is not known


def _show(plan: Plan, done: Sequence[Done], out: Path, *, as_json: bool) -> None:
    from voirdire.runs.summary import lines, summary

    rows = summary([model.spec for model in plan.models], done)
    stopped = any(one.ended_by_budget for one in done)
    if as_json:
        record = {
            "out": str(out),
            "judge": plan.judge.spec,
            "models": rows,
            "asked": sum(one.asked for one in done),
            "stopped_by_max_cost": stopped,
        }
        click.echo(dump(record))
        return
    for line in lines(rows):
        click.echo(line)
    if stopped:
        click.echo("the money of --max-cost is spent: a higher one goes on where this ended")
    click.echo(f"{out}: written; promptfoo import takes it")
