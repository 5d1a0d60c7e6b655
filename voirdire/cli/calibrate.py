"""``voirdire calibrate``."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voirdire.cli.inputs import (
    Asking,
    asking_options,
    dump,
    json_option,
    read_sources,
    rubric_facts,
    source_option,
)
from voirdire.cli.outputs import see_certificate
from voirdire.grade import ORDERS, Outcome, fingerprint
from voirdire.journal import Journal
from voirdire.judges.base import Judge
from voirdire.judges.spec import make_judge
from voirdire.plaintext import one_line
from voirdire.quorum import read_quorum
from voirdire.record import judge_facts
from voirdire.reply import Usage
from voirdire.rubric import Rubric, load_rubric
from voirdire.wholefile import write_whole

if TYPE_CHECKING:
    from voirdire.calibration.comparison import Measured
    from voirdire.calibration.labelled import Judged, Labelled

SHOWN = 20
"""Warnings of one kind that are shown; the report has all duplicates."""


@click.command("calibrate")
@click.argument("cases_file", metavar="CASES", type=click.Path(path_type=Path))
@click.option(
    "--rubric",
    type=click.Path(path_type=Path),
    help="The rubric, a YAML file.  [default: rubric.yaml beside CASES]",
)
@source_option
@asking_options
@click.option(
    "--compare", "others", multiple=True, metavar="SPEC", help="Another judge. May be repeated."
)
@click.option("--samples", type=int, help="Ask so often; the samples differ by seed.")
@click.option("--quorum", type=int, help="How many samples must agree.  [default: a majority]")
@click.option("--order", type=click.Choice(ORDERS), default="source_first", show_default=True)
@click.option(
    "--precheck", type=click.Choice(["rules"]), help="Ask the rules first; their fail is final."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the bootstrap.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the report, JSON.")
@click.option(
    "--certificate",
    type=click.Path(path_type=Path),
    help="Write the judge's certificate, e.g. voirdire.certificate.json.",
)
@json_option
def command(
    cases_file: Path,
    rubric: Path | None,
    sources: tuple[Path, ...],
    asking: Asking,
    others: tuple[str, ...],
    samples: int | None,
    quorum: int | None,
    order: str,
    precheck: str | None,
    seed: int,
    out: Path | None,
    certificate: Path | None,
    as_json: bool,
) -> int:
    """Compare a judge with people: how far is it to be trusted?

    CASES holds answers that people have labelled: JSON lines, YAML or CSV with id, question,
    answer, label (pass or fail), source, and perhaps criteria, note, second (another person's
    label), tags and model; or promptfoo results with ratings from its viewer.

    A verdict that the judge did not give is in no figure: it is counted apart, with what the
    figures would be had each gone the wrong way. No certificate is written as long as cases got
    no reply at all (a spent budget, a judge that cannot be reached): start it again, the verdicts
    so far are kept.

    \b
    Examples:
      voirdire calibrate golden/kitebase/cases.jsonl --judge replay
      voirdire calibrate cases.csv --rubric rubric.yaml --source help.md \\
          --judge openai:MODEL --compare anthropic:MODEL --certificate voirdire.certificate.json
      voirdire calibrate cases.jsonl --judge rules --json | jq .kappa

    \b
    Exit codes: 0 measured, whatever the figures (voirdire gate judges them); 1 no case was
    decided, or the certificate was not written; 2 bad input.
    """
    from voirdire.calibration.cases import beside, load_cases, sources_sha256
    from voirdire.calibration.comparison import Measured, compared
    from voirdire.calibration.show import terminal

    around = beside(cases_file)
    see_certificate([out], certificate)
    loaded = load_cases(cases_file, sources=read_sources(sources) if sources else None)
    loaded_rubric = load_rubric(rubric or around.rubric)
    _warn([f"{damage.where}: {damage.why}; left out" for damage in loaded.damaged])
    _warn(loaded.duplicates)
    _warn(_other_criteria(loaded.cases, loaded_rubric))
    votes = read_quorum(samples, quorum, "--")
    first = make_judge("rules") if precheck else None

    def judged(judge: Judge) -> Sequence[Judged]:
        from voirdire.calibration.judging import judge_cases

        return judge_cases(
            loaded.cases,
            loaded_rubric,
            judge,
            asking.journal,
            policy=asking.policy,
            memory=asking.memory,
            quorum=votes,
            order=order,
            precheck=first,
            in_flight=asking.in_flight,
            on_judged=_Progress(judge, len(loaded.cases)).count,
        )

    copies = len(loaded.cases) - len(loaded.distinct)
    measured = []
    for one in (asking.spec, *others):
        judge = asking.judge(f"replay:{around.replies}" if one == "replay" else one)
        rows = judged(judge)
        found = _report(rows, judge, loaded_rubric, asking.policy, seed, copies)
        measured.append(Measured(judge.spec, rows, found))
    report = {
        **measured[0].report,
        "baselines": _baselines(measured[0], loaded_rubric, asking.journal, seed),
        "comparison": compared(measured) if others else None,
    }
    report["cases"] |= {
        "path": str(cases_file),
        "sha256": loaded.sha256,
        "sources_sha256": sources_sha256(loaded.cases),
        "damaged": len(loaded.damaged),
        "distinct": {
            "n": len(loaded.distinct),
            "fails": sum(one.label == "fail" for one in loaded.distinct),
        },
        "duplicates": loaded.duplicates,
    }
    if out is not None:
        write_whole(out, json.dumps(report, indent=1) + "\n")
    withheld = _withheld(measured[0])
    if certificate is not None and withheld:
        click.echo(f"warning: {certificate} was not written: {withheld}", err=True)
    elif certificate is not None:
        judge_record = {
            "spec": report["judge"],
            "fingerprint": report["fingerprint"],
            "policy": asking.policy,
            "samples": votes.samples,
            "quorum": votes.needed,
            "order": order,
            "precheck": first is not None,
        }
        _certify(certificate, judge_record, report)
    click.echo(dump(report) if as_json else terminal(report))
    return int(not report["cases"]["decided"] or bool(certificate and withheld))


def _withheld(measured: Measured) -> str:
    """Why the figures certify nobody; empty where they may."""
    from voirdire.calibration.judging import NO_REPLY, unanswered

    if not measured.report["cases"]["decided"]:
        return "no case was decided"
    count = unanswered(measured.judged)
    if not count:
        return ""
    missing = measured.report["missing"]
    kinds = ", ".join(f"{kind} {missing[kind]}" for kind in NO_REPLY if kind in missing)
    return (
        f"on {count} of {len(measured.judged)} cases no reply came ({kinds}); start it again, the "
        "verdicts so far are kept"
    )


def _warn(sentences: Sequence[str]) -> None:
    for sentence in sentences[:SHOWN]:
        click.echo(f"warning: {one_line(sentence, 400)}", err=True)
    if len(sentences) > SHOWN:
        click.echo(f"warning: and {len(sentences) - SHOWN} more such", err=True)


def _other_criteria(cases: Sequence[Labelled], rubric: Rubric) -> list[str]:
    """Criteria that people labelled and the rubric has not: a slip, or another rubric's."""
    where: dict[str, str] = {}
    for case in cases:
        for name in case.criteria:
            where.setdefault(name, case.where)
    known = ", ".join(rubric.criterion_names) or "none in claim mode"
    return [
        f"{place}: the rubric has no criterion {name!r}, so its labels are in no figure; there is "
        f"{known}"
        for name, place in where.items()
        if name not in rubric.criterion_names
    ]


def _report(
    rows: Sequence[Judged], judge: Judge, rubric: Rubric, policy: str, seed: int, copies: int
) -> dict[str, Any]:
    from voirdire.calibration.advice import advice
    from voirdire.calibration.report import calibration_report

    def cost(outcome: Outcome) -> float | None:
        value = judge_facts(judge, outcome.usage)["cost"]
        return None if value is None or outcome.canned else float(value)

    report = calibration_report(rows, seed, cost)
    return {
        "judge": judge.spec,
        "fingerprint": fingerprint(judge, rubric, policy),
        "judge_family": judge_facts(judge, Usage(0, 0))["judge_family"],
        "canned": any(row.outcome.canned for row in rows),
        "rubric": rubric_facts(rubric),
        "date": date.today().isoformat(),
        "seed": seed,
        **report,
        "advice": advice(report, rubric.threshold, copies),
    }


def _baselines(measured: Measured, rubric: Rubric, book: Journal, seed: int) -> dict[str, Any]:
    """What no judge at all would reach: always the same verdict, and the judge by rule."""
    from voirdire.calibration.judging import judge_cases
    from voirdire.calibration.measures import measures, tabled
    from voirdire.calibration.report import constant, missing, pairs_of

    rows = measured.judged
    rules = make_judge("rules")
    asked = measured.report["fingerprint"] == fingerprint(rules, rubric, "strict")
    cases = [row.labelled for row in rows]
    by_rule = rows if asked else judge_cases(cases, rubric, rules, book)
    return {
        "always_pass": constant(rows, "pass", seed),
        "always_fail": constant(rows, "fail", seed),
        "rules": {**measures(tabled(pairs_of(by_rule)), seed), "missing": missing(by_rule)},
    }


def _certify(path: Path, judge: dict[str, Any], report: dict[str, Any]) -> None:
    from voirdire.calibration.measures import BOOTSTRAPPED
    from voirdire.certificate import certify, path_from

    kept = (
        *("date", "cases", "agreement", *BOOTSTRAPPED, "fails_caught", "passes_kept"),
        *("precision_of_fails", "confusion", "missing", "canned", "seed", "verdicts"),
    )
    content = {key: report[key] for key in kept}
    # Found again from wherever somebody works: beside the certificate, not where this was run.
    content["cases"] = {**report["cases"], "path": path_from(path.parent, report["cases"]["path"])}
    certify(path, judge, report["rubric"], "calibration", content)


class _Progress:
    """Cases judged and cost so far, where somebody looks on."""

    def __init__(self, judge: Judge, total: int) -> None:
        self._judge = judge
        self._total = total
        self._done = 0
        self._cost: float | None = 0.0

    def count(self, judged: Judged) -> None:
        """One more case was judged."""
        cost = judge_facts(self._judge, judged.outcome.usage)["cost"]
        self._cost = None if cost is None or self._cost is None else self._cost + cost
        self._done += 1
        if self._total > 1 and sys.stderr.isatty():
            spent = "cost not known" if self._cost is None else f"${self._cost:.4f}"
            text = f"\r{self._done}/{self._total} judged by {self._judge.spec}, {spent}"
            click.echo(text, nl=self._done == self._total, err=True)
