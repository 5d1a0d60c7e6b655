"""Answers for a person to label: where they come from, and which of them are drawn."""

from __future__ import annotations

import bisect
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple

from voirdire.calibration.casefile import CaseRow, json_rows, rows
from voirdire.calibration.cases import (
    FindSources,
    identity_of,
    own_sources,
    source_finder,
    text_of,
)
from voirdire.errors import ConfigError
from voirdire.journal import Damage, Entry, entries
from voirdire.promptfoo.ratings import answers, is_run
from voirdire.source import Source

STRATA: Final = ("verdict", "confidence")
_BANDS = (0.5, 0.7, 0.9)
_DECISIONS = {"pass": "pass", "fail": "fail", "cannot_decide": "undecided"}


class Candidate(NamedTuple):
    """An answer that may be labelled.

    Attributes:
        id: its name in the file of cases.
        question: what it answers, if anything.
        answer: the text to be labelled.
        own: the sources that came with it; empty where it has none of its own.
        model: who wrote it; empty where nobody knows.
        outcome: what the judge made of it; empty where nobody judged. Never shown.
        confidence: the judge's own, 0 to 1; ``None`` where it gave none.
    """

    id: str
    question: str | None
    answer: str
    own: tuple[Source, ...]
    model: str
    outcome: str
    confidence: float | None


class Label(NamedTuple):
    """What a person said of an answer.

    Attributes:
        label: ``pass`` or ``fail``.
        criteria: of each criterion, where they were asked for; empty else.
        note: why; may be empty.
    """

    label: str
    criteria: Mapping[str, bool]
    note: str


def candidates(path: Path) -> tuple[list[Candidate], list[Damage]]:
    """The answers in a run of promptfoo, in a journal, or in a file of answers, each once.

    Args:
        path: results.json, results.jsonl or the database of promptfoo; a journal; or answers as
            JSONL, YAML or CSV, with ``id``, ``question``, ``answer``, and perhaps ``source``,
            ``model``, ``outcome`` and ``confidence``.

    Raises:
        ConfigError: it cannot be read.
    """
    found: list[Candidate] = []
    damaged: list[Damage] = []
    ids: set[str] = set()
    seen: set[tuple[Any, ...]] = set()
    for item in _all(path):
        if isinstance(item, Damage):
            damaged.append(item)
            continue
        content = (item.question, item.answer, item.own)
        if content in seen:  # another sample, another order, or another model's same words
            continue
        seen.add(content)
        named = _named(item) if item.id in ids or not item.id else item
        ids.add(named.id)
        found.append(named)
    return found, damaged


def draw(
    found: Sequence[Candidate], n: int, seed: int, *, only: str | None = None, by: str | None = None
) -> list[Candidate]:
    """Some of the answers, drawn at random: the same ones for the same seed, whatever the Python.

    Args:
        found: the answers.
        n: how many, 1 or more; all where there are no more.
        seed: of the draw.
        only: only those of which the judge made this.
        by: ``verdict`` takes as many of each verdict as there are; ``confidence`` also as many of
            each band of the judge's confidence (below 0.5, 0.7, 0.9, and above).

    Raises:
        ConfigError: nobody judged them, and the draw goes by what the judge said.
    """
    if (only or by) and not any(item.outcome for item in found):
        raise ConfigError("nobody judged these answers; draw without --of and --stratify")
    pool = [item for item in found if only is None or item.outcome == only]
    ranked = sorted(pool, key=lambda item: _rank(seed, "draw", item.id))
    if by is not None:
        strata: dict[tuple[Any, ...], list[Candidate]] = {}
        for item in ranked:
            strata.setdefault(_stratum(item, by), []).append(item)
        in_turn = chain.from_iterable(zip_longest(*strata.values()))
        ranked = [item for item in in_turn if item is not None]
    # Shown in an order of its own: the turns of the strata would tell the verdict.
    return sorted(ranked[:n], key=lambda item: _rank(seed, "show", item.id))


def line_of(item: Candidate, label: Label) -> dict[str, Any]:
    """A line for the file of cases; a source that all share is not repeated in it."""
    fields: dict[str, Any] = {"id": item.id, "question": item.question, "answer": item.answer}
    if item.own:
        fields["source"] = [source._asdict() for source in item.own]
    fields["label"] = label.label
    if label.criteria:
        fields["criteria"] = dict(label.criteria)
    fields["note"] = label.note
    if item.model:
        fields["model"] = item.model
    return fields


def labelled_ids(path: Path) -> set[str]:
    """The ids in a file of cases that may not be there yet.

    Raises:
        ConfigError: it cannot be read.
    """
    if not path.exists():
        return set()
    found = (row.fields for row in json_rows(path) if isinstance(row, CaseRow))
    return {str(fields.get("id")) for fields in found}


def _all(path: Path) -> Iterator[Candidate | Damage]:
    if is_run(path):
        yield from _of_run(path)
    elif _is_journal(path):
        calls, damaged = entries(path)
        yield from damaged
        yield from filter(None, map(_of_call, calls))
    else:
        find_sources = source_finder(path.parent, ())
        for row in rows(path):
            yield row if isinstance(row, Damage) else _of_row(row, find_sources)


def _of_run(path: Path) -> Iterator[Candidate | Damage]:
    for item in answers(path, [path.parent, Path()]):
        if isinstance(item, Damage):
            yield item
        elif item.fault:
            yield Damage(item.where, item.fault)
        else:
            yield Candidate(
                item.id,
                item.question,
                item.answer,
                item.sources,
                item.model,
                item.outcome,
                item.confidence,
            )


def _is_journal(path: Path) -> bool:
    if path.suffix.lower() != ".jsonl" or not path.is_file():
        return False
    first = next((row for row in json_rows(path) if isinstance(row, CaseRow)), None)
    return first is not None and {"type", "id", "at"} <= first.fields.keys()


def _of_call(entry: Entry) -> Candidate | None:
    """What a call showed to the judge; ``None`` where it was no question about one answer."""
    try:
        shown = json.loads(entry.call["request"]["messages"][1]["content"])
        question, answer = shown["question"], shown["answer"]
        own = own_sources(shown["source"])
    except (ConfigError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        return None
    if not isinstance(answer, str) or not isinstance(question, (str, type(None))):
        return None
    identity = entry.call.get("case_id")
    said = (entry.reading or {}).get("verdict")
    said = said if isinstance(said, dict) else {}
    return Candidate(
        id=identity if isinstance(identity, str) else "",
        question=question,
        answer=answer,
        own=own,
        model="",
        outcome=_DECISIONS.get(str(said.get("verdict")), "judge_error"),
        confidence=_number(said.get("confidence")),
    )


def _of_row(row: CaseRow, find_sources: FindSources) -> Candidate | Damage:
    fields = row.fields
    try:
        answer = text_of(fields, "answer")
        if answer is None:
            raise ConfigError("has no `answer`")
        return Candidate(
            id=identity_of(fields),
            question=text_of(fields, "question"),
            answer=answer,
            own=find_sources(fields),
            model=text_of(fields, "model") or "",
            outcome=text_of(fields, "outcome") or "",
            confidence=_number(fields.get("confidence")),
        )
    except ConfigError as error:
        return Damage(row.where, str(error))


def _named(item: Candidate) -> Candidate:
    """The answer by a name from its content, which another answer to the test cannot have."""
    content = json.dumps([item.question, item.answer, item.own])
    short = hashlib.sha256(content.encode("ascii")).hexdigest()[:12]
    return item._replace(id=f"{item.id}-{short}" if item.id else short)


def _stratum(item: Candidate, by: str) -> tuple[Any, ...]:
    if by == "verdict":
        return (item.outcome,)
    sure = item.confidence
    return item.outcome, -1 if sure is None else bisect.bisect(_BANDS, sure)


def _rank(seed: int, use: str, identity: str) -> bytes:
    text = f"{seed} {use} {identity}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _number(value: Any) -> float | None:
    try:
        return None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
