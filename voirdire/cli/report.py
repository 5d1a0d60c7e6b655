"""``voirdire report``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from voirdire.cli.inputs import dump, json_option
from voirdire.cli.outputs import see_outputs
from voirdire.errors import ConfigError
from voirdire.wholefile import write_pieces, write_whole

_file = click.Path(path_type=Path)


@click.command("report")
@click.argument("results", nargs=-1, type=_file)
@click.option(
    "--eval-id",
    "eval_ids",
    multiple=True,
    metavar="ID",
    help="Which eval of a promptfoo database. May be repeated.  [default: the latest]",
)
@click.option("--certificate", type=_file, help="Of the judge: corrects the pass rates.")
@click.option("--calibration", type=_file, help="What voirdire calibrate --out wrote.")
@click.option(
    "--cases",
    type=_file,
    help="Answers that people labelled, as for calibrate: shows where the judge disagrees.",
)
@click.option("--markdown", type=_file, help="Write a summary for a pull request.")
@click.option("--junit", type=_file, help="Write JUnit's XML.")
@click.option("--html", type=_file, help="Write one page to read, filter and search.")
@click.option(
    "--fail-on",
    default="",
    metavar="FLAGS",
    help="Flags that fail, with commas between, see below.",
)
@json_option
def command(
    results: tuple[Path, ...],
    eval_ids: tuple[str, ...],
    certificate: Path | None,
    calibration: Path | None,
    cases: Path | None,
    fail_on: str,
    as_json: bool,
    **outputs: Path | None,
) -> int:
    """Report what promptfoo's results hold, and what they hide.

    RESULTS are files that promptfoo eval -o wrote (.json, .jsonl), or its database
    (promptfoo.db), made with voirdire or without. Red flags come first, each with its evidence
    and the command that settles it; then every model's pass rate over the decided cases. Of
    several runs the first and the last are compared: what flipped, and what was another.

    \b
    --fail-on takes
      blind, fail_open, silent_error, all_pass, no_variance, errors_on_one_model, coverage,
      criterion_never_fails, evidence_missing, same_family, floating, uncertified

    \b
    Examples:
      voirdire report output/results.json
      voirdire report before.json after.json --markdown summary.md --junit report.xml
      voirdire report ~/.promptfoo/promptfoo.db --eval-id eval-abc-2026-12-01T10:00:00
      voirdire report results.json --certificate voirdire.certificate.json \\
          --cases cases.jsonl --html report.html --fail-on blind,fail_open,coverage

    \b
    Exit codes: 0 reported; 1 a flag of --fail-on was raised; 2 bad input.
    """
    from voirdire.promptfoo.runs import open_runs
    from voirdire.report.flags import wanted
    from voirdire.report.report import make_report
    from voirdire.report.terminal import terminal

    if not results:
        raise ConfigError("no results were given; name the file that promptfoo eval -o wrote")
    gates = wanted(fail_on)
    given = [path for path in (certificate, calibration, cases) if path is not None]
    see_outputs([path for path in outputs.values() if path], [*results, *given])
    report = make_report(
        open_runs(results, eval_ids),
        certificate=certificate,
        calibration=calibration,
        cases=cases,
    )
    _write(report, **outputs)
    click.echo(dump(report) if as_json else terminal(report))
    raised = [name for name in gates if any(flag["kind"] == name for flag in report["flags"])]
    for name in raised:
        click.echo(f"voirdire: failed on {name}", err=True)
    return int(bool(raised))


def _write(
    report: dict[str, Any], *, markdown: Path | None, junit: Path | None, html: Path | None
) -> None:
    if markdown is not None:
        from voirdire.report.markdown import markdown as as_markdown

        write_whole(markdown, as_markdown(report))
    if junit is not None:
        from voirdire.report.junit import junit as as_junit

        write_pieces(junit, as_junit(report))
    if html is not None:
        from voirdire.report.page import page

        write_whole(html, page(report))
