"""Labelled cases: read from a file, checked one by one, duplicates found."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from voirdire.calibration.casefile import CaseRow, rows
from voirdire.calibration.labelled import Labelled
from voirdire.calibration.ratings import rated_rows
from voirdire.errors import ConfigError
from voirdire.grade import Case
from voirdire.journal import Damage
from voirdire.promptfoo.outputs import SQLITE
from voirdire.promptfoo.ratings import is_run
from voirdire.source import Source, excerpts, load_sources, text_hash, unique
from voirdire.strictjson import shorten

_SOURCES = ("excerpts.json", "source.md", "source.txt")
_WORDS: Final = {"pass": "pass", "true": "pass", "fail": "fail", "false": "fail"}

FindSources = Callable[[Mapping[str, Any]], tuple[Source, ...]]
"""The sources of a case with these fields."""


class LoadedCases(NamedTuple):
    """What a file of labelled cases holds.

    Attributes:
        cases: those that can be used, in order, each id once.
        distinct: those without the copies: an answer that has one label twice is one label. One
            that has both labels stays with both.
        damaged: those that cannot, and why; of two with one id the second.
        duplicates: sentences on cases that are the same but for their id.
        sha256: of the file, hex; of a promptfoo database, which changes at every run, of the
            ratings that were read.
    """

    cases: list[Labelled]
    distinct: list[Labelled]
    damaged: list[Damage]
    duplicates: list[str]
    sha256: str


class Beside(NamedTuple):
    """Files that belong to a file of cases, whether they are there or not.

    Attributes:
        rubric: ``rubric.yaml``.
        source: the first there is of ``excerpts.json``, ``source.md`` and ``source.txt``.
        replies: ``replies.jsonl``, for the judge ``replay``.
    """

    rubric: Path
    source: Path | None
    replies: Path


def beside(path: Path) -> Beside:
    """The files that are taken where none are named: those in the folder of the cases."""
    folder = path.parent
    return Beside(folder / "rubric.yaml", _source_in(folder), folder / "replies.jsonl")


def load_cases(path: Path, *, sources: tuple[Source, ...] | None) -> LoadedCases:
    """Read labelled cases: JSONL, YAML, CSV, or what was rated in promptfoo's viewer.

    Args:
        path: the file; what it is goes by its suffix and by its beginning.
        sources: for cases that bring none; ``None`` takes the file beside the cases.

    Raises:
        ConfigError: the file cannot be read, or no case in it can be used.
    """
    is_rated = is_run(path)
    found = rated_rows(path, sources is not None) if is_rated else rows(path)
    find_sources = source_finder(path.parent, sources)
    cases: list[Labelled] = []
    damaged: list[Damage] = []
    first: dict[str, str] = {}
    for row in found:
        if isinstance(row, Damage):
            damaged.append(row)
            continue
        try:
            case = _labelled(row, find_sources)
            identity = case.case.id or ""
            if identity in first:
                raise ConfigError(f"the id {shorten(identity)} stands at {first[identity]} already")
        except ConfigError as error:
            damaged.append(Damage(row.where, str(error)))
        else:
            first[identity] = row.where
            cases.append(case)
    if not cases:
        raise ConfigError(_nothing(path, damaged, is_rated))
    distinct = list({(*_content(one), one.label): one for one in reversed(cases)}.values())
    return LoadedCases(
        cases, distinct[::-1], damaged, list(_duplicates(cases)), _sha256(path, cases)
    )


def sources_sha256(cases: Iterable[Labelled]) -> str:
    """SHA-256, hex, of the texts that cases are judged by, whatever their files are called."""
    digest = hashlib.sha256()
    for text in dict.fromkeys(source.text for one in cases for source in one.case.sources):
        digest.update(text_hash(text).encode("ascii"))
    return digest.hexdigest()


def source_finder(folder: Path, shared: tuple[Source, ...] | None) -> FindSources:
    """How the cases of a file find their sources; each file of sources is read once.

    Args:
        folder: of the cases; a ``source_file`` lies relative to it.
        shared: for cases that bring none; ``None`` takes the file beside the cases, if any of
            them needs it.

    Returns:
        What gives the sources in a case's ``source`` or ``source_file``, else the shared ones;
        raises a ConfigError that says what is wrong with them.
    """
    files: dict[str, tuple[Source, ...]] = {}

    def read_file(name: str) -> tuple[Source, ...]:
        if name not in files:
            files[name] = unique(load_sources(folder / name))
        return files[name]

    def sources_of(fields: Mapping[str, Any]) -> tuple[Source, ...]:
        own, file = fields.get("source"), text_of(fields, "source_file")
        if own is not None and file is not None:
            raise ConfigError("has both `source` and `source_file`; keep one")
        if file is not None:
            return read_file(file)
        if own is not None:
            return own_sources(own)
        if shared is not None:
            return shared
        default = _source_in(folder)
        if default is None:
            raise ConfigError("has no source of truth; add --source FILE, or a `source` here")
        return read_file(default.name)

    return sources_of


def read_label(value: Any, name: str = "label") -> str:
    """A person's label as ``pass`` or ``fail``.

    Args:
        value: either word, or true or false; capital letters do not matter.
        name: of the field, for the error.

    Raises:
        ConfigError: it is anything else.
    """
    word = str(value).strip().lower() if isinstance(value, (str, bool)) else ""
    if word not in _WORDS:
        shown = shorten(value) if isinstance(value, str) else repr(value)[:60]
        given = "is missing" if value is None else f"is {shown}"
        raise ConfigError(f"`{name}` {given}; write pass or fail")
    return _WORDS[word]


def own_sources(value: Any) -> tuple[Source, ...]:
    """Sources that stand in a case: a text, or a list of excerpts.

    Raises:
        ConfigError: neither.
    """
    if isinstance(value, str) and value.strip():
        return unique([Source("source", value)])
    if isinstance(value, list):
        return unique(excerpts(value, "`source`"))
    raise ConfigError("`source` must be text that is not empty, or a list of excerpts")


def text_of(fields: Mapping[str, Any], name: str) -> str | None:
    """A text field; ``None`` where it is missing or null.

    Raises:
        ConfigError: it is something else than text.
    """
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise ConfigError(f"`{name}` must be text; put it in quotation marks")
    return value


def identity_of(fields: Mapping[str, Any]) -> str:
    """The id of a case; a number will do.

    Raises:
        ConfigError: there is none.
    """
    value = fields.get("id")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise ConfigError("has no `id`; give each case one of its own")
    return value


def _source_in(folder: Path) -> Path | None:
    return next((folder / name for name in _SOURCES if (folder / name).is_file()), None)


def _labelled(row: CaseRow, find_sources: FindSources) -> Labelled:
    fields = row.fields
    identity, answer = identity_of(fields), text_of(fields, "answer")
    if answer is None:
        raise ConfigError("has no `answer`")
    criteria = _criteria(fields.get("criteria"))
    label = _label(fields.get("label"), criteria)
    seconds = [
        read_label(fields[name], name)
        for name in ("second", "label_2")
        if fields.get(name) not in (None, "")
    ]
    return Labelled(
        case=Case(find_sources(fields), text_of(fields, "question"), answer, identity),
        label=label,
        criteria=criteria,
        note=text_of(fields, "note") or "",
        second=seconds[0] if seconds else "",
        tags=_tags(fields.get("tags")),
        model=text_of(fields, "model") or "",
        where=row.where,
    )


def _criteria(value: Any) -> dict[str, bool]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError("`criteria` must say true or false of each criterion by its name")
    given = {name: said for name, said in value.items() if said is not None}
    return {name: read_label(said, f"criteria.{name}") == "pass" for name, said in given.items()}


def _label(value: Any, criteria: Mapping[str, bool]) -> str:
    """The label, or what the criteria come to: all must hold for a pass."""
    failed = [name for name, holds in criteria.items() if not holds]
    if value in (None, "") and criteria:
        return "fail" if failed else "pass"
    label = read_label(value)
    if label == "pass" and failed:
        raise ConfigError(f"`label` is pass, but the criterion {shorten(failed[0])} is false")
    return label


def _tags(value: Any) -> tuple[str, ...]:
    tags = value.split(";") if isinstance(value, str) else value or []
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise ConfigError("`tags` must be a list of words")
    # Each once: a case must not count twice under one tag.
    return tuple(dict.fromkeys(tag.strip() for tag in tags if tag.strip()))


def _content(one: Labelled) -> tuple[Any, ...]:
    """What makes a case another one: more than its id, and than spaces."""
    question, answer = one.case.question or "", one.case.answer
    return " ".join(question.split()), " ".join(answer.split()), one.case.sources


def _duplicates(cases: list[Labelled]) -> Iterator[str]:
    first: dict[tuple[Any, ...], Labelled] = {}
    for labelled in cases:
        case = labelled.case
        before = first.setdefault(_content(labelled), labelled)
        if before is not labelled:
            contradiction = (
                f", but labelled {labelled.label} here and {before.label} there"
                if labelled.label != before.label
                else ""
            )
            yield (
                f"{labelled.where}: {shorten(case.id or '')} is {shorten(before.case.id or '')}"
                f" ({before.where}) under another id{contradiction}"
            )


def _sha256(path: Path, cases: list[Labelled]) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        start = file.read(16)
        if start != SQLITE:
            digest.update(start)
            while data := file.read(1 << 20):
                digest.update(data)
            return digest.hexdigest()
    for labelled in cases:
        content = labelled._replace(where="")
        digest.update(repr(content).encode("utf-8", "backslashreplace"))
    return digest.hexdigest()


def _nothing(path: Path, damaged: list[Damage], is_rated: bool) -> str:
    if damaged:
        more = f" (and {len(damaged) - 1} more)" if len(damaged) > 1 else ""
        return f"{path}: no case can be used; {damaged[0].where}: {damaged[0].why}{more}"
    if is_rated:
        return (
            f"{path}: nobody rated an answer; give thumbs up or down in promptfoo view, then read"
            " its database, or what `promptfoo export eval ID -o FILE.json` writes"
        )
    return f"{path}: holds no cases"
