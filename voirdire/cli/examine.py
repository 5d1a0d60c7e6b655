"""``voirdire examine``."""

from __future__ import annotations

import json
import sys
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
from voirdire.errors import ConfigError
from voirdire.wholefile import write_whole

if TYPE_CHECKING:
    from voirdire.examination.battery import Battery
    from voirdire.examination.finding import Finding
    from voirdire.examination.request import Asked, Request

_COLOURS = {"pass": "green", "fail": "red", "not shown": "yellow"}


@click.command("examine")
@asking_options
@click.option(
    "--cases",
    "cases_file",
    type=click.Path(path_type=Path),
    help="Your own labelled cases, as for calibrate.  [default: the package's]",
)
@click.option(
    "--rubric",
    type=click.Path(path_type=Path),
    help="The rubric of your cases.  [default: rubric.yaml beside them]",
)
@source_option
@click.option(
    "--attacks",
    type=click.Path(path_type=Path),
    help="Attacks, as for inject.  [default: twelve of the package's]",
)
@click.option("--questions", default="", metavar="NAMES", help="Only these, commas between them.")
@click.option(
    "--max-calls", type=click.IntRange(min=2), help="No more calls; they are shared out fairly."
)
@click.option(
    "--repeats",
    type=click.IntRange(2, 100),
    default=5,
    show_default=True,
    help="How often the same case is put.",
)
@click.option("--tested", multiple=True, metavar="MODEL", help="A model under test, for `pinned`.")
@click.option(
    "--most-cost", type=click.FloatRange(min=0), help="US dollars that 200 cases may cost."
)
@click.option(
    "--most-seconds", type=click.FloatRange(min=0), help="Seconds that 95 % of calls may take."
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the report card, JSON.")
@click.option("--html", type=click.Path(path_type=Path), help="Write it as one HTML page.")
@click.option(
    "--certificate",
    type=click.Path(path_type=Path),
    help="Write the judge's certificate, e.g. voirdire.certificate.json; needs --cases.",
)
@json_option
def command(
    asking: Asking,
    out: Path | None,
    html: Path | None,
    certificate: Path | None,
    as_json: bool,
    **options: Any,
) -> int:
    """Examine a judge: is it fit to judge?

    Puts twelve questions to it: sight, voice, form, repeat, position, length, injection,
    constancy, negation, evidence, pinned, cost. Each is passed, failed, or not shown: too few
    cases, not for this judge, or no reply. The cases are yours, else those of a fictitious help
    centre that come with the package.

    \b
    Examples:
      voirdire examine --judge openai:MODEL --html card.html
      voirdire examine --judge openai:MODEL --cases cases.jsonl --rubric rubric.yaml \\
          --source help.md --certificate voirdire.certificate.json
      voirdire examine --judge ollama:qwen3:8b --questions sight,voice,form --max-calls 60

    \b
    Exit codes: 0 no question failed; 1 one did, or the judge could not be examined; 2 bad input.
    """
    from voirdire.examination.card import CLEAN, NOT_EXAMINED, card, lines
    from voirdire.examination.run import examine

    if certificate is not None and options["cases_file"] is None:
        raise ConfigError("a certificate is for one rubric; give yours with --cases and --rubric")
    see_certificate([out, html], certificate)
    progress = _Progress()
    request = _request(asking, progress, **options)
    findings = examine(request)
    progress.end()
    report = {**_head(request, progress.asked, options["cases_file"]), **card(findings)}
    if out is not None:
        write_whole(out, json.dumps(report, indent=1) + "\n")
    if html is not None:
        from voirdire.examination.page import page

        write_whole(html, page(report))
    if certificate is not None and report["verdict"] == NOT_EXAMINED:
        click.echo(f"warning: {certificate} was not written: calls brought no reply", err=True)
    elif certificate is not None:
        _certify(certificate, report, request, findings)
    if as_json:
        click.echo(dump(report))
    else:
        for line in lines(report):
            word = next((word for word in _COLOURS if line.startswith(f"{word} ")), "")
            click.echo(click.style(word, fg=_COLOURS.get(word), bold=True) + line[len(word) :])
        if report["canned"]:
            click.echo("the replies were recorded: this says nothing of a model")
    return int(report["verdict"] != CLEAN)


def _request(
    asking: Asking,
    progress: _Progress,
    *,
    cases_file: Path | None,
    rubric: Path | None,
    sources: tuple[Path, ...],
    attacks: Path | None,
    questions: str,
    **options: Any,
) -> Request:
    from voirdire.examination.request import Request

    return Request(
        spec=asking.spec,
        battery=_battery(cases_file, rubric, sources, attacks),
        journal=asking.journal,
        settings=asking.settings,
        memory=asking.memory,
        policy=asking.policy,
        questions=tuple(name.strip() for name in questions.split(",") if name.strip()),
        tell=progress.show,
        **options,
    )


def _battery(
    cases_file: Path | None, rubric: Path | None, sources: tuple[Path, ...], attacks: Path | None
) -> Battery:
    from voirdire.calibration.cases import beside, load_cases
    from voirdire.examination.battery import default_battery, own_battery
    from voirdire.rubric import load_rubric

    if cases_file is None:
        if rubric is not None or sources:
            raise ConfigError("--rubric and --source are about your own cases; add --cases FILE")
        return default_battery(attacks)
    loaded = load_cases(cases_file, sources=read_sources(sources) if sources else None)
    for damage in loaded.damaged:
        click.echo(f"warning: {damage.where}: {damage.why}; left out", err=True)
    return own_battery(load_rubric(rubric or beside(cases_file).rubric), loaded.cases, attacks)


def _head(request: Request, asked: Asked, cases_file: Path | None) -> dict[str, Any]:
    """What was examined, and what it took."""
    from datetime import date

    from voirdire import __version__
    from voirdire.grade import fingerprint
    from voirdire.judges.spec import make_judge

    judge = make_judge(request.spec, request.settings)
    rubric = request.battery.rubric
    return {
        "judge": judge.spec,
        "fingerprint": fingerprint(judge, rubric, request.policy),
        "rubric": rubric.name,
        "cases": str(cases_file) if cases_file else "the package's",
        "date": date.today().isoformat(),
        "calls": asked.calls,
        "cost": asked.cost,
        "canned": judge.identity.get("scheme") == "replay",
        "tool_version": __version__,
    }


def _certify(path: Path, report: dict[str, Any], request: Request, findings: list[Finding]) -> None:
    from voirdire.certificate import certify, load
    from voirdire.grade import Setup

    rubric = request.battery.rubric
    mark = report["fingerprint"]
    judge = {"spec": report["judge"], "policy": request.policy, **Setup(mark)._asdict()}
    # How often it is asked and in which order is the calibration's to say: what is examined here
    # is the judge itself.
    before = load(path)["judge"] if path.exists() else {}
    certify(
        path,
        before if before.get("fingerprint") == mark else judge,
        rubric_facts(rubric),
        "examination",
        {"date": report["date"], "questions": {one.name: one.result for one in findings}},
    )


class _Progress:
    """The question under way, calls and cost so far, where somebody looks on."""

    def __init__(self) -> None:
        from voirdire.examination.request import Asked

        self.asked = Asked(0, 0.0)
        self._shown = sys.stderr.isatty()

    def show(self, question: str, asked: Asked) -> None:
        """Another case was judged."""
        self.asked = asked
        cost = "cost not known" if asked.cost is None else f"${asked.cost:.4f}"
        self._line(f"{question}: {asked.calls} calls, {cost}")

    def end(self) -> None:
        """All questions were put."""
        self._line("")

    def _line(self, text: str) -> None:
        if self._shown:
            click.echo(f"\r\x1b[K{text}", nl=False, err=True)
