"""``voirdire doctor``."""

from __future__ import annotations

from pathlib import Path

import click

from voirdire.cli.inputs import (
    dump,
    journal_option,
    journal_path,
    json_option,
    judge_settings,
    settings_option,
)

_COLOURS = {"ok": "green", "warning": "yellow", "problem": "red"}


@click.command("doctor")
@click.option(
    "--judge",
    "spec",
    help="Ask this judge about a wrong and a right answer: two calls.  [default: none is asked]",
)
@settings_option
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    help="The suite's file.  [default: promptfooconfig.yaml, .yml or .json in this folder]",
)
@journal_option
@json_option
def command(
    spec: str | None,
    settings: tuple[str, ...],
    config: Path | None,
    journal: Path | None,
    as_json: bool,
) -> int:
    """Look whether all that a grounded suite needs is there and fits together.

    Looks at promptfoo, Node, the Python that promptfoo will take and whether the doors open in
    it; at the suite, its doors' settings, and assertions whose verdict promptfoo would invert or
    outvote; at keys (never shown), certificates, journal, cache and extras. Without --judge
    nothing is asked of anybody, and nothing is written.

    \b
    Examples:
      voirdire doctor
      voirdire doctor --config evals/promptfooconfig.yaml --json
      voirdire doctor --judge openai:MODEL

    \b
    Exit codes: 0 no problem (warnings do not count), 1 a problem, 2 bad input.
    """
    from voirdire.doctor.finding import worst
    from voirdire.doctor.run import as_record, examine
    from voirdire.plaintext import safe_text

    findings = examine(config)
    if spec:
        from voirdire.doctor.canary import canary
        from voirdire.doctor.surroundings import without_keys
        from voirdire.journal import Journal

        asked = canary(spec, judge_settings(settings), Journal(journal_path(journal)))
        findings += without_keys(asked)
    if as_json:
        click.echo(dump(as_record(findings)))
        return int(worst(findings) == "problem")
    width = max(len(finding.check) for finding in findings)
    for check, status, text, mend in findings:
        word = click.style(f"{status:7}", fg=_COLOURS[status])
        click.echo(f"{word}  {check:{width}}  {safe_text(text)}")
        if mend:
            click.echo(f"{'':{width + 9}}  mend: {safe_text(mend)}")
    counts = {
        status: sum(finding.status == status for finding in findings)
        for status in ("problem", "warning")
    }
    click.echo(", ".join(f"{n} {status}{'' if n == 1 else 's'}" for status, n in counts.items()))
    return int(worst(findings) == "problem")
