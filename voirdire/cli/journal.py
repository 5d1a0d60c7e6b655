"""``voirdire journal``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from voirdire.cli.inputs import dump, journal_option, journal_path, json_option, write_lines
from voirdire.errors import ConfigError
from voirdire.journal import Entry, entries


@click.group("journal")
def command() -> None:
    """List, show and export the calls that were made.

    \b
    Examples:
      voirdire journal list
      voirdire journal list --unreadable --json
      voirdire journal show 01a23026fc37-2912f2a6b4bf
      voirdire journal export --replay --out recorded.jsonl
    """


@command.command("list")
@click.option("--unreadable", is_flag=True, help="Only calls whose reply could not be read.")
@click.option("--last", type=click.IntRange(min=1), help="Only so many, the latest.")
@journal_option
@json_option
def list_calls(unreadable: bool, last: int | None, journal: Path | None, as_json: bool) -> None:
    """List the calls, oldest first."""
    found = [
        entry
        for entry in _entries(journal)
        if not unreadable or _reading(entry) not in ("verdict", "not read")
    ]
    for entry in found[-last:] if last else found:
        if as_json:
            click.echo(dump(_brief(entry)))
        else:
            brief = _brief(entry)
            case = f"  case {brief['case_id']}" if brief["case_id"] else ""
            click.echo(
                f"{brief['id']}  {brief['at']}  {brief['reading']:<15} {brief['judge']}{case}"
            )
    if not found and not as_json:
        click.echo("no such calls", err=True)


@command.command("show")
@click.argument("identity", metavar="ID")
@journal_option
@json_option
def show(identity: str, journal: Path | None, as_json: bool) -> None:
    """Show one call whole: what was asked, what came back, raw, and how it was read.

    The beginning of an ID is enough where only one call has it.
    """
    found = [entry for entry in _entries(journal) if entry.call["id"].startswith(identity)]
    if len(found) != 1:
        how = "no call" if not found else f"{len(found)} calls"
        raise ConfigError(f"{how} with an id that begins with {identity!r}; see `journal list`")
    call, reading = dict(found[0].call), found[0].reading
    if as_json:
        click.echo(dump({"call": call, "reading": reading}))
        return
    messages = _messages(call)
    raw, reply = call.pop("raw", ""), call.pop("reply", None)
    call.pop("request", None)
    for key, value in call.items():
        click.echo(f"{key}: {value if isinstance(value, str) else json.dumps(value)}")
    for message in messages:
        click.echo(f"\n[{message.get('role')}]\n{message.get('content')}")
    click.echo(f"\n[reply]\n{reply}\n\n[raw]\n{raw}\n")
    click.echo(f"[reading]\n{json.dumps(reading, indent=2)}")


@command.command("export")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="File to write.")
@click.option(
    "--replay",
    is_flag=True,
    help="As recorded replies, for --judge replay:FILE; JSONL of calls else.",
)
@journal_option
def export(out: Path, replay: bool, journal: Path | None) -> None:
    """Export the calls with their readings, as JSONL.

    With --replay, the latest reply to each prompt; calls that brought none are left out, and
    said so.
    """
    found = _entries(journal)
    lines = _replies(found) if replay else [{"call": e.call, "reading": e.reading} for e in found]
    write_lines(out, lines)
    left = f", {len(found) - len(lines)} calls left out" if replay else ""
    click.echo(f"{out}: {len(lines)} lines{left}", err=True)


def _entries(journal: Path | None) -> list[Entry]:
    found, damages = entries(journal_path(journal))
    for damage in damages:
        click.echo(f"voirdire: {damage.where}: {damage.why}; left out", err=True)
    return found


def _messages(call: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What was asked; a journal is a file, and anybody may have written into it."""
    request = call.get("request")
    messages = request.get("messages") if isinstance(request, dict) else None
    return (
        [item for item in messages if isinstance(item, dict)] if isinstance(messages, list) else []
    )


def _reading(entry: Entry) -> str:
    return str(entry.reading.get("reading")) if entry.reading else "not read"


def _brief(entry: Entry) -> dict[str, Any]:
    call = entry.call
    return {
        "id": call["id"],
        "at": call.get("at"),
        "judge": call.get("judge"),
        "case_id": call.get("case_id"),
        "reading": _reading(entry),
        "finish_reason": call.get("finish_reason"),
        "usage": call.get("usage"),
        "canned": call.get("canned"),
    }


def _replies(found: list[Entry]) -> list[dict[str, Any]]:
    latest: dict[tuple[str, int], dict[str, Any]] = {}
    for entry in found:
        call = entry.call
        prompt = call.get("prompt_sha256")
        # No reply, or the reply to another prompt: a re-ask has messages of its own.
        if "error" in call or len(_messages(call)) != 2 or not isinstance(prompt, str):
            continue
        sample = call.get("sample")
        sample = sample if isinstance(sample, int) else 0
        latest[prompt, sample] = {
            "prompt_sha256": prompt,
            "sample": sample,
            "case_id": call.get("case_id"),
            **{
                key: call.get(key)
                for key in (
                    "reply",
                    "finish_reason",
                    "refusal",
                    "reasoning",
                    "usage",
                    "model",
                    "max_tokens",
                )
            },
            "origin": f"recorded from {call.get('judge')} at {call.get('at')}",
        }
    return list(latest.values())
