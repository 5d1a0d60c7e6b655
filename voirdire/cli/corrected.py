"""``voirdire corrected``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from voirdire.cli.inputs import dump, json_option
from voirdire.doorconfig import FILE_NAME
from voirdire.errors import ConfigError
from voirdire.plaintext import one_line


@click.command("corrected")
@click.argument("results", type=click.Path(path_type=Path))
@click.option(
    "--certificate",
    type=click.Path(path_type=Path),
    default=Path(FILE_NAME),
    show_default=True,
    help="Of the judge that graded the results.",
)
@json_option
def command(results: Path, certificate: Path, as_json: bool) -> int:
    """Correct a suite's pass rate for what its judge gets wrong.

    RESULTS is promptfoo's results.json. Each model's pass rate over the decided cases stands beside
    the rate that people would have given, by the judge's measured errors (Rogan and Gladen 1978),
    with a 95 % interval that covers the sampling of both the labels and the test set.

    \b
    Examples:
      voirdire corrected output/results.json
      voirdire corrected results.json --certificate judges/strict.json --json

    \b
    Exit codes: 0 done, also where a correction is refused (with the reason); 2 bad input.
    """
    from voirdire.calibration.passrate import corrected_rates

    found = corrected_rates(results, certificate)
    if not found:
        raise ConfigError(
            f"{results}: nothing in it was graded by the judge of {certificate}; name the judge's "
            "own certificate with --certificate"
        )
    if as_json:
        click.echo(dump({"results": str(results), "models": found}))
        return 0
    for row in found:
        click.echo(_line(row))
    return 0


def _line(row: dict[str, Any]) -> str:
    decided = row["decided"]
    raw = f"{row['passed'] / decided:.1%} of {decided} decided" if decided else "nothing decided"
    name = one_line(f"{row['model']} · {row['metric']}", 120)
    head = f"{name}: {raw}, coverage {decided}/{row['cases']}"
    fixed = row["corrected"]
    if fixed["value"] is None:
        return f"{head}; not corrected: {fixed['refused']}"
    return f"{head}; corrected {fixed['value']:.1%} [{fixed['low']:.1%}, {fixed['high']:.1%}]"
