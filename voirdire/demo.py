"""The demonstration's summary: ``python -m voirdire.demo RESULTS CASES…``.

Prints what each grader said of each answer and what it was shown, and exits with 0 when every
case came out as its golden label expects, with 1 when not.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from voirdire.errors import VoirdireError
from voirdire.jsonl import objects
from voirdire.promptfoo.results import Grade, Row, load_rows
from voirdire.stats.table import count, measure

BLIND, GROUNDED, RULES = "blind llm-rubric", "grounded", "rules"
_COLOURS = {"pass": "green", "fail": "red", "undecided": "yellow", "judge_error": "magenta"}
_WIDTHS = (34, 8, 18, 34, 24)


def main(arguments: Sequence[str]) -> int:
    """Print the summary; 0 as expected, 1 not, 2 for input that cannot be read."""
    if len(arguments) < 2:  # no case would be as good as all of them
        click.echo("voirdire: give the results file and the files of the cases", err=True)
        return 2
    try:
        rows = {row.case_id: row for row in load_rows(Path(arguments[0]))}
        suites = {
            Path(file).parent.name: [case for _, case in objects(Path(file))]
            for file in arguments[1:]
        }
    except VoirdireError as error:
        click.echo(f"voirdire: {error}", err=True)
        return error.exit_code
    cases = [case for suite in suites.values() for case in suite]
    recorded = not os.environ.get("VOIRDIRE_JUDGE")
    _table(rows, cases)
    _shown(rows, cases)
    _errors(rows, cases)
    _figures(rows, cases)
    for name, suite in suites.items():
        _against_people(name, rows, suite)
    return _verdict(rows, cases, recorded)


def _table(rows: Mapping[str, Row], cases: Sequence[Mapping[str, Any]]) -> None:
    _say("\nThe same answers before three graders", bold=True)
    _say("(the answers are recorded; [canned] marks a reply that no model was asked for)\n")
    _line(("case", "person", "blind llm-rubric", "grounded", "rules, computed now"))
    for case in cases:
        row = rows.get(case["id"])
        if row is None or row.error:
            _line((case["id"], case["label"], "not run", (row.error if row else "")[:60], ""))
            continue
        marks = [_word(row.grades.get(metric)) for metric in (BLIND, GROUNDED, RULES)]
        _line((case["id"], case["label"], *(text for text, _ in marks)), [c for _, c in marks])


def _word(grade: Grade | None) -> tuple[str, str | None]:
    if grade is None:
        return "-", None
    text = grade.outcome.replace("_", " ")
    if grade.outcome in ("judge_error", "undecided"):
        text += f" ({grade.kind})"
    canned = grade.canned or grade.reason.startswith("[canned")
    return text + (" [canned]" if canned else ""), _COLOURS[grade.outcome]


def _shown(rows: Mapping[str, Row], cases: Sequence[Mapping[str, Any]]) -> None:
    """What the blind and the sighted judge were sent for one answer that a person failed."""
    for case in cases:
        row = rows.get(case["id"])
        blind = row.grades.get(BLIND) if row else None
        sighted = row.grades.get(GROUNDED) if row else None
        if case["label"] == "fail" and blind and sighted and sighted.outcome == "fail":
            break
    else:
        return
    sources = _sources(sighted.shown)
    _say(f"\nWhat the judges were shown of {case['id']}", bold=True)
    _say(f"  question: {case['question']}\n  answer:   {' '.join(case['answer'].split())}")
    _say(f"  a person: {case['label']}. {case['note']}")
    for name, grade in (("blind llm-rubric", blind), ("grounded", sighted)):
        seen = sum(text in grade.shown or _escaped(text) in grade.shown for text in sources)
        _say(f"\n  {name} was sent {len(grade.shown):,} characters; ", nl=False)
        _say(
            f"source of truth among them: {seen} of {len(sources)} documents",
            bold=True,
            fg="green" if seen else "red",
        )
        for line in _ends(grade.shown, blind is grade):
            _say(f"  │ {line}")
        _say(f"  └ {_word(grade)[0]}: {' '.join(grade.reason.split())[:300]}")


def _sources(shown: str) -> list[str]:
    """The texts of the source as the grounded judge's prompt carries them."""
    _, _, user = shown.partition("[user]\n")
    try:
        return [source["text"] for source in json.loads(user)["source"]]
    except (ValueError, KeyError, TypeError):
        return []


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _ends(shown: str, whole: bool) -> list[str]:
    """The message with the data, cut to its first and last lines."""
    if whole:
        with contextlib.suppress(ValueError, KeyError, TypeError, IndexError):
            shown = json.loads(shown)[-1]["content"]
    else:
        shown = shown.partition("[user]\n")[2]
    lines = [
        line if len(line) <= 96 else f"{line[:95]}…" for line in shown.split("\n") if line.strip()
    ]
    if len(lines) <= 14:
        return lines
    return [*lines[:9], f"… {len(lines) - 12} more lines …", *lines[-3:]]


def _errors(rows: Mapping[str, Row], cases: Sequence[Mapping[str, Any]]) -> None:
    found = [
        (case["id"], grade)
        for case in cases
        if (row := rows.get(case["id"])) and (grade := row.grades.get(GROUNDED))
        if grade.outcome == "judge_error"
    ]
    replies = [(name, grade) for name, grade in found if grade.record.get("raw") is not None]
    if replies:
        title = "Replies that nobody could read, kept raw (a judge error, never a verdict)"
        _say(f"\n{title}", bold=True)
    for name, grade in replies:
        raw = " ".join(str(grade.record["raw"]).split())
        _say(f"  {name:<31} {grade.kind:<10} {raw[:70]}{'…' if len(raw) > 70 else ''}")
    # A judge that could not be asked says the same of every case: once is enough.
    reasons = Counter(
        str(grade.record.get("reason")) for _, grade in found if grade.record.get("raw") is None
    )
    if reasons:
        _say("\nNo reply came (a judge error, never a verdict)", bold=True)
    for reason, times in reasons.most_common():
        _say(f"  {times} of {len(cases)}  {reason}")


def _figures(rows: Mapping[str, Row], cases: Sequence[Mapping[str, Any]]) -> None:
    _say("\nWhat it comes to", bold=True)
    for metric in (BLIND, GROUNDED, RULES):
        graded = [
            (case["label"], rows[case["id"]].grades[metric])
            for case in cases
            if case["id"] in rows and metric in rows[case["id"]].grades
        ]
        if not graded:
            continue
        found = count((label, grade.outcome) for label, grade in graded)
        caught = f"fails caught {found.caught} of {found.fails}"
        passed = found.kept + found.missed
        text = f"  {metric:<17} {passed} of {found.n} decided answers pass; {caught}"
        text += f"; coverage {found.n} of {len(graded)}"
        if found.n < len(graded):
            kinds = Counter(g.kind for _, g in graded if g.outcome not in ("pass", "fail"))
            text += f" (without {', '.join(f'{k} {n}' for k, n in kinds.items())})"
        if passed == found.n and found.n:
            text += "  ← 100 %: a red flag"
        _say(text)


def _against_people(
    suite: str, rows: Mapping[str, Row], cases: Sequence[Mapping[str, Any]]
) -> None:
    """The grounded judge's agreement with people on one suite, beside an always-pass judge's."""
    pairs = [
        (case["label"], rows[case["id"]].grades[GROUNDED].outcome)
        for case in cases
        if case["id"] in rows and GROUNDED in rows[case["id"]].grades
    ]
    if not pairs:
        return
    decided = [(label, outcome) for label, outcome in pairs if outcome in ("pass", "fail")]
    for name, found in (
        ("grounded", count(pairs)),
        ("always pass", count((label, "pass") for label, _ in decided)),
    ):
        rate, beyond_chance = measure("agreement", found), measure("kappa", found)
        if rate is None:
            continue
        kappa = "undefined" if beyond_chance is None else f"{beyond_chance:.2f}"
        _say(
            f"  {suite}, {name:<12} agreement {rate:.0%}, kappa {kappa}, fails caught "
            f"{found.caught} of {found.fails}, passes kept {found.kept} of {found.passes}"
        )


def _verdict(rows: Mapping[str, Row], cases: Sequence[Mapping[str, Any]], recorded: bool) -> int:
    """Whether every case came out as its golden label expects; names those that did not."""
    wrong = []
    for case in cases:
        row = rows.get(case["id"])
        grade = row.grades.get(GROUNDED) if row else None
        wanted = case["expect"][GROUNDED] if recorded else case["label"]
        if row is None or row.error or grade is None:
            wrong.append(f"{case['id']}: was not graded{': ' + row.error[:200] if row else ''}")
            continue
        got = f"judge_error:{grade.kind}" if grade.outcome == "judge_error" else grade.outcome
        if got != wanted:
            wrong.append(f"{case['id']}: expected {wanted}, got {got}")
    basis = "their golden labels expect" if recorded else "people labelled them"
    if not wrong:
        _say(f"\nAll {len(cases)} cases came out as {basis}.", bold=True, fg="green")
        _say("Next: npm run view shows them in promptfoo's viewer.")
        return 0
    _say(f"\n{len(wrong)} of {len(cases)} cases did not come out as {basis}:", bold=True, fg="red")
    for line in wrong:
        _say(f"  {line}")
    return 1


def _line(cells: Sequence[str], colours: Sequence[str | None] = ()) -> None:
    shades = [None, None, *colours, None, None, None]
    parts = [
        click.style(f"{cell:<{width}}", fg=shade)
        for cell, width, shade in zip(cells, _WIDTHS, shades, strict=False)
    ]
    _say("  " + "".join(parts).rstrip())


def _say(text: str, *, nl: bool = True, **style: Any) -> None:
    colour = False if "NO_COLOR" in os.environ else None
    click.echo(click.style(text, **style) if style else text, nl=nl, color=colour)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
