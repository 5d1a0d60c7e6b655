"""``voirdire drift``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from voirdire.cli.inputs import (
    dump,
    journal_path,
    json_option,
    judge_settings,
    read_sources,
    settings_option,
    source_option,
)
from voirdire.errors import ConfigError
from voirdire.plaintext import one_line


@click.command("drift")
@click.argument("certificate", required=False, type=click.Path(path_type=Path))
@click.option(
    "--cases",
    type=click.Path(path_type=Path),
    help="The labelled cases.  [default: those of the certificate, beside it]",
)
@click.option(
    "--rubric",
    type=click.Path(path_type=Path),
    help="The rubric, a YAML file.  [default: rubric.yaml beside the cases]",
)
@source_option
@click.option("--judge", "spec", help="The judge as it is now.  [default: the certificate's]")
@settings_option
@click.option(
    "--twice", is_flag=True, help="Ask twice, to know how many verdicts flip by themselves."
)
@click.option(
    "--journal",
    "journals",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A journal; two of them, or one with --before and --after. With a CERTIFICATE: where to "
    "write.",
)
@click.option("--before", metavar="DATE", help="Compare the calls before this date ...")
@click.option("--after", metavar="DATE", help="... with those from this date on (UTC).")
@json_option
def command(
    certificate: Path | None,
    cases: Path | None,
    rubric: Path | None,
    sources: tuple[Path, ...],
    spec: str | None,
    settings: tuple[str, ...],
    twice: bool,
    journals: tuple[Path, ...],
    before: str | None,
    after: str | None,
    as_json: bool,
) -> None:
    """Tell whether the product changed or the judge did.

    With a CERTIFICATE, its cases are judged again, without any cache: the answers are the same,
    so a verdict that flips is the judge's doing. Without one, the calls of two periods are
    compared: the same prompts, judges, models, rubrics, sources, and the shares that fail.

    \b
    Examples:
      voirdire drift voirdire.certificate.json --twice
      voirdire drift --journal january.jsonl --journal february.jsonl
      voirdire drift --journal .voirdire/journal.jsonl --before 2026-02-01 --after 2026-02-01

    \b
    Exit codes: 0 no change shown; 1 a change, or nothing could be told; 2 bad input.
    """
    from voirdire.drift.show import compared_text, rejudged_text

    if certificate is not None:
        if before or after or len(journals) > 1:
            raise ConfigError("give a CERTIFICATE, or journals to compare, not both")
        record = _rejudged(
            certificate, cases, rubric, sources, spec, settings, journals, twice=twice
        )
        text = rejudged_text
        told = bool(record["flips"]["flipped"]["n"])
    else:
        if cases or rubric or sources or spec or settings or twice:
            raise ConfigError("only with a CERTIFICATE is anything judged again; name it")
        record = _compared(journals, before, after)
        text = compared_text
        told = bool(record["before"]["calls"] and record["after"]["calls"])
    click.echo(dump(record) if as_json else text(record))
    if record["changed"] or not told:
        raise click.exceptions.Exit(1)


def _rejudged(
    path: Path,
    cases: Path | None,
    rubric: Path | None,
    sources: tuple[Path, ...],
    spec: str | None,
    settings: tuple[str, ...],
    journals: tuple[Path, ...],
    *,
    twice: bool,
) -> dict[str, Any]:
    from voirdire.calibration.cases import beside, load_cases, sources_sha256
    from voirdire.calibration.judging import judge_cases
    from voirdire.calibration.labelled import Judged
    from voirdire.drift.rejudged import read_certified, rejudged_record
    from voirdire.grade import fingerprint
    from voirdire.journal import Journal
    from voirdire.judges.spec import make_judge
    from voirdire.quorum import Quorum
    from voirdire.rubric import load_rubric
    from voirdire.stats.extra import load

    load("statsmodels.stats.contingency_tables")  # or the cases would be judged before it is missed
    certified = read_certified(path)
    file = cases or certified.cases
    around = beside(file)
    loaded = load_cases(file, sources=read_sources(sources) if sources else None)
    wording = load_rubric(rubric or around.rubric)
    given = judge_settings(settings)
    spec = spec or certified.spec
    if spec.startswith("replay:") and not Path(spec.removeprefix("replay:")).exists():
        spec = f"replay:{around.replies}"
    judge = make_judge(spec, given)
    before = certified.setup
    quorum = Quorum(before.samples, before.quorum) if before.samples > 1 else None
    book = Journal(journal_path(journals[0] if journals else None))

    def judged() -> list[Judged]:
        # No memory: what was kept from then would hide the change.
        return judge_cases(
            loaded.cases,
            wording,
            judge,
            book,
            policy=certified.policy,
            quorum=quorum,
            order=before.order,
            precheck=make_judge("rules") if before.precheck else None,
            in_flight=int(given.get("in_flight", 4)),
        )

    now = judged()
    return rejudged_record(
        certified,
        setup=before._replace(fingerprint=fingerprint(judge, wording, certified.policy)),
        rubric=wording.version,
        cases_sha256=loaded.sha256,
        sources_sha256=sources_sha256(loaded.cases),
        judged=now,
        again=judged() if twice else None,
        is_model="model" in judge.identity,
    )


def _compared(journals: tuple[Path, ...], before: str | None, after: str | None) -> dict[str, Any]:
    from voirdire.drift.calls import read_moment, split_journal, two_journals
    from voirdire.drift.compare import compared

    dates = before is not None and after is not None
    if len(journals) == 2 and before is None and after is None:
        one, other, damages = two_journals(*journals)
    elif len(journals) < 2 and dates:
        early, late = read_moment(before or "", "--before"), read_moment(after or "", "--after")
        if early > late:
            raise ConfigError("--before must not be later than --after: calls would count twice")
        path = journal_path(journals[0] if journals else None)
        one, other, damages = split_journal(path, early, late)
    else:
        raise ConfigError(
            "give a CERTIFICATE, two journals (--journal twice), or one with --before DATE and "
            "--after DATE"
        )
    for damage in damages:
        click.echo(
            f"voirdire: {one_line(f'{damage.where}: {damage.why}', 400)}; left out", err=True
        )
    return compared(one, other)
