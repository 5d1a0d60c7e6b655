"""``voirdire label``."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from voirdire.calibration.labelling import (
    STRATA,
    Candidate,
    Label,
    candidates,
    draw,
    labelled_ids,
    line_of,
)
from voirdire.cli.inputs import dump, read_sources, source_option
from voirdire.errors import ConfigError
from voirdire.plaintext import safe_text
from voirdire.source import Source
from voirdire.wholefile import write_whole

_OF = {"passes": "pass", "fails": "fail"}
_YES, _NO = ("y", "yes"), ("n", "no")
_PASS, _FAIL = ("p", "pass"), ("f", "fail")


@click.command("label")
@click.argument("origin", metavar="FROM", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="The cases, JSONL; what is labelled there already is passed over.",
)
@click.option(
    "--n", type=click.IntRange(min=1), default=30, show_default=True, help="How many to draw."
)
@click.option("--of", type=click.Choice(list(_OF)), help="Only what the judge passed, or failed.")
@click.option(
    "--stratify",
    type=click.Choice(STRATA),
    help="As many of each verdict; confidence: and of each band of the judge's confidence.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draw.")
@click.option(
    "--rubric", type=click.Path(path_type=Path), help="Ask yes or no for each of its criteria."
)
@source_option
def command(
    origin: Path,
    out: Path,
    n: int,
    of: str | None,
    stratify: str | None,
    seed: int,
    rubric: Path | None,
    sources: tuple[Path, ...],
) -> None:
    """Label answers at the keyboard, without seeing what the judge said.

    FROM is promptfoo's results.json or its database, a journal, or answers as JSONL:
    {"id", "question", "answer"} a line, "source" too. The same seed draws the same answers, so
    that you may stop at any time and go on later; each answer is kept as soon as it is given.

    \b
    Examples:
      voirdire label results.json --out cases.jsonl --of passes
      voirdire label .voirdire/journal.jsonl --out cases.jsonl --stratify confidence
      voirdire label answers.jsonl --source help.md --rubric rubric.yaml --out cases.jsonl

    \b
    Exit codes: 0 done or stopped; 2 bad input.
    """
    if out.suffix.lower() != ".jsonl":
        raise ConfigError(f"{out}: labelled cases are written as JSONL; name a file .jsonl")
    if not out.parent.is_dir():
        raise ConfigError(f"{out}: there is no such folder; make it first")
    if of is not None and stratify is not None:
        raise ConfigError("--of and --stratify: give one of the two")
    criteria = _criteria(rubric)
    shared = read_sources(sources) if sources else _beside(out)
    found, damaged = candidates(origin)
    for damage in damaged:
        click.echo(f"{safe_text(damage.where)}: {safe_text(damage.why)}; left out", err=True)
    usable = [item for item in found if item.own or shared]
    if not usable:
        why = "they name no source of truth; add --source FILE" if found else "there are none"
        raise ConfigError(f"{origin}: no answer can be labelled: {why}")
    if len(usable) < len(found):
        click.echo(f"{len(found) - len(usable)} answers without a source; left out", err=True)
    chosen = draw(usable, n, seed, only=_OF[of] if of else None, by=stratify)
    done = labelled_ids(out)
    left = [item for item in chosen if item.id not in done]
    book = _Book(out)
    try:
        _label(left, shared, criteria, book)
    except KeyboardInterrupt:
        click.echo()
    rest = len(left) - len(book.labels)
    click.echo(f"{out}: {len(book.labels)} labels more; {rest} of {len(chosen)} drawn are left")


class _Book:
    """The file of cases: what was in it, and what is said in this sitting.

    Attributes:
        labels: what was said, by the case's id.
    """

    def __init__(self, path: Path) -> None:
        self.labels: dict[str, Label] = {}
        self._path = path
        self._before = self._now()
        self._last = self._before
        self._lines: dict[str, str] = {}

    def keep(self, item: Candidate, label: Label) -> None:
        """Write the file anew with this label, whole or not at all.

        Raises:
            ConfigError: it cannot be written, or somebody else wrote it meanwhile.
        """
        if self._now() != self._last:
            raise ConfigError(
                f"{self._path}: was written by somebody else; the last label is not kept, start"
                " again to go on"
            )
        self._lines[item.id] = dump(line_of(item, label)) + "\n"
        between = "" if self._before.endswith("\n") or not self._before else "\n"
        self._last = self._before + between + "".join(self._lines.values())
        write_whole(self._path, self._last)
        self.labels[item.id] = label

    def _now(self) -> str:
        try:
            return self._path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError:
            raise ConfigError(f"{self._path}: not UTF-8; save the file as UTF-8") from None
        except OSError as error:
            raise ConfigError(f"{self._path}: cannot be read ({error.strerror})") from None


def _label(
    items: Sequence[Candidate],
    shared: tuple[Source, ...],
    criteria: Mapping[str, str],
    book: _Book,
) -> None:
    """Ask for one answer after the other, back and forth."""
    at = 0
    while at < len(items):
        item = items[at]
        click.secho(f"\n{at + 1} of {len(items)}: {safe_text(item.id)}", bold=True)
        if item.id in book.labels:
            click.echo(f"You said: {book.labels[item.id].label}")
        pages = _show(item, shared)
        said = _asked(criteria, pages) if criteria else _decided(pages)
        if isinstance(said, Label):
            book.keep(item, said)
        if said == "quit":
            return
        at = max(0, at - 1) if said == "back" else at + 1


def _decided(pages: Iterator[str]) -> Label | str:
    word, note = _heard("p pass, f fail", (*_PASS, *_FAIL), pages)
    if word in (*_PASS, *_FAIL):
        return Label("pass" if word in _PASS else "fail", {}, note)
    return word


def _asked(criteria: Mapping[str, str], pages: Iterator[str]) -> Label | str:
    """Each criterion in turn; ``back`` goes to the one before."""
    names = list(criteria)
    said: list[tuple[bool, str]] = []
    while len(said) < len(names):
        name = names[len(said)]
        click.echo(f"{click.style(name, bold=True)}: {safe_text(criteria[name])}")
        word, note = _heard("y yes, n no", (*_YES, *_NO), pages)
        if word in (*_YES, *_NO):
            said.append((word in _YES, note))
        elif word == "back" and said:
            said.pop()
        else:
            return word
    holds = {name: answer for name, (answer, _) in zip(names, said, strict=True)}
    notes = "; ".join(note for _, note in said if note)
    return Label("pass" if all(holds.values()) else "fail", holds, notes)


def _heard(choices: str, words: Sequence[str], pages: Iterator[str]) -> tuple[str, str]:
    """One of the words with the note behind it, or ``skip``, ``back`` or ``quit``."""
    others = {"s": "skip", "b": "back", "q": "quit", "m": "more"}
    while True:
        click.echo(f"{choices} (a note may follow), m more of the source, s skip, b back, q quit")
        click.echo("> ", nl=False)
        line = sys.stdin.buffer.readline()
        if not line:
            click.echo()
            return "quit", ""
        typed = line.decode("utf-8", "replace").strip()
        first, _, note = typed.partition(" ")
        word = others.get(first.lower(), first.lower())
        if word == "more":
            click.echo(next(pages, "(that was all of the source)"))
        elif word in words or word in ("skip", "back", "quit"):
            return word, note.strip()
        elif typed:
            click.echo(f"{safe_text(first[:40])!r} is none of these:")


def _show(item: Candidate, shared: tuple[Source, ...]) -> Iterator[str]:
    """Show question, source and answer; gives the further pages of the source."""
    width, height = shutil.get_terminal_size()
    if item.question is not None:
        click.secho("Question", bold=True)
        click.echo("\n".join(_rows(item.question, width)))
    pages = _pages(item.own or shared, width, max(6, height // 2))
    click.secho("Source", bold=True)
    click.echo(next(pages))
    click.secho("Answer", bold=True)
    click.echo("\n".join(_rows(item.answer, width)))
    return pages


def _pages(sources: Sequence[Source], width: int, height: int) -> Iterator[str]:
    rows = (row for source in sources for row in _rows(f"[{source.id}]\n{source.text}", width))
    page: list[str] = []
    for row in rows:
        if len(page) == height:
            yield "\n".join([*page, "… (m shows more)"])
            page = []
        page.append(row)
    yield "\n".join(page)


def _rows(text: str, width: int) -> Iterator[str]:
    """A text as a terminal has it, row by row."""
    for line in safe_text(text).split("\n"):
        at = 0
        while len(line) - at > width:
            space = line.rfind(" ", at + 1, at + width + 1)
            end = at + width if space < 0 else space
            yield line[at:end]
            at = end + (space >= 0)
        yield line[at:]


def _criteria(path: Path | None) -> Mapping[str, str]:
    if path is None:
        return {}
    from voirdire.rubric import load_rubric  # YAML: only where there is a rubric

    return load_rubric(path).criteria


def _beside(out: Path) -> tuple[Source, ...]:
    from voirdire.calibration.cases import beside

    default = beside(out).source
    return read_sources((default,)) if default else ()
