"""``voirdire init``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from voirdire.cli.inputs import dump, json_option
from voirdire.plaintext import one_line, safe_text

if TYPE_CHECKING:  # the work is loaded when it is begun
    from voirdire.initial.grounding import Finding, Plan
    from voirdire.initial.project import Project

_WORDS = {
    "ground": ("BLIND", "red"),
    "no-source": ("BLIND", "red"),
    "grounded": ("grounded", "green"),
    "left": ("left alone", "yellow"),
}
_WIDTH = 100


@click.command("init")
@click.argument("folder", type=click.Path(path_type=Path), default=Path())
@click.option(
    "--write", "to_write", is_flag=True, help="Write what is shown, all of it or nothing."
)
@click.option(
    "--judge",
    help="The judge's spec.  [default: the model that grades now, where voirdire can ask it, else "
    "rules]",
)
@click.option(
    "--source",
    type=click.Path(path_type=Path),
    help="The file that is the source of truth.  [default: a test var or a file named like one]",
)
@json_option
def command(
    folder: Path, *, to_write: bool, judge: str | None, source: Path | None, as_json: bool
) -> int:
    """Ground the model-graded assertions of a promptfoo project, or begin one.

    FOLDER is a project's, or a config itself. Shows what the judge of each assertion cannot see,
    and a patch: rubrics, and voirdire's door as the provider of each llm-rubric that needs a
    source. Comments, order and quotes of the YAML are kept. In a folder without a config: a small
    project that runs offline.

    \b
    Examples:
      voirdire init
      voirdire init --write
      voirdire init evals --source docs/policy.md --judge ollama:qwen3:8b

    \b
    Exit codes: 0 nothing to do, or written; 1 something to do, which is shown; 2 bad input.
    """
    from voirdire.initial.patch import unified, write
    from voirdire.initial.suitefile import find_config

    if judge is not None:
        from voirdire.judges.spec import make_judge

        make_judge(judge)
    config = find_config(folder)
    base = folder if folder.is_dir() else folder.parent
    report: dict[str, Any] = {"config": None, "assertions": [], "left": []}
    open_ends = 0
    if config is None:
        from voirdire.initial.start import starter

        changes = starter(base)
    else:
        from voirdire.initial.grounding import plan
        from voirdire.initial.project import read_project

        project = read_project(config)
        planned = plan(project, judge, _relative(source, base))
        changes = planned.changes
        open_ends = sum(finding.status == "no-source" for finding in planned.findings)
        report["config"] = str(config)
        report["assertions"] = [_as_json(finding) for finding in planned.findings]
        report["left"] = project.left
        if not as_json:
            _show(project, planned)
    patch = unified(changes, base)
    if to_write and changes:
        write(changes)
    names = [_name(change.path, base) for change in changes]
    if as_json:
        written = bool(to_write and changes)
        click.echo(dump({**report, "patch": patch, "files": names, "written": written}))
    else:
        _show_patch(patch, names, to_write=to_write)
        if to_write and changes:
            click.echo(_next(config, base, names))
    return int(bool(changes) and not to_write) or int(open_ends > 0 and not changes)


def _relative(source: Path | None, base: Path) -> str | None:
    """The source's path as the config is to have it.

    Raises:
        ConfigError: it is no source.
    """
    if source is None:
        return None
    from voirdire.source import load_sources, unique

    unique(load_sources(source))
    return _name(source, base)


def _name(path: Path, base: Path) -> str:
    return Path(os.path.relpath(path.absolute(), base.absolute())).as_posix()


def _as_json(finding: Finding) -> dict[str, Any]:
    found = finding.found
    chosen = finding.truths.chosen
    return {
        "file": str(found.file.path),
        "line": found.node.line,
        "type": f"not-{found.type}" if found.inverted else found.type,
        "value": finding.words,
        "tests": len(found.uses),
        "status": finding.status,
        "cannot_see": finding.cannot_see,
        "why": finding.why,
        "source": chosen._asdict() if chosen else None,
        "other_sources": [one._asdict() for one in finding.truths.others],
        "rubric": finding.rubric or None,
        "notes": finding.notes,
    }


def _show(project: Project, planned: Plan) -> None:
    for finding in planned.findings:
        found = finding.found
        word, colour = _WORDS[finding.status]
        if finding.status == "ground" and not finding.cannot_see:
            word, colour = "unchecked", "yellow"
        kind = f"not-{found.type}" if found.inverted else found.type
        where = one_line(f"{found.file.path}:{found.node.line}", _WIDTH)
        words = f": {one_line(finding.words, _WIDTH)}" if finding.words else ""
        click.echo(f"{where}: {click.style(word, fg=colour, bold=True)} {kind}{words}")
        for line in _lines(finding):
            click.echo(f"    {one_line(line, 3 * _WIDTH)}")
    for text in project.left:
        click.echo(one_line(text, 2 * _WIDTH))
    if not planned.findings:
        click.echo(f"{one_line(str(project.config.path), _WIDTH)}: no model-graded assertion")


def _lines(finding: Finding) -> list[str]:
    if finding.status == "left":
        unseen = [f"cannot see {finding.cannot_see[0]}"] if finding.cannot_see else []
        return [*unseen, finding.why]
    if finding.status == "ground" and not finding.cannot_see:
        lines = ["its judge is shown the source, but nobody checks what it says of it"]
    else:
        lines = list(finding.cannot_see)
    if finding.why:
        lines.append(finding.why)
    if finding.truths.chosen and finding.status == "ground":
        lines.append(f"the source of truth looks to be {finding.truths.chosen}")
    if finding.truths.others:
        lines.append(f"it could also be {', '.join(map(str, finding.truths.others[:5]))}")
    return lines + finding.notes


def _show_patch(patch: str, names: Sequence[str], *, to_write: bool) -> None:
    if not names:
        click.echo("nothing to write")
    elif to_write:
        click.echo(f"written: {one_line(', '.join(names), 10 * _WIDTH)}")
    else:
        click.echo(f"\n{safe_text(patch)}")
        click.echo(f"{len(names)} file{'s' * (len(names) != 1)}; --write writes them")


def _next(config: Path | None, base: Path, names: Sequence[str]) -> str:
    """What to do then, from the folder where the command was given."""
    if config is None:
        said = safe_text(str(base / "promptfooconfig.yaml"))
        return f"{said} says what to install; then, there: npx promptfoo eval"
    rubrics = [str(base / name) for name in names if name.startswith("rubrics/")]
    lint = [shlex.join(["voirdire", "lint", *rubrics])] if rubrics else []
    usual = config == Path(config.name) and config.stem == "promptfooconfig"
    run = "npx promptfoo eval" if usual else f"npx promptfoo eval -c {shlex.quote(str(config))}"
    return f"next: {safe_text('; '.join([*lint, run]))}"
