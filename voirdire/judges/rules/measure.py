"""Measure a judge by rule on minimal pairs: changed facts caught, false alarms raised."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from voirdire.errors import ConfigError
from voirdire.judges.base import Ask
from voirdire.judges.rules.judge import VERSION, RulesJudge
from voirdire.prompt import Prompt
from voirdire.source import Source


def read_pairs(path: Path) -> list[Mapping[str, Any]]:
    """The pairs of a JSONL file.

    Raises:
        ConfigError: the file cannot be read, or a line is no pair.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path}: cannot be read ({error}); name a JSONL file of pairs"
        ) from error
    pairs = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            pair = json.loads(line)
            _ = [pair[key] for key in ("id", "kind", "question", "answer_same", "answer_changed")]
            _ = [(source["id"], source["text"]) for source in pair["sources"]]
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(
                f"{path}, line {number}: is no pair ({error!r}); give it id, kind, sources, "
                "question, answer_same and answer_changed"
            ) from error
        pairs.append(pair)
    return pairs


def verdict_on(pair: Mapping[str, Any], answer: str) -> dict[str, Any]:
    """The rules' verdict on one answer of a pair, under the one criterion ``grounded``."""
    ask = Ask(
        prompt=Prompt("", "", ()),
        schema={},
        rubric_criteria=("grounded",),
        sources=tuple(Source(source["id"], source["text"]) for source in pair["sources"]),
        question=pair["question"],
        answer=answer,
    )
    verdict: dict[str, Any] = json.loads(RulesJudge().ask(ask).text or "")
    return verdict


def measure(pairs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Counts per kind and in total.

    Returns:
        ``{"version", "kinds": {kind: counts}, "total": counts}``, where the counts are ``pairs``,
        ``caught`` (changed answers that failed), ``false_alarms`` (same answers that failed),
        ``passed`` (same answers that passed; the others were not decided), ``missed`` and
        ``alarmed`` (ids).
    """
    kinds: dict[str, dict[str, Any]] = {}
    total = _counts()
    for pair in pairs:
        changed = verdict_on(pair, pair["answer_changed"])["verdict"]
        same = verdict_on(pair, pair["answer_same"])["verdict"]
        for counts in (kinds.setdefault(pair["kind"], _counts()), total):
            counts["pairs"] += 1
            counts["passed"] += same == "pass"
            if changed == "fail":
                counts["caught"] += 1
            else:
                counts["missed"].append(pair["id"])
            if same == "fail":
                counts["false_alarms"] += 1
                counts["alarmed"].append(pair["id"])
    return {"version": VERSION, "kinds": kinds, "total": total}


def _counts() -> dict[str, Any]:
    return {"pairs": 0, "caught": 0, "false_alarms": 0, "passed": 0, "missed": [], "alarmed": []}


def render(measured: Mapping[str, Any]) -> str:
    """The counts as a table for people."""
    rows = [f"{'kind':<14} {'caught':>10} {'false alarms':>13} {'passed':>10}"]
    for kind, counts in [*measured["kinds"].items(), ("total", measured["total"])]:
        of = counts["pairs"]
        rows.append(
            f"{kind:<14} {counts['caught']:>6}/{of:<3} {counts['false_alarms']:>9}/{of:<3} "
            f"{counts['passed']:>6}/{of:<3}"
        )
    total = measured["total"]
    if total["pairs"]:
        rows.append(
            f"{total['caught'] / total['pairs']:.1%} of changed facts caught, "
            f"{total['false_alarms'] / total['pairs']:.1%} false alarms"
        )
    for name in ("missed", "alarmed"):
        if total[name]:
            rows.append(f"{name}: {', '.join(total[name])}")
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the measurement of a pairs file; 0 once measured, 2 for a file that cannot be read."""
    parser = argparse.ArgumentParser(
        description="Measure the rules judge on minimal pairs.",
        epilog="example: python scripts/measure_rules.py golden/pairs/dev.jsonl",
    )
    parser.add_argument("pairs", type=Path, help="JSONL: sources, question, two answers, kind")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    options = parser.parse_args(arguments)
    try:
        measured = measure(read_pairs(options.pairs))
    except ConfigError as error:
        parser.exit(2, f"{error}\n")
    print(json.dumps(measured, indent=2) if options.json else render(measured))
    return 0
