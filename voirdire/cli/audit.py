"""``voirdire audit``."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voirdire.cli.inputs import dump, json_option
from voirdire.cli.outputs import see_outputs
from voirdire.errors import ConfigError
from voirdire.wholefile import write_whole

if TYPE_CHECKING:
    from voirdire.audit.run import Request

_MIB = 1024 * 1024
_LONGEST_S = 86_400


@click.command("audit")
@click.option("--eval", "eval_parser", metavar="SPEC", help="The parser that the eval runs.")
@click.option("--production", metavar="SPEC", help="The parser that production runs.")
@click.option(
    "--corpus",
    "paths",
    multiple=True,
    metavar="PATH",
    help="Texts: a folder, raw text, JSON lines (also .gz), promptfoo's results or database, a "
    "journal, .parquet; - is JSON lines on standard input. May be repeated.",
)
@click.option("--field", default="text", show_default=True, help="The texts' field in JSON lines.")
@click.option(
    "--intended",
    default="intended",
    show_default=True,
    help="The field of the value that should be read, where a line has one.",
)
@click.option("--eval-id", help="Which eval of a promptfoo database.  [default: the latest]")
@click.option(
    "--schema",
    type=click.Path(path_type=Path),
    help="A JSON Schema: only a value that it takes counts as parsed.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write the report, e.g. parser_permissiveness.json.",
)
@click.option(
    "--markdown", type=click.Path(path_type=Path), help="Write a summary for a pull request."
)
@click.option("--fail-on", default="", metavar="NAMES", help="Findings that fail, see below.")
@click.option(
    "--mutate", type=click.IntRange(min=0), default=0, metavar="N", help="Audit N mutations, too."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the mutations.")
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    help="A promptfoo results file to score again with production's parser.",
)
@click.option(
    "--expected",
    metavar="VAR",
    help="The test variable that holds the value an output should have, for --results.",
)
@click.option(
    "--growth/--no-growth",
    default=True,
    show_default=True,
    help="Time the parsers on growing hostile texts.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True, max=_LONGEST_S),
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="For one text.",
)
@click.option(
    "--memory",
    type=click.IntRange(min=64),
    default=1024,
    show_default=True,
    metavar="MIB",
    help="That a parser's process may take.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Processes.  [default: one a core]")
@click.option(
    "--engine",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="Where it runs; dask needs --scheduler and voirdire[dask].",
)
@click.option("--scheduler", metavar="URL", help="Of a Dask cluster: tcp://HOST:PORT.")
@click.option(
    "--check",
    "checked",
    type=click.Path(path_type=Path),
    metavar="REPORT",
    help="Run nothing: say whether parsers and corpus are still those of the report.",
)
@json_option
def command(
    checked: Path | None,
    out: Path | None,
    markdown: Path | None,
    fail_on: str,
    as_json: bool,
    **options: Any,
) -> int:
    """Audit two parsers: what does the eval read, and what does production?

    Puts every text of a corpus to both, tells the same value from another, from a refusal, a
    crash and a hang, and says which way the gap runs.

    \b
    SPEC is one of
      module:function, path/file.py:function     Python
      node:path/file.mjs#export                  JavaScript
      cmd:PROGRAM ARGUMENTS                       JSON lines in and out: {"id", "text"} in,
                                                 {"id", "value"} or {"id", "error"} out
      strict, backward, forward, forward-first, first-brace-to-last, fenced, json-repair,
      promptfoo                                  built in

    \b
    --fail-on takes NAME[:MOST],… where MOST is a count or a percentage, 0 by default:
      different, eval-only, production-only, neither, crash, timeout, slow, damaged

    \b
    Examples:
      voirdire audit --eval promptfoo --production app/parse.py:read --corpus replies.jsonl
      voirdire audit --eval backward --production forward --corpus logs/ --mutate 1000 \\
        --out parser_permissiveness.json --fail-on different,eval-only:1%,crash
      voirdire audit --check parser_permissiveness.json

    Exits with 0 for a finished audit, 1 where --fail-on or --check finds something, 2 for bad
    input.
    """
    if checked is not None:
        return _check(checked, as_json=as_json)
    from voirdire.audit.gate import SLOW, exceeded, limits
    from voirdire.audit.run import audit
    from voirdire.audit.show import markdown as as_markdown
    from voirdire.audit.show import terminal

    gates = limits(fail_on)
    request = _request(**options)
    if not request.growth and any(gate.finding == SLOW for gate in gates):
        raise ConfigError("--fail-on slow needs the growth, which --no-growth leaves out")
    see_outputs([path for path in (out, markdown) if path is not None], _read(request))
    try:
        with _Progress() as progress:
            report = audit(request, progress.block, progress.stage)
    except KeyboardInterrupt:
        click.echo("voirdire: stopped; no report was written", err=True)
        return 130
    if out is not None:
        write_whole(out, json.dumps(report, indent=1, ensure_ascii=True) + "\n")
    if markdown is not None:
        write_whole(markdown, as_markdown(report))
    click.echo(dump(report) if as_json else terminal(report))
    failed = exceeded(report, gates)
    for sentence in failed:
        click.echo(f"voirdire: failed on {sentence}", err=True)
    return int(bool(failed))


def _request(
    *,
    eval_parser: str | None,
    production: str | None,
    paths: tuple[str, ...],
    field: str,
    intended: str,
    schema: Path | None,
    engine: str,
    scheduler: str | None,
    timeout: float,
    memory: int,
    **options: Any,
) -> Request:
    from voirdire.audit.both import Plan
    from voirdire.audit.corpus.item import Form
    from voirdire.audit.run import Request

    if not eval_parser or not production:
        raise ConfigError("give both parsers: --eval SPEC and --production SPEC")
    if not paths:
        raise ConfigError("no corpus was given; add --corpus PATH")
    if options["expected"] is not None and options["results"] is None:
        raise ConfigError("--expected is about the outputs of --results FILE; give both")
    if math.isnan(timeout):  # which no range leaves out, and which is never over
        raise ConfigError(f"--timeout {timeout}: give a number of seconds")
    if (engine == "dask") != (scheduler is not None):
        raise ConfigError("--engine dask and --scheduler tcp://HOST:PORT go together")
    plan = Plan((eval_parser, production), _schema(schema), timeout, memory * _MIB)
    form = Form(text=field, intended=intended)
    return Request(plan, paths, form, schema=schema, scheduler=scheduler, **options)


def _read(request: Request) -> list[Path]:
    """The files and folders that an audit reads."""
    corpus = [Path(path) for path in request.paths if path != "-"]
    return [*corpus, *(path for path in (request.schema, request.results) if path is not None)]


def _schema(path: Path | None) -> Any:
    if path is None:
        return None
    from voirdire.audit.schema import load  # slow to load, and few ask for it

    return load(path)


def _check(path: Path, *, as_json: bool) -> int:
    from voirdire.audit.check import changes, load

    found = changes(load(path))
    if as_json:
        click.echo(dump({"report": str(path), "changed": found}))
    else:
        for sentence in found:
            click.echo(f"{path}: changed since: {sentence}")
        if not found:
            click.echo(f"{path}: parsers, corpus and voirdire are those of the report")
    return int(bool(found))


class _Progress:
    """A line on a terminal: texts, their rate and the time left."""

    def __init__(self) -> None:
        import time

        self._clock = time.monotonic
        self._shown = sys.stderr.isatty()
        self._begun = self._last = self._clock()
        self._texts = 0

    def __enter__(self) -> _Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._line("")

    def block(self, texts: int, read: int, total: int | None) -> None:
        """Some more texts are done."""
        self._texts += texts
        now = self._clock()
        if now - self._last < 0.2:
            return
        self._last, taken = now, now - self._begun
        left = ""
        if total and read:
            seconds = int((total - read) / read * taken)
            left = f", {seconds // 60}:{seconds % 60:02} left"
        self._line(f"{self._texts:,} texts, {self._texts / taken:,.0f} a second{left}")

    def stage(self, name: str) -> None:
        """Something else begins."""
        self._line(f"{name} …")

    def _line(self, text: str) -> None:
        if self._shown:
            click.echo(f"\r\x1b[K{text}", nl=False, err=True)
