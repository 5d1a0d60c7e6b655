"""What the tests of the statistics share."""

from __future__ import annotations

from hypothesis import strategies as st

from voirdire.stats.table import Table

TABLES = st.builds(Table, *[st.integers(0, 60)] * 4)


def expanded(table: Table) -> tuple[list[str], list[str]]:
    """Labels and verdicts, one a case."""
    cells = (("fail", "fail"), ("fail", "pass"), ("pass", "fail"), ("pass", "pass"))
    rows = [cell for cell, count in zip(cells, table, strict=True) for _ in range(count)]
    return [label for label, _ in rows], [verdict for _, verdict in rows]
