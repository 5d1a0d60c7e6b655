"""The grades that people look at one by one: with their texts, and no more than a page bears."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from voirdire.promptfoo.graded import Graded
from voirdire.promptfoo.grades import Grade
from voirdire.promptfoo.shaped import as_number
from voirdire.report.labels import Labels

MOST = 10_000
"""Grades that are kept; those that failed, or that a person saw otherwise, before the others."""
LONGEST = 20_000
"""Characters that are kept of a text."""
_MOST_TEXT = 50_000_000  # characters of all texts together; passes fill no more than half
_USER = "\n[user]\n"


class Rows:
    """Keeps the grades that are worth looking at.

    Args:
        labels: what people said.
        most: how many are kept.
    """

    def __init__(self, labels: Labels, most: int = MOST) -> None:
        self._labels = labels
        self._most = most
        self._first: list[tuple[int, dict[str, Any]]] = []
        self._others: list[tuple[int, dict[str, Any]]] = []
        self._sources: dict[str, str | None] = {}
        self._text = 0
        self.seen = 0

    def add(self, run: str, answer: Graded) -> None:
        """Look at an answer's grades."""
        label, note = self._labels.of(answer)
        for grade in answer.grades:
            self.seen += 1
            said = label if grade.judged else None
            plain = grade.outcome == "pass" and said in (None, "pass")
            kept = self._others if plain else self._first
            if len(kept) >= self._most or self._text > _MOST_TEXT // (1 + plain):
                continue
            row = self._row(run, answer, grade)
            row |= {"label": said, "note": note if said else None}
            self._text += sum(
                len(value)
                for name, value in row.items()
                if isinstance(value, str) and name != "source"
            )
            kept.append((self.seen, row))

    def kept(self, names: dict[tuple[str, str, int], str]) -> list[dict[str, Any]]:
        """The rows in the order in which they were met, their models called by ``names``."""
        room = max(self._most - len(self._first), 0)
        found = sorted([*self._first, *self._others[:room]], key=lambda item: item[0])
        rows = [row for _, row in found]
        for row in rows:
            row["model"] = names[row["run"], row["model"], row.pop("prompt")]
        return rows

    def _row(self, run: str, answer: Graded, grade: Grade) -> dict[str, Any]:
        verdict = grade.record.get("verdict")
        verdict = verdict if isinstance(verdict, dict) else {}
        return {
            "run": run,
            "case": answer.case,
            "description": answer.description,
            "model": answer.model,
            "prompt": answer.prompt,
            "metric": grade.metric,
            "outcome": grade.outcome,
            "kind": grade.kind,
            "reason": _cut(grade.reason),
            "question": _cut(answer.question),
            "answer": _cut(answer.answer or ""),
            "source": self._source(grade),
            "critique": _cut(str(verdict.get("critique") or grade.reason)),
            "evidence": [_cut(quote) for quote in _quotes(verdict)],
            "confidence": as_number(verdict.get("confidence")),
            "raw": _cut(grade.raw) or None,
        }

    def _source(self, grade: Grade) -> str | None:
        """The documents that the judge was shown; each text is kept once."""
        if not grade.record or not grade.shown:
            return None
        hashes = json.dumps(grade.record.get("source_sha256"))
        if hashes not in self._sources:
            found = _shown_source(grade.shown)
            if found is None:
                return None
            self._text += len(found)
            self._sources[hashes] = found
        return self._sources[hashes]


def _shown_source(prompt: str) -> str | None:
    at = prompt.find(_USER)
    if at < 0:
        return None
    try:
        data, _ = json.JSONDecoder().raw_decode(prompt, at + len(_USER))
        documents = data["source"]
        texts = [f"[{one['id']}]\n{one['text']}" for one in documents]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return _cut("\n\n".join(texts)) or None


def _quotes(verdict: Mapping[str, Any]) -> list[str]:
    """What the judge quotes: its evidence, or both sides of each claim."""
    found = verdict.get("evidence")
    quotes: list[Any] = list(found) if isinstance(found, list) else []
    claims = verdict.get("claims")
    for claim in claims if isinstance(claims, list) else ():
        if isinstance(claim, dict):
            quotes += [claim.get("answer_quote"), claim.get("source_quote")]
    return [quote for quote in quotes if isinstance(quote, str) and quote]


def _cut(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[:LONGEST]}… ({len(text) - LONGEST:,} characters more)"
