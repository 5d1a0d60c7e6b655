"""A report's rows as a block of data inside an HTML page."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

COLUMNS = (
    "run",
    "case",
    "description",
    "model",
    "metric",
    "outcome",
    "kind",
    "reason",
    "question",
    "answer",
    "source",
    "critique",
    "evidence",
    "confidence",
    "raw",
    "label",
    "note",
)
"""What the page shows of a row."""
# Nothing in a block of data may end it or open a comment there; JSON says the same with escapes.
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def packed(rows: Iterable[Mapping[str, Any]]) -> str:
    """The rows as JSON that may stand in a ``<script type="application/json">``.

    Every text is there once, in ``texts``, and rows hold its index: many rows share a source, an
    answer or a model. A confidence is a number; what is missing is null.
    """
    texts: dict[str, int] = {}

    def value(column: str, found: Any) -> Any:
        if found is None or column == "confidence":
            return found
        if column == "evidence":
            return [texts.setdefault(str(quote), len(texts)) for quote in found]
        return texts.setdefault(str(found), len(texts))

    lines = [[value(column, row.get(column)) for column in COLUMNS] for row in rows]
    # Plain ASCII: half a character, or one that turns the text round, cannot harm the file.
    block = {"columns": COLUMNS, "texts": list(texts), "rows": lines}
    return json.dumps(block, separators=(",", ":")).translate(_ESCAPED)
