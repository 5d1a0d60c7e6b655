"""The calls of one period, out of a journal."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.errors import ConfigError
from voirdire.journal import Damage, Entry, entries
from voirdire.sampling.period import read_time

_DECISIONS = ("pass", "fail", "cannot_decide")


class Heard(NamedTuple):
    """One answer judged, as the journal has it.

    Attributes:
        outcome: ``pass``, ``fail`` or ``cannot_decide`` as the judge said it, before its evidence
            and its confidence were checked; else the kind of judge error.
        criteria: criterion → whether it holds; empty where there is no verdict.
        judge: its spec.
        identity: what makes it that judge, as text.
        fingerprint: of all that makes a verdict, hex.
        rubric, version: the rubric's name and version.
        model: what the server said answered; may be empty.
        system: the server's own fingerprint of its system; may be empty.
        case_id, sample: whose answer, and which of its samples.
        prompt: hash of all that the judge was shown.
        sources: hashes of the sources.
        latency_ms, completion: of the call; ``None`` where they are not known.
        is_model: whether a model was asked, rather than a record or the rules.
    """

    outcome: str
    criteria: Mapping[str, bool]
    judge: str
    identity: str
    fingerprint: str
    rubric: str
    version: str
    model: str
    system: str
    case_id: str
    sample: int
    prompt: str
    sources: tuple[str, ...]
    latency_ms: float | None
    completion: float | None
    is_model: bool


class Side(NamedTuple):
    """One of the two periods.

    Attributes:
        name: what it is called in the report.
        calls: its answers in order, an unreadable reply replaced by the reply to the second try.
        left_out: calls that judge no single answer (comparisons), or were never read.
    """

    name: str
    calls: list[Heard]
    left_out: int


def read_moment(text: str, option: str) -> datetime:
    """A date, or an ISO time, given on the command line; UTC where it names no zone.

    Raises:
        ConfigError: it is neither.
    """
    try:
        return read_time(text if len(text) > 10 else f"{text}T00:00:00Z")
    except ValueError:
        raise ConfigError(f"{option} {text}: must be a date such as 2026-01-31") from None


def two_journals(one: Path, other: Path) -> tuple[Side, Side, list[Damage]]:
    """The calls of two journals.

    Raises:
        ConfigError: one is not there.
    """
    first, damages = entries(one)
    second, more = entries(other)
    return side(str(one), first), side(str(other), second), damages + more


def split_journal(path: Path, before: datetime, after: datetime) -> tuple[Side, Side, list[Damage]]:
    """The calls of one journal before a time, and those from a time on.

    Raises:
        ConfigError: the journal is not there.
    """
    found, damages = entries(path)
    early, late = [], []
    for entry in found:
        try:
            at = read_time(str(entry.call.get("at")))
        except ValueError:
            damages.append(Damage(f"{path}: {entry.call['id']}", "has no time"))
            continue
        if at < before:
            early.append(entry)
        elif at >= after:
            late.append(entry)
    return side(f"before {before:%Y-%m-%d}", early), side(f"from {after:%Y-%m-%d}", late), damages


def side(name: str, found: Iterable[Entry]) -> Side:
    """The answers that were judged among these calls."""
    calls: list[Heard] = []
    latest: dict[tuple[str, str, int], int] = {}
    left_out = 0
    for entry in found:
        heard = _heard(entry)
        if heard is None:
            left_out += 1
            continue
        place = (heard.fingerprint, heard.prompt, heard.sample)
        if _is_second_try(entry.call) and place in latest:
            calls[latest[place]] = heard
        else:
            latest[place] = len(calls)
            calls.append(heard)
    return Side(name, calls, left_out)


def _is_second_try(call: Mapping[str, Any]) -> bool:
    request = call.get("request")
    messages = request.get("messages") if isinstance(request, dict) else None
    return isinstance(messages, list) and len(messages) > 2


def _heard(entry: Entry) -> Heard | None:
    call, reading = entry.call, entry.reading
    rubric, identity = call.get("rubric"), call.get("identity")
    if reading is None or not isinstance(rubric, dict) or not isinstance(identity, dict):
        return None
    verdict = reading.get("verdict")
    outcome = str(reading.get("reading"))
    criteria: dict[str, bool] = {}
    if isinstance(verdict, dict):
        if verdict.get("verdict") not in _DECISIONS:
            return None  # a preference between two answers
        outcome = str(verdict["verdict"])
        given = verdict.get("criteria")
        if isinstance(given, dict):
            criteria = {name: value for name, value in given.items() if isinstance(value, bool)}
    usage, sources = call.get("usage"), call.get("source_sha256")
    sample = call.get("sample")
    return Heard(
        outcome=outcome,
        criteria=criteria,
        judge=_text(call.get("judge")),
        identity=json.dumps(identity, sort_keys=True),
        fingerprint=_text(call.get("fingerprint")),
        rubric=_text(rubric.get("name")),
        version=_text(rubric.get("version")),
        model=_text(call.get("model")),
        system=_system(call.get("raw")),
        case_id=_text(call.get("case_id")),
        sample=sample if isinstance(sample, int) else 0,
        prompt=_text(call.get("prompt_sha256")),
        sources=tuple(map(str, sources)) if isinstance(sources, list) else (),
        latency_ms=_number(call.get("latency_ms")) or None,  # 0: nobody was asked
        completion=_number(usage.get("completion")) if isinstance(usage, dict) else None,
        is_model="model" in identity,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> float | None:
    """A number that can be one of milliseconds or tokens."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1e12:
        return None
    return float(value)


def _system(raw: Any) -> str:
    if not isinstance(raw, str) or '"system_fingerprint"' not in raw:
        return ""
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        return ""
    return _text(body.get("system_fingerprint")) if isinstance(body, dict) else ""
