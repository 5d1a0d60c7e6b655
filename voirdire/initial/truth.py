"""Where a project keeps the truth that a rubric speaks of: a test var, or a file."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from voirdire.initial.project import Project, Use
from voirdire.lint.words import SOURCE

_QUESTIONS = (
    "question query user_question user_query input user_input message user_message request "
    "prompt topic task"
).split()
# An answer that somebody expects is no source of truth.
_NO_SOURCE = re.compile(r"answer|expected|ideal|output|response|golden|label|prompt|rubric", re.I)
# A var that holds this and nothing else: a door takes no path for a source.
_FILE_NAME = re.compile(r"\S+\.(?:md|markdown|txt|json|jsonl|ya?ml|html?)")
_ENDINGS = (".md", ".markdown", ".txt")
_ABOUT_THE_PROJECT = re.compile(
    r"readme|changelog|licen[cs]e|contributing|security|code_of_conduct|prompt|requirements", re.I
)
_SKIPPED = ("node_modules", "rubrics", "prompts", "output", "venv", "dist", "build")
_MOST_FILES = 2000


class Truth(NamedTuple):
    """A source of truth.

    Attributes:
        var: the test var that holds it; empty where a file does.
        file: the file, relative to the config's folder; empty where a var does.
    """

    var: str = ""
    file: str = ""

    def __str__(self) -> str:
        """In words."""
        return f"the var {self.var}" if self.var else self.file


class Truths(NamedTuple):
    """Where the truth may be.

    Attributes:
        chosen: the one to take; ``None`` where there is none, or where nothing tells which.
        others: further ones, for a person to choose from.
        why: why none was chosen; empty where one was.
    """

    chosen: Truth | None
    others: tuple[Truth, ...] = ()
    why: str = ""


def find_truth(
    texts: Sequence[Path], rubric: str, uses: Sequence[Use], given: str | None
) -> Truths:
    """The source of truth for the tests that a rubric grades.

    Args:
        texts: the project's, see :func:`texts_of`.
        rubric: the rubric's words.
        uses: the tests.
        given: a file that the user named, relative to the config's folder.
    """
    if given is not None:
        return Truths(Truth(file=given))
    words = _words(rubric)
    named = {name for use in uses for name in use.vars if _is_source(name)}
    everywhere = [name for name in uses[0].vars if all(_holds(use, name) for use in uses)]
    vars_ = sorted(named & set(everywhere), key=lambda name: _rank(name, words, everywhere))
    files = _files(texts, words)
    if vars_:
        return Truths(Truth(vars_[0]), tuple(map(Truth, vars_[1:])) + files)
    if any(not use.known for use in uses) and not files:
        return Truths(None, (), "not all tests can be read, so no var is known to be in each")
    if named:
        first = min(named)
        return Truths(None, files, f"the var {first} is not a text in all of the tests")
    matching = [file for file in files if _words(Path(file.file).stem) & words]
    if len(matching or files) == 1:
        return Truths((matching or list(files))[0])
    why = "several files may be it" if files else "no var and no file looks like it"
    return Truths(None, files, why)


def texts_of(project: Project) -> list[Path]:
    """The texts in a project's folder and the folders in it, from the folder on; no prompts."""
    folder = project.folder
    paths = itertools.islice(itertools.chain(folder.glob("*"), folder.glob("*/*")), _MOST_FILES)
    found = []
    for path in paths:
        inner = path.relative_to(folder)
        if (
            path.suffix.lower() in _ENDINGS
            and not any(part.startswith(".") or part in _SKIPPED for part in inner.parts)
            and not _ABOUT_THE_PROJECT.search(path.stem)
            and path.resolve() not in project.prompts
            and path.is_file()
        ):
            found.append(inner)
    return sorted(found)


def question_var(uses: Sequence[Use], source: Truth) -> str | None:
    """The test var that holds the question, the same in all tests; ``None`` where none does."""
    for name in _QUESTIONS:
        if name != source.var and all(use.known and name in use.vars for use in uses):
            return name
    return None


def words_of(truth: Truths) -> set[str]:
    """The words that the sources at hand go by."""
    return {
        word
        for one in filter(None, (truth.chosen, *truth.others))
        for word in _words(one.var or Path(one.file).stem)
    }


def _is_source(name: str) -> bool:
    return bool(SOURCE.search(name.replace("_", " "))) and not _NO_SOURCE.search(name)


def _holds(use: Use, name: str) -> bool:
    """Whether the test's var holds a source that a door takes."""
    value = use.vars.get(name, "")
    if not use.known or value is None:  # a list or a mapping is taken for excerpts
        return use.known
    is_path = _FILE_NAME.fullmatch(value) and not value.startswith("file://")
    return bool(value.strip()) and not is_path


def _rank(name: str, words: set[str], order: Sequence[str]) -> tuple[int, int]:
    if _words(name) & words:
        return 0, order.index(name)
    known = ("source", "sources", "context", "document", "documents")
    return (1 + known.index(name) if name in known else 9), order.index(name)


def _files(texts: Sequence[Path], words: set[str]) -> tuple[Truth, ...]:
    """The texts that are named like a source, or like what the rubric speaks of."""
    return tuple(
        Truth(file=path.as_posix())
        for path in texts
        if _words(path.stem) & words or _is_source(re.sub(r"[-. ]", "_", path.stem))
    )


def _words(text: str) -> set[str]:
    """The words that name a thing, plurals as singulars."""
    found = re.findall(r"[a-z]{3,}", text.lower().replace("é", "e"))
    common = {"the", "and", "all", "any", "answer", "question", "text", "that", "from", "are"}
    return {re.sub(r"ies\Z", "y", word).rstrip("s") for word in found} - common
