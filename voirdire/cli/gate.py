"""``voirdire gate``."""

from __future__ import annotations

from pathlib import Path

import click

from voirdire.cli.inputs import dump, json_option
from voirdire.doorconfig import FILE_NAME
from voirdire.errors import ConfigError
from voirdire.minima import COVERAGE, COVERAGE_WANTED

_SHARE = click.FloatRange(0, 1)


@click.command("gate")
@click.argument("file", type=click.Path(path_type=Path), default=Path(FILE_NAME))
@click.option("--min-agreement", type=_SHARE, help="Share of cases judged as people did.")
@click.option("--min-kappa", type=click.FloatRange(-1, 1), help="Agreement beyond chance.")
@click.option("--min-fails-caught", type=_SHARE, help="Share of the fails that it failed.")
@click.option("--min-passes-kept", type=_SHARE, help="Share of the passes that it passed.")
@click.option("--min-balanced-accuracy", type=_SHARE, help="The mean of the last two.")
@click.option(
    "--min-coverage",
    type=_SHARE,
    default=COVERAGE_WANTED,
    show_default=True,
    help="Share that it decided: of the passes or of the fails, whichever is less.",
)
@click.option(
    "--lower-bounds",
    is_flag=True,
    help="Hold the lower bounds of the 95 % intervals to the minima, not the measures.",
)
@json_option
def command(
    file: Path,
    *,
    min_coverage: float,
    lower_bounds: bool,
    as_json: bool,
    **minima: float | None,
) -> int:
    """Fail the judge where it is not good enough.

    FILE is a certificate or the report of voirdire calibrate --json; by default
    voirdire.certificate.json. Undefined measures (kappa where all labels are the same) fail, and
    so does a judge that failed a question of its examination.

    \b
    Examples:
      voirdire gate --min-agreement 0.8 --min-kappa 0.6 --min-fails-caught 0.8
      voirdire gate calibration.json --min-fails-caught 0.8 --lower-bounds

    \b
    Exit codes: 0 good enough; 1 the judge fails (which says nothing of the product); 2 bad input.
    """
    from voirdire.calibration.gate import held, load_measured

    suffix = "_low" if lower_bounds else ""
    asked = {
        name.removeprefix("min_") + suffix: least
        for name, least in minima.items()
        if least is not None
    }
    if not asked:
        raise ConfigError("give at least one minimum, such as --min-fails-caught 0.8")
    known = load_measured(file)
    found = held(known.calibration, {**asked, COVERAGE: min_coverage})
    failed = bool(known.failed) or not all(one.holds for one in found)
    if as_json:
        rows = [{**one._asdict(), "holds": one.holds} for one in found]
        record = {"file": str(file), "passed": not failed, "measures": rows}
        click.echo(dump({**record, "failed_questions": known.failed}))
        return int(failed)
    for one in found:
        value = "undefined" if one.value is None else f"{one.value:.3f}"
        word = "holds" if one.holds else "FAILS"
        click.echo(f"{word}  {one.name:<24} {value}, at least {one.least:g}")
    for name in known.failed:
        click.echo(f"FAILS  {name:<24} a question of its examination")
    click.echo(
        "the judge fails: examine and calibrate it, or take another; this says nothing of the "
        "product"
        if failed
        else "the judge holds"
    )
    return int(failed)
