"""``voirdire read``."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from voirdire.cli.inputs import (
    dump,
    inline_sources,
    json_option,
    policy_option,
    rubric_option,
    text_field,
)
from voirdire.errors import ConfigError
from voirdire.jsonl import objects
from voirdire.reading import Reading, read
from voirdire.reply import Reply, Usage
from voirdire.rubric import Rubric, load_rubric
from voirdire.ruling import rule


@click.command("read")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@rubric_option
@policy_option
@click.option("--finish-reason", default="stop", show_default=True, help="For a single reply.")
@click.option(
    "--jsonl",
    "jsonl_file",
    type=click.Path(path_type=Path),
    help="Many replies, one object a line; - is standard input.",
)
@json_option
def command(
    file: Path | None,
    rubric: Path,
    policy: str,
    finish_reason: str,
    jsonl_file: Path | None,
    as_json: bool,
) -> None:
    """Read raw judge replies: a verdict, or the kind of fault they have.

    FILE holds one raw reply; without it, it is read from standard input. No judge is asked.

    A line of --jsonl is {"id", "reply", "finish_reason"}; it may hold "refusal", "reasoning"
    and "usage", and with "answer" and "source" the ruling is given too.

    \b
    Examples:
      voirdire read reply.txt --rubric rubric.yaml
      pbpaste | voirdire read --rubric rubric.yaml --policy tolerant
      voirdire read --jsonl replies.jsonl --rubric rubric.yaml --json

    Exits with 0 whatever the replies say, 2 for bad input.
    """
    loaded = load_rubric(rubric)
    if file is not None and jsonl_file is not None:
        raise ConfigError("give either FILE or --jsonl, not both")
    if jsonl_file is None:
        results = [_one(_single(file, finish_reason), None, loaded, policy)]
    else:
        lines = [(_reply(value, where), value, where) for where, value in objects(jsonl_file)]
        results = [
            {
                **_one(reply, value.get("id"), loaded, policy),
                **_ruling(reply, value, where, loaded, policy),
            }
            for reply, value, where in lines
        ]
    for result in results:
        click.echo(dump(result) if as_json else _for_people(result))


def _single(file: Path | None, finish_reason: str) -> Reply:
    try:
        data = sys.stdin.buffer.read() if file is None or str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read ({error.strerror})") from None
    return Reply(text=data.decode("utf-8", "replace"), finish_reason=finish_reason)


def _reply(value: Mapping[str, Any], where: str) -> Reply:
    if "reply" not in value:
        raise ConfigError(f"{where}: has no `reply`; null stands for none")
    usage = value.get("usage") or {}
    if not isinstance(usage, dict):
        raise ConfigError(f"{where}: `usage` must be an object")
    return Reply(
        text=text_field(value, "reply", where),
        finish_reason=text_field(value, "finish_reason", where),
        refusal=text_field(value, "refusal", where),
        reasoning=text_field(value, "reasoning", where),
        usage=_usage(usage),
        max_tokens=_count(value.get("max_tokens")),
    )


def _usage(usage: Mapping[str, Any]) -> Usage:
    """Token counts under our names or those of the OpenAI API."""
    details = usage.get("completion_tokens_details")
    thought = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return Usage(
        prompt=_count(usage.get("prompt", usage.get("prompt_tokens"))),
        completion=_count(usage.get("completion", usage.get("completion_tokens"))),
        reasoning=_count(usage.get("reasoning", usage.get("reasoning_tokens", thought))),
    )


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _one(reply: Reply, identity: Any, rubric: Rubric, policy: str) -> dict[str, Any]:
    reading = read(reply, rubric.criterion_names, policy)
    return {
        "id": identity,
        "reading": reading.kind,
        "verdict": reading.verdict.to_json() if reading.verdict else None,
        "normalisations": list(reading.normalisations),
        "detail": reading.detail,
    }


def _ruling(
    reply: Reply, value: Mapping[str, Any], where: str, rubric: Rubric, policy: str
) -> dict[str, Any]:
    answer = text_field(value, "answer", where)
    if answer is None or value.get("source") is None:
        return {}
    sources = inline_sources(value["source"], where)
    reading: Reading = read(reply, rubric.criterion_names, policy)
    if reading.verdict is None:
        return {"ruling": None}
    ruling = rule(reading.verdict, rubric, sources, answer)
    return {"ruling": ruling.outcome, "ruling_kind": ruling.kind, "ruling_detail": ruling.detail}


def _for_people(result: Mapping[str, Any]) -> str:
    name = f"{result['id']}: " if result["id"] is not None else ""
    if result["verdict"] is None:
        return f"{name}{result['reading']}: {result['detail']}"
    aside = (
        f" (set aside: {', '.join(result['normalisations'])})" if result["normalisations"] else ""
    )
    decision = result["verdict"]["verdict"]
    ruling = result.get("ruling")
    ruled = f" → {ruling}: {result['ruling_detail']}" if ruling else ""
    shown = json.dumps(result["verdict"], indent=2, ensure_ascii=False) if not name else ""
    return f"{name}verdict: {decision}{aside}{ruled}" + (f"\n{shown}" if shown else "")
