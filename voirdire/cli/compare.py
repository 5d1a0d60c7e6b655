"""``voirdire compare``."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from voirdire.cli.inputs import (
    cache_options,
    dump,
    inline_sources,
    journal_option,
    journal_path,
    json_option,
    judge_option,
    judge_settings,
    open_memory,
    policy_option,
    read_sources,
    settings_option,
    source_option,
    text_argument,
    text_field,
)
from voirdire.errors import ConfigError
from voirdire.inflight import each
from voirdire.journal import Journal
from voirdire.jsonl import objects
from voirdire.judges.spec import make_judge
from voirdire.pairwise.compare import Comparison, Pair, compare
from voirdire.pairwise.record import as_record, said_record
from voirdire.pairwise.recorded import EXTRACTOR, Recorded, read_recorded
from voirdire.pairwise.report import tally_record, tally_text
from voirdire.pairwise.tally import Compared, tally
from voirdire.rubric import load_rubric
from voirdire.source import Source

_NONE = "none"
_WORDS = {
    "a": ("A wins", "green"),
    "b": ("B wins", "green"),
    "tie": ("tie", "cyan"),
    "undecided": ("undecided", "yellow"),
    "judge_error": ("judge error", "magenta"),
}


@click.command("compare")
@click.option("--rubric", type=click.Path(path_type=Path), help="What to compare by, a YAML file.")
@source_option
@click.option("--question", help="What both answers answer.")
@click.option("--a", "answer_a", help="One answer; - reads standard input.")
@click.option("--b", "answer_b", help="The other; - reads standard input.")
@click.option("--case-id", help="The pair's id; the replay judge looks replies up by it.")
@click.option(
    "--jsonl",
    "jsonl_file",
    type=click.Path(path_type=Path),
    help='Many pairs: {"id", "question", "a", "b"} a line; "label" (a, b or tie) and "source" too.',
)
@click.option(
    "--recorded",
    type=click.Path(path_type=Path),
    help="Replies that another judge gave in both orders, a JSON file; no judge is asked.",
)
@judge_option
@settings_option
@cache_options
@policy_option
@journal_option
@json_option
def command(
    rubric: Path | None,
    sources: tuple[Path, ...],
    question: str | None,
    answer_a: str | None,
    answer_b: str | None,
    case_id: str | None,
    jsonl_file: Path | None,
    recorded: Path | None,
    spec: str | None,
    settings: tuple[str, ...],
    cache: str | None,
    no_cache: bool,
    refresh: bool,
    policy: str,
    journal: Path | None,
    as_json: bool,
) -> None:
    """Compare two answers in both orders; only a win that survives the swap counts.

    The judge is asked with A first and with B first. --source none compares without a source of
    truth. A replay judge finds its replies by the pair's id with :a-first or :b-first after it.

    \b
    Examples:
      voirdire compare --rubric rubric.yaml --source help.md --judge openai:MODEL \\
          --question "How long does the link last?" --a "30 minutes." --b "An hour."
      voirdire compare --rubric rubric.yaml --source help.md \\
          --jsonl pairs.jsonl --judge replay:replies.jsonl --json
      voirdire compare --recorded replies.json

    \b
    Exit codes: 0 compared, whatever the outcome (recorded replies always); 1 a judge error;
    2 bad input.
    """
    if recorded is not None:
        others = (rubric, question, answer_a, answer_b, case_id, jsonl_file)
        if sources or any(value is not None for value in others):
            raise ConfigError("--recorded stands alone: nothing is asked; drop the other options")
        _recorded(recorded, as_json=as_json)
        return
    if rubric is None:
        raise ConfigError("no rubric was given; add --rubric FILE.yaml")
    if not spec:
        raise ConfigError("no judge was given; add --judge SPEC")
    loaded = load_rubric(rubric)
    given = judge_settings(settings)
    judge = make_judge(spec, given)
    if jsonl_file is None:
        pairs = [_single(sources, question, answer_a, answer_b, case_id)]
    else:
        if any(value is not None for value in (question, answer_a, answer_b, case_id)):
            raise ConfigError(
                "with --jsonl the question, the answers and the id stand in each line"
            )
        pairs = _many(jsonl_file, sources)
    book = Journal(journal_path(journal))
    many = jsonl_file is not None
    memory = open_memory(cache, no_cache=no_cache, refresh=refresh)

    def one(pair: Pair) -> Comparison:
        return compare(pair, loaded, judge, book, policy=policy, memory=memory)

    counted = itertools.count(1)

    def tell(pair: Pair, comparison: Comparison) -> None:
        _show(pair, comparison, as_json=as_json, many=many)
        done = next(counted)
        if many and sys.stderr.isatty():
            click.echo(f"\r{done}/{len(pairs)} compared", nl=done == len(pairs), err=True)

    compared = each(pairs, one, int(given.get("in_flight", 4)), tell)
    if many:
        rows = [
            Compared(comparison.orders[0].said, comparison.orders[1].said, pair.label)
            for pair, comparison in zip(pairs, compared, strict=True)
        ]
        _show_tally(rows, {}, as_json=as_json)
    if any(comparison.settled.outcome == "judge_error" for comparison in compared):
        raise click.exceptions.Exit(1)


def _single(
    paths: tuple[Path, ...], question: str | None, a: str | None, b: str | None, case_id: str | None
) -> Pair:
    if a is None or b is None:
        raise ConfigError("give both answers with --a and --b, or many pairs with --jsonl")
    if a == b == "-":
        raise ConfigError("standard input can be one of the answers, not both")
    return Pair(text_argument(a), text_argument(b), question, _sources(paths), case_id)


def _many(file: Path, paths: tuple[Path, ...]) -> list[Pair]:
    shared = _sources(paths) if paths else None
    pairs = []
    seen: set[str] = set()
    for where, value in objects(file):
        identity = text_field(value, "id", where)
        if identity is not None and identity in seen:
            raise ConfigError(f"{where}: the id {identity!r} stands twice; give each its own")
        seen.add(identity or "")
        label = text_field(value, "label", where)
        if label not in (None, "a", "b", "tie"):
            raise ConfigError(f"{where}: `label` must be a, b or tie, not {label!r}")
        pairs.append(
            Pair(
                a=text_field(value, "a", where, required=True) or "",
                b=text_field(value, "b", where, required=True) or "",
                question=text_field(value, "question", where),
                sources=_line_sources(value, where, shared),
                id=identity,
                label=label,
            )
        )
    return pairs


def _sources(paths: tuple[Path, ...]) -> tuple[Source, ...]:
    if paths == (Path(_NONE),):
        return ()
    if not paths:
        raise ConfigError("no source of truth was given; add --source FILE, or --source none")
    return read_sources(paths)


def _line_sources(
    value: Mapping[str, Any], where: str, shared: tuple[Source, ...] | None
) -> tuple[Source, ...]:
    given = value.get("source")
    if given == _NONE:
        return ()
    if given is not None:
        return inline_sources(given, where)
    if shared is None:
        raise ConfigError(
            f"{where}: no source of truth; add --source FILE or --source none, or a `source` here"
        )
    return shared


def _recorded(path: Path, *, as_json: bool) -> None:
    records = read_recorded(path)
    differs = [(record.id, fault) for record in records for fault in record.differs]
    if as_json:
        for record in records:
            click.echo(dump(_recorded_line(record)))
    else:
        for identity, fault in differs:
            click.echo(f"{identity}: {fault}")
        click.echo(
            f"winners by the extractor {EXTRACTOR}; {len(differs)} of {2 * len(records)} differ "
            "from the recorded ones"
        )
    extra = {"extractor": EXTRACTOR, "differs": len(differs)}
    _show_tally([record.compared for record in records], extra, as_json=as_json)


def _recorded_line(record: Recorded) -> dict[str, Any]:
    one, two = record.compared.a_first, record.compared.b_first
    return {
        "id": record.id,
        "label": record.compared.label,
        **vars(record.compared.settled),
        "orders": {"a_first": said_record(one), "b_first": said_record(two)},
        "differs": list(record.differs),
    }


def _show(pair: Pair, comparison: Comparison, *, as_json: bool, many: bool) -> None:
    if as_json:
        record = as_record(comparison)
        click.echo(dump({"id": pair.id, "label": pair.label, **record} if many else record))
        return
    word, colour = _WORDS[comparison.settled.outcome]
    name = f"{pair.id}  " if pair.id else ""
    click.echo(f"{click.style(f'{word:<11}', fg=colour, bold=True)} {name}{comparison.reason}")
    if not many:
        ids = ", ".join(order.heard.journal_id for order in comparison.orders)
        click.echo(f"journal ids: {ids}")


def _show_tally(rows: Sequence[Compared], extra: Mapping[str, Any], *, as_json: bool) -> None:
    counted = tally(rows)
    click.echo(
        dump({"statistics": {**extra, **tally_record(counted)}}) if as_json else tally_text(counted)
    )
