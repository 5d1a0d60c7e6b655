"""A sample of each period's answers, the same whenever it is drawn."""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.calibration.cases import own_sources
from voirdire.errors import ConfigError
from voirdire.grade import Case
from voirdire.jsonl import objects
from voirdire.sampling.period import period_of, read_time
from voirdire.source import Source, text_hash


class Drawn(NamedTuple):
    """The answers drawn from one period.

    Attributes:
        period: its name.
        cases: the answers, in the order of their draw.
        of: how many answers the log holds of the period.
        sha256: hash of what was drawn, hex: another sample is another hash.
    """

    period: str
    cases: tuple[Case, ...]
    of: int
    sha256: str


def draw(path: Path, *, n: int, per: str, seed: int, sources: Sequence[Source] = ()) -> list[Drawn]:
    """Draw up to ``n`` answers of each period.

    Each line has a rank of its own, the hash of the seed and of its content, and the first ``n``
    ranks of a period are its sample. So neither the order of the lines nor what is appended for
    later periods changes it. A line that stands twice (a log that was shipped twice) counts once.

    Args:
        path: JSONL, ``{"id", "at", "question", "answer", "source"?}`` a line.
        n: how many, 1 or more.
        per: one of ``PERIODS``.
        seed: another seed is another sample.
        sources: for the lines that bring none.

    Raises:
        ConfigError: the log cannot be read, or a line is wrong.
    """
    kept: dict[str, list[tuple[int, str, Mapping[str, Any]]]] = {}
    counts: dict[str, int] = {}
    seen: dict[str, bytes] = {}
    for where, value in objects(path):
        identity, period = _checked(value, where, per, shared=bool(sources))
        content = json.dumps(value, sort_keys=True)
        digest = hashlib.sha256(f"{seed}\n{content}".encode()).digest()
        if identity in seen:
            if seen[identity] == digest:
                continue
            raise ConfigError(
                f"{where}: the id {identity!r} stands twice, with other content; "
                "give each answer its own"
            )
        seen[identity] = digest
        counts[period] = counts.get(period, 0) + 1
        heap = kept.setdefault(period, [])
        # The largest rank is thrown out first, hence the sign.
        entry = (-int.from_bytes(digest, "big"), where, value)
        if len(heap) < n:
            heapq.heappush(heap, entry)
        else:
            heapq.heappushpop(heap, entry)
    return [_drawn(period, kept[period], counts[period], sources) for period in sorted(kept)]


def _checked(value: Mapping[str, Any], where: str, per: str, *, shared: bool) -> tuple[str, str]:
    for name in ("id", "at", "answer"):
        if not isinstance(value.get(name), str):
            raise ConfigError(f"{where}: `{name}` must be text; a line has id, at and answer")
    if not isinstance(value.get("question"), (str, type(None))):
        raise ConfigError(f"{where}: `question` must be text")
    if value.get("source") is None and not shared:
        raise ConfigError(f"{where}: no source of truth; add --source FILE or a `source` here")
    try:
        return value["id"], period_of(read_time(value["at"]), per)
    except ValueError:
        raise ConfigError(
            f"{where}: `at` must be an ISO time such as 2026-01-31T09:30:00Z, not "
            f"{value['at'][:40]!r}"
        ) from None


def _drawn(
    period: str,
    entries: list[tuple[int, str, Mapping[str, Any]]],
    of: int,
    shared: Sequence[Source],
) -> Drawn:
    entries = sorted(entries, reverse=True)
    cases = tuple(_case(value, where, shared) for _, where, value in entries)
    return Drawn(period, cases, of, text_hash(" ".join(str(-rank) for rank, _, _ in entries)))


def _case(value: Mapping[str, Any], where: str, shared: Sequence[Source]) -> Case:
    own = value.get("source")
    try:
        sources = tuple(shared) if own is None else own_sources(own)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    return Case(sources, value.get("question"), value["answer"], value["id"])
