"""Labelled cases from the ratings that people gave in promptfoo's viewer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from voirdire.calibration.casefile import CaseRow
from voirdire.journal import Damage
from voirdire.promptfoo.ratings import Answered, answers


def rated_rows(path: Path, has_sources: bool) -> Iterator[CaseRow | Damage]:
    """The rated answers of a run, as rows of a cases file.

    Args:
        path: the run.
        has_sources: whether sources are given for answers whose own cannot be read.

    Raises:
        ConfigError: the run cannot be read.
    """
    # The suite lies beside its results; its database lies in the user's home.
    for item in answers(path, [path.parent, Path()], rated=True):
        if isinstance(item, Damage):
            yield item
        elif item.fault and not has_sources:
            yield Damage(item.where, f"{item.fault}; or start where the suite lies")
        else:
            yield CaseRow(item.where, row_fields(item))


def row_fields(item: Answered) -> dict[str, Any]:
    """An answer as the fields of a labelled case; the label is missing where nobody rated it."""
    fields: dict[str, Any] = {
        "id": item.id,
        "question": item.question,
        "answer": item.answer,
        "model": item.model or None,
        "note": item.comment or None,
        "label": item.rating or None,
    }
    if item.sources:
        fields["source"] = [source._asdict() for source in item.sources]
    return {name: value for name, value in fields.items() if value is not None}
