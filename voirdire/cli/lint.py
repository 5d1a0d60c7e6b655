"""``voirdire lint``."""

from __future__ import annotations

from pathlib import Path

import click

from voirdire.cli.inputs import dump, json_option
from voirdire.plaintext import one_line


@click.command("lint")
@click.argument(
    "rubrics", nargs=-1, required=True, metavar="RUBRIC...", type=click.Path(path_type=Path)
)
@json_option
def command(rubrics: tuple[Path, ...], as_json: bool) -> None:
    """Look for wording that makes a judge unsure, lenient or blind.

    Two questions in one, negated questions, scales, words such as good or helpful, no rule for
    what the source does not cover, orders about the form of the reply, and more. Words are
    looked at in English; of a rubric in another language only its structure is.

    \b
    Examples:
      voirdire lint rubric.yaml
      voirdire lint rubrics/*.yaml --json

    \b
    Exit codes: 0 nothing found; 1 something to mend; 2 bad input.
    """
    from voirdire.lint.check import lint  # its patterns take time to compile

    results = [(path, lint(path)) for path in rubrics]
    for path, linted in results:
        if not linted.english:
            click.echo(f"{path}: not English: only its structure was looked at", err=True)
    findings = [finding for _, linted in results for finding in linted.findings]
    if as_json:
        click.echo(dump({"findings": [finding.to_json() for finding in findings]}))
    else:
        for finding in findings:
            kind = click.style(finding.kind, fg="yellow", bold=True)
            words = f": {one_line(finding.words, 160)}" if finding.words else ""
            click.echo(f"{finding.where}: {kind}{words}")
            click.echo(f"    why:  {finding.why}\n    mend: {finding.mend}")
        count = len(findings)
        click.echo(f"{count} finding{'s' * (count != 1)}" if count else "nothing to mend")
    if findings:
        raise click.exceptions.Exit(1)
