"""``voirdire schema``."""

from __future__ import annotations

import json

import click

from voirdire.schemas import FOLDER, SCHEMAS, schema


@click.command("schema")
@click.argument("name", type=click.Choice(list(SCHEMAS)))
@click.option("--path", "as_path", is_flag=True, help="Print where its file lies instead.")
def command(name: str, as_path: bool) -> None:
    """Print the JSON Schema of a file that you write, so that your editor completes and checks it.

    \b
    rubric     a rubric, rubric.yaml
    case       a labelled case: a line of cases.jsonl, an item of cases.yaml
    judge      a judge with its settings
    assertion  the config of the explicit door, assertions/grounded.py
    provider   the config of the drop-in door, providers/judge.py
    pairwise   the config of the comparing door, assertions/pairwise.py
    checks     the config of the checks, assertions/checks.py

    An editor with a YAML language server takes it from the file's first line:
    # yaml-language-server: $schema=rubric.schema.json

    \b
    Examples:
      voirdire schema rubric > rubric.schema.json
      voirdire schema rubric --path

    \b
    Exit codes: 0 printed; 2 bad input.
    """
    click.echo(FOLDER / f"{name}.json" if as_path else json.dumps(schema(name), indent=2))
