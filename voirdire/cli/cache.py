"""``voirdire cache``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from voirdire.cache.store import Store, open_store
from voirdire.cli.inputs import dump, json_option, write_lines
from voirdire.errors import ConfigError
from voirdire.jsonl import objects

_AGE = re.compile(r"(\d{1,9})\s*([smhd])\Z")
_KEY = re.compile(r"[0-9a-f]{64}")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}

_place = click.option(
    "--cache", "place", help="A file or a redis:// URL.  [default: .voirdire/cache.sqlite]"
)


@click.group("cache")
def command() -> None:
    """Look at, move and prune the verdicts that are kept.

    \b
    Examples:
      voirdire cache stats
      voirdire cache export --out verdicts.jsonl
      voirdire cache import verdicts.jsonl --cache redis://127.0.0.1:6379/0
      voirdire cache prune --older-than 30d
    """


@command.command("stats")
@_place
@json_option
def stats(place: str | None, as_json: bool) -> None:
    """Say how many verdicts are kept, and of which models."""
    models: dict[str, int] = {}
    for _, record in _items(_store(place)):
        name = str(record.get("model"))
        models[name] = models.get(name, 0) + 1
    if as_json:
        click.echo(dump({"verdicts": sum(models.values()), "models": models}))
        return
    click.echo(f"{sum(models.values())} verdicts")
    for name, count in sorted(models.items()):
        click.echo(f"  {count:>7}  {name}")


@command.command("export")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="File to write.")
@_place
def export(out: Path, place: str | None) -> None:
    """Write all verdicts as JSONL."""
    items = _items(_store(place))
    write_lines(out, ({"key": key, "record": record} for key, record in items))
    click.echo(f"{out}: {len(items)} verdicts", err=True)


@command.command("import")
@click.argument("file", type=click.Path(path_type=Path))
@_place
def import_verdicts(file: Path, place: str | None) -> None:
    """Take the verdicts of an export in; one that is kept already stays."""
    store = _store(place)
    lines = list(objects(file))
    for where, line in lines:
        key, record = line.get("key"), line.get("record")
        if not isinstance(key, str) or not _KEY.fullmatch(key) or not isinstance(record, dict):
            raise ConfigError(f"{where}: is no line of `voirdire cache export`")
    for _, line in lines:
        store.put(line["key"], line["record"])
    _must_be_there(store)
    click.echo(f"{file}: {len(lines)} verdicts", err=True)


@command.command("prune")
@click.option("--older-than", "age", required=True, help="An age: 90m, 12h, 30d.")
@_place
def prune(age: str, place: str | None) -> None:
    """Drop verdicts that were kept longer ago (a shared store drops its own by expiry)."""
    match = _AGE.match(age.strip())
    if match is None:
        raise ConfigError(f"--older-than {age}: write a number with s, m, h or d, such as 30d")
    from voirdire.cache.local import SqliteStore

    store = _store(place)
    if not isinstance(store, SqliteStore):
        raise ConfigError("a shared store drops its verdicts by expiry; there is nothing to prune")
    dropped = store.prune(int(match[1]) * _UNITS[match[2]])
    _must_be_there(store)
    click.echo(f"{dropped} verdicts dropped", err=True)


def _store(place: str | None) -> Store:
    store = open_store(place)
    if store is None:
        raise ConfigError("the cache is off; name one with --cache")
    return store


def _items(store: Store) -> list[tuple[str, Mapping[str, Any]]]:
    items = list(store.items())
    _must_be_there(store)
    return items


def _must_be_there(store: Store) -> None:
    """What grading goes without is what these commands are about; the store has said why."""
    if store.away:
        raise ConfigError("the cache could not be used; nothing that this command says would hold")
