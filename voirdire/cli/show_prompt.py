"""``voirdire show-prompt``."""

from __future__ import annotations

from pathlib import Path

import click

from voirdire.cli.inputs import (
    dump,
    json_option,
    read_sources,
    rubric_option,
    source_option,
    text_argument,
)
from voirdire.prompt import build_prompt
from voirdire.rubric import load_rubric
from voirdire.verdict import verdict_schema


@click.command("show-prompt")
@rubric_option
@source_option
@click.option("--question", help="What the answer answers.")
@click.option("--answer", required=True, help="The answer; - reads standard input.")
@json_option
def command(
    rubric: Path, sources: tuple[Path, ...], question: str | None, answer: str, as_json: bool
) -> None:
    """Show what a judge would be shown, byte for byte. No judge is asked.

    \b
    Examples:
      voirdire show-prompt --rubric rubric.yaml --source help.md --answer "30 minutes."
      voirdire show-prompt --rubric rubric.yaml --source help.md --answer - --json < answer.txt
    """
    loaded = load_rubric(rubric)
    prompt = build_prompt(loaded, read_sources(sources), question, text_argument(answer))
    if as_json:
        shown = {
            "messages": prompt.messages,
            "schema": verdict_schema(loaded.criterion_names),
            "prompt_sha256": prompt.sha256,
            "source_sha256": list(prompt.source_hashes),
            "rubric_version": loaded.version,
        }
        click.echo(dump(shown))
        return
    click.echo(f"[system]\n{prompt.system}\n[user]\n{prompt.user}\n")
    click.echo(f"prompt sha256: {prompt.sha256}")
    for source in prompt.source_hashes:
        click.echo(f"carries source sha256: {source}")
