"""A suite's pass rates, corrected for the measured errors of the judge that graded it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from voirdire.certificate import load
from voirdire.errors import ConfigError
from voirdire.grade import Setup
from voirdire.promptfoo.results import graded_by
from voirdire.stats.corrected import Corrected, corrected
from voirdire.stats.table import Table

INVERTED = "The suite inverts the verdicts that the certificate speaks of."
"""Why there is no corrected rate under a ``not-`` assertion."""


def corrected_rates(results: Path, certificate: Path) -> list[dict[str, Any]]:
    """The pass rate of each model under each metric that the certified judge graded.

    Args:
        results: promptfoo's ``results.json``.
        certificate: of the judge; grades of other judges are left out.

    Returns:
        A row a model and metric: ``cases``, ``decided``, ``passed``, ``undecided``, ``errors``
        and ``corrected`` (``value``, ``low``, ``high``, or why it is ``refused``).

    Raises:
        ConfigError: a file cannot be read, or the certificate holds no calibration.
    """
    found = load(certificate)
    if found["calibration"] is None:
        raise ConfigError(f"{certificate}: holds no calibration; run voirdire calibrate")
    try:
        labels = Table(**found["calibration"]["confusion"])
        impossible = not all(type(count) is int and count >= 0 for count in labels)
    except (KeyError, TypeError):
        impossible = True
    if impossible:
        raise ConfigError(f"{certificate}: its confusion table is damaged; calibrate anew")
    setup = {name: found["judge"][name] for name in Setup._fields}
    counts: dict[tuple[str, str], Counter[str]] = {}
    inverted = set()
    for model, grade in graded_by(results):
        # Not by the verdict's own fingerprint: where the rules decided beforehand, it is theirs.
        if grade.record.get("setup") == setup:
            row = model, grade.metric
            counts.setdefault(row, Counter())[grade.record["outcome"]] += 1
            if grade.inverted:
                inverted.add(row)
    rows = []
    for (model, metric), outcomes in sorted(counts.items()):
        decided = outcomes["pass"] + outcomes["fail"]
        rate = (
            Corrected(None, None, None, INVERTED)
            if (model, metric) in inverted
            else corrected(outcomes["pass"], decided, labels)
        )
        rows.append(
            {
                "model": model,
                "metric": metric,
                "cases": sum(outcomes.values()),
                "decided": decided,
                "passed": outcomes["pass"],
                "undecided": outcomes["undecided"],
                "errors": outcomes["judge_error"],
                "corrected": rate._asdict(),
            }
        )
    return rows
