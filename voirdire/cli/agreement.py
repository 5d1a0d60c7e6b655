"""``voirdire agreement``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import click

from voirdire.cli.inputs import dump, json_option
from voirdire.errors import ConfigError
from voirdire.jsonl import objects
from voirdire.plaintext import safe_text


@click.command("agreement")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--raters", required=True, help="The fields that hold each rater's class, with commas between."
)
@click.option(
    "--classes", help="The classes that there are, with commas; any other value is no rating."
)
@click.option(
    "--majority",
    is_flag=True,
    help="Hold the last rater against the majority of the others instead of all against all.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap.")
@json_option
def command(
    file: Path, raters: str, classes: str | None, majority: bool, seed: int, as_json: bool
) -> None:
    """Tell how far raters agree, over any number of classes (preferences with ties).

    FILE holds one object a line, or a JSON list of objects. A value that is null, missing or none
    of --classes is no rating: such a case is counted apart and in no figure.

    \b
    Examples:
      voirdire agreement ratings.jsonl --raters ann,ben,judge --classes 1,2,tie
      voirdire agreement ratings.jsonl --raters ann,ben,eve,judge --majority --json

    Exits with 0, or 2 for bad input.
    """
    names = [name.strip() for name in raters.split(",") if name.strip()]
    if len(names) < 2 + majority:
        raise ConfigError("--raters: give two at least, or with --majority three")
    known = {part.strip() for part in classes.split(",")} if classes else None
    rows = [_ratings(row, names, known) for row in _rows(file)]
    for name in names:
        if not any(row[name] is not None for row in rows):
            raise ConfigError(f"{file}: no row has a rating in the field {name!r}")
    pairs = (
        [("the majority", names[-1], _against_majority(rows, names))]
        if majority
        else [
            (one, other, [(row[one], row[other]) for row in rows])
            for one, other in combinations(names, 2)
        ]
    )
    found = [_compared(one, other, ratings, seed) for one, other, ratings in pairs]
    if as_json:
        click.echo(dump({"file": str(file), "cases": len(rows), "pairs": found}))
        return
    for pair in found:
        click.echo(_line(pair))


def _rows(file: Path) -> Sequence[Mapping[str, Any]]:
    if file.suffix == ".json":
        try:
            value = json.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigError(f"{file}: cannot be read ({error.strerror})") from None
        except ValueError as error:
            raise ConfigError(f"{file}: is no JSON ({error})") from None
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            raise ConfigError(f"{file}: must be a list of objects")
        if not value:
            raise ConfigError(f"{file}: is empty")
        return value
    return [row for _, row in objects(file)]


def _ratings(
    row: Mapping[str, Any], names: Sequence[str], known: set[str] | None
) -> dict[str, str | None]:
    """Each rater's class as text; ``None`` where there is none."""
    found: dict[str, str | None] = {}
    for name in names:
        value = row.get(name)
        text = None if value is None or isinstance(value, (dict, list)) else str(value).strip()
        found[name] = text if text and (known is None or text in known) else None
    return found


def _against_majority(
    rows: Sequence[Mapping[str, str | None]], names: Sequence[str]
) -> list[tuple[str | None, str | None]]:
    from voirdire.stats.classes import majority

    *people, judge = names
    pairs = []
    for row in rows:
        votes = [vote for name in people if (vote := row[name]) is not None]
        pairs.append((majority(votes), row[judge]))
    return pairs


def _compared(
    one: str, other: str, ratings: Sequence[tuple[str | None, str | None]], seed: int
) -> dict[str, Any]:
    from voirdire.intervals import wilson
    from voirdire.stats.bounds import kappa_interval
    from voirdire.stats.classes import agreement, cross, kappa, strength, undefined_kappa_reason

    counts = cross((a, b) for a, b in ratings if a is not None and b is not None)
    n = sum(counts.values())
    agreed = sum(count for (a, b), count in counts.items() if a == b)
    low, high = wilson(agreed, n) if n else (None, None)
    value = kappa(counts)
    every = cross((a or "", b or "") for a, b in ratings)
    bounds = kappa_interval(counts, seed)
    return {
        "raters": [one, other],
        "n": n,
        "missing": {
            one: sum(a is None for a, _ in ratings),
            other: sum(b is None for _, b in ratings),
        },
        "agreement": {"value": agreement(counts), "low": low, "high": high},
        "kappa": {
            "value": value,
            "low": bounds.low,
            "high": bounds.high,
            "strength": None if value is None else strength(value),
            "why": undefined_kappa_reason(counts),
        },
        # Leaving the missing out flatters whoever is silent where it is hard.
        "missing_as_a_class": {"agreement": agreement(every), "kappa": kappa(every)},
        "table": [
            {"classes": list(cell), "count": count} for cell, count in sorted(counts.items())
        ],
    }


def _line(pair: Mapping[str, Any]) -> str:
    one, other = map(safe_text, pair["raters"])
    missing = ", ".join(
        f"{safe_text(name)} {count}" for name, count in pair["missing"].items() if count
    )
    rated = f"{one} and {other}: {pair['n']} cases"
    apart = f" (no rating: {missing})" if missing else ""
    if not pair["n"]:
        return f"{rated}{apart}"
    share, kappa = pair["agreement"], pair["kappa"]
    agreed = f"agreement {share['value']:.1%} [{share['low']:.1%}, {share['high']:.1%}]"
    if kappa["value"] is None:
        return f"{rated}{apart}, {agreed}, kappa undefined: {safe_text(kappa['why'])}"
    line = (
        f"{rated}{apart}, {agreed}, kappa {kappa['value']:.4f} "
        f"[{kappa['low']:.2f}, {kappa['high']:.2f}] {kappa['strength']}"
    )
    every = pair["missing_as_a_class"]
    if not missing or every["kappa"] is None:
        return line
    return (
        f"{line}; with no rating as a class of its own {every['agreement']:.1%}, "
        f"kappa {every['kappa']:.4f}"
    )
