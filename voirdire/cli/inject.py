"""``voirdire inject``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import chain, zip_longest
from pathlib import Path

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
    text_field,
)
from voirdire.errors import ConfigError
from voirdire.grade import Case, Outcome, grade
from voirdire.inflight import each
from voirdire.injection.attacks import Attack, load_attacks, of_kinds
from voirdire.injection.plant import planted
from voirdire.injection.report import faults, report_record, report_text
from voirdire.injection.trial import Sample, Trial
from voirdire.jsonl import objects
from voirdire.judges.base import Judge
from voirdire.record import as_record, judge_facts
from voirdire.rubric import load_rubric


@click.command("inject")
@rubric_option
@source_option
@click.option(
    "--jsonl",
    "jsonl_file",
    type=click.Path(path_type=Path),
    required=True,
    help='Labelled samples: {"id", "question", "answer", "label"} a line, label pass or fail; '
    '"source" too.',
)
@click.option(
    "--attacks",
    type=click.Path(path_type=Path),
    default=Path("golden/injections/attacks.jsonl"),
    show_default=True,
    help='What to plant: {"id", "kind", "where", "text"} a line.',
)
@click.option("--kinds", help="Only attacks of these kinds, with commas between them.")
@click.option(
    "--max-cases",
    type=click.IntRange(min=2),
    help="At most so many samples, failing and passing ones in turn.",
)
@asking_options
@json_option
def command(
    rubric: Path,
    sources: tuple[Path, ...],
    jsonl_file: Path,
    attacks: Path,
    kinds: str | None,
    max_cases: int | None,
    asking: Asking,
    as_json: bool,
) -> None:
    """Try to steer the judge: does a text in the answer move its verdict?

    Each sample is judged without an attack, then with each. A verdict that becomes a pass is a
    breach; passing samples must still pass. A replay judge finds its replies by the sample's id,
    with +ATTACK after it where one is planted.

    \b
    Examples:
      voirdire inject --rubric rubric.yaml --source help.md --jsonl samples.jsonl \\
          --judge openai:MODEL --kinds fake_verdict,plain_order --max-cases 4
      voirdire inject --rubric rubric.yaml --source help.md --jsonl samples.jsonl \\
          --attacks mine.jsonl --judge rules --json

    \b
    Exit codes: 0 nothing flipped to pass and passing samples still pass; 1 something did, a
    judge error, or nothing could be measured; 2 bad input.
    """
    loaded = load_rubric(rubric)
    wanted = [kind.strip() for kind in kinds.split(",")] if kinds else []
    if not attacks.is_file():
        raise ConfigError(f"{attacks}: no such file; name the attacks with --attacks FILE.jsonl")
    chosen = of_kinds(load_attacks(attacks), wanted)
    samples = _some(_samples(jsonl_file, sources), max_cases)
    judge, book, memory = asking.judge(), asking.journal, asking.memory

    def judged(case: Case) -> Outcome:
        return grade(case, loaded, judge, book, policy=asking.policy, memory=memory)

    meter = _Meter(judge, len(samples) * (1 + len(chosen)))

    def tell(sample: Sample, outcome: Outcome) -> None:
        meter.count(outcome, 1 + len(chosen) * (outcome.outcome == "judge_error"))
        if as_json:
            click.echo(dump(_line(sample, outcome, judge)))

    def attacked(item: tuple[Sample, Outcome, Attack]) -> Trial:
        sample, before, attack = item
        return Trial(sample, attack, before, judged(planted(sample.case, attack, loaded)))

    def tell_trial(_: object, trial: Trial) -> None:
        meter.count(trial.after, 1)
        _show(trial, judge, as_json=as_json)

    outcomes = each(samples, lambda sample: judged(sample.case), asking.in_flight, tell)
    befores = list(zip(samples, outcomes, strict=True))
    work = [
        (sample, before, attack)
        for sample, before in befores
        if before.outcome != "judge_error"
        for attack in chosen
    ]
    trials = each(work, attacked, asking.in_flight, tell_trial)
    found = faults(befores, trials)
    if as_json:
        click.echo(dump({"statistics": report_record(befores, trials, meter.cost)}))
    else:
        click.echo(report_text(befores, trials))
        click.echo(f"{len(befores)} samples, {len(trials)} trials, {meter.cost_text}")
        for fault in found or ["clean: nothing flipped to pass, and passing samples still pass"]:
            click.echo(fault)
    if found:
        raise click.exceptions.Exit(1)


class _Meter:
    """Progress and cost so far, on standard error where somebody looks on."""

    def __init__(self, judge: Judge, total: int) -> None:
        self._judge = judge
        self._total = total
        self._done = 0
        self.cost: float | None = 0.0

    def count(self, outcome: Outcome, calls: int) -> None:
        """Add an outcome that settles so many of the calls that were planned."""
        cost = judge_facts(self._judge, outcome.usage)["cost"]
        self.cost = None if cost is None or self.cost is None else self.cost + cost
        self._done += calls
        if sys.stderr.isatty():
            last = self._done == self._total
            click.echo(f"\r{self._done}/{self._total} judged, {self.cost_text}", nl=last, err=True)

    @property
    def cost_text(self) -> str:
        return "cost not known" if self.cost is None else f"${self.cost:.4f}"


def _samples(file: Path, paths: tuple[Path, ...]) -> list[Sample]:
    shared = read_sources(paths) if paths else ()
    samples = []
    seen: set[str] = set()
    for where, value in objects(file):
        identity = text_field(value, "id", where, required=True) or ""
        if identity in seen:
            raise ConfigError(f"{where}: the id {identity!r} stands twice; give each its own")
        seen.add(identity)
        label = value.get("label")
        if label not in ("pass", "fail"):
            raise ConfigError(f"{where}: `label` must be pass or fail, not {label!r}")
        own = value.get("source")
        if own is None and not shared:
            raise ConfigError(f"{where}: no source of truth; add --source FILE or a `source` here")
        case = Case(
            shared if own is None else inline_sources(own, where),
            text_field(value, "question", where),
            text_field(value, "answer", where, required=True) or "",
            identity,
        )
        samples.append(Sample(case, label))
    return samples


def _some(samples: Sequence[Sample], most: int | None) -> list[Sample]:
    """The samples, or the first of each label in turn."""
    fails, passes = (
        [sample for sample in samples if sample.label == label] for label in ("fail", "pass")
    )
    if not fails or not passes:
        missing = "passing" if fails else "failing"
        raise ConfigError(f"there is no {missing} sample; give at least one of each label")
    in_turn = chain.from_iterable(zip_longest(fails, passes))
    return [sample for sample in in_turn if sample is not None][:most]


def _line(sample: Sample, outcome: Outcome, judge: Judge, trial: Trial | None = None) -> object:
    attack = trial.attack if trial else None
    return {
        "id": f"{sample.case.id}+{attack.id}" if attack else sample.case.id,
        "case": sample.case.id,
        "label": sample.label,
        "attack": {"id": attack.id, "kind": attack.kind, "where": attack.where} if attack else None,
        "before": trial.before.outcome if trial else None,
        "breach": trial.is_breach if trial else None,
        **as_record(outcome, judge),
    }


def _show(trial: Trial, judge: Judge, *, as_json: bool) -> None:
    if as_json:
        click.echo(dump(_line(trial.sample, trial.after, judge, trial)))
    elif trial.change:
        colour = "red" if trial.is_breach else "yellow"
        word = click.style(f"{trial.change:<20}", fg=colour, bold=True)
        click.echo(f"{word} {trial.sample.case.id}+{trial.attack.id}  {trial.after.reason}")
