"""What a run leaves: promptfoo's results, and the report on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from voirdire.promptfoo.runs import open_runs
from voirdire.promptfoo.written import Header, write
from voirdire.runs.comparison import Plan
from voirdire.runs.done import Done
from voirdire.wholefile import write_whole


def write_results(path: Path, plan: Plan, done: Sequence[Done], cases: Path) -> str:
    """Write promptfoo's results file.

    Args:
        path: the file.
        plan: what was compared.
        done: all pairs.
        cases: the file of the questions, for the results' description.

    Returns:
        The eval's id.

    Raises:
        ConfigError: it cannot be written.
    """
    header = Header(
        description=f"voirdire run {cases.name}",
        models=[model.spec for model in plan.models],
        template=plan.template.text,
        metric=plan.rubric.name,
        judge=plan.judge.spec,
    )
    return write(path, header, done, plan.template.filled)


def write_report(results: Path, path: Path) -> None:
    """Write the report on a results file, an HTML page.

    Args:
        results: the file.
        path: the page.

    Raises:
        ConfigError: one cannot be read, or the other not be written.
    """
    from voirdire.report.page import page
    from voirdire.report.report import make_report

    write_whole(path, page(make_report(open_runs([results]))))
