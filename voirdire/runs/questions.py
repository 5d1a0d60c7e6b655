"""The questions of a run, and the prompt that puts each to a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from voirdire.calibration.casefile import rows
from voirdire.calibration.cases import identity_of, source_finder, text_of
from voirdire.errors import ConfigError
from voirdire.journal import Damage
from voirdire.source import Source
from voirdire.yamlfile import read_text

_FIELD = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.]*)\s*\}\}")
_KNOWN = ("question", "source")


class Question(NamedTuple):
    """One question of a run.

    Attributes:
        id: the case's name; no other case has it.
        text: what is asked.
        sources: the documents of truth, at least one.
    """

    id: str
    text: str
    sources: tuple[Source, ...]

    @property
    def source_text(self) -> str:
        """The sources as a prompt shows them: one as it is, several under their ids."""
        if len(self.sources) == 1:
            return self.sources[0].text
        return "\n\n".join(f"[{source.id}]\n{source.text}" for source in self.sources)


class Template:
    """A prompt with ``{{question}}`` and ``{{source}}`` in it; nothing in it is run.

    Args:
        text: the template.
        name: of its file, for errors.

    Raises:
        ConfigError: it does not ask the question, or names something else.
    """

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        found = [match[1] for match in _FIELD.finditer(text)]
        unknown = next((field for field in found if field not in _KNOWN), None)
        if unknown is not None:
            raise ConfigError(
                f"{name}: {{{{{unknown}}}}} is not known; a prompt has {{{{question}}}} and"
                " {{source}}"
            )
        if "question" not in found:
            raise ConfigError(f"{name}: never asks the question; write {{{{question}}}} into it")

    def filled(self, question: Question) -> str:
        """The prompt of one question; what stands in its texts is not filled in again."""
        fields = {"question": question.text, "source": question.source_text}
        return _FIELD.sub(lambda match: fields[match[1]], self.text)


def load_template(path: Path) -> Template:
    """Read a prompt's file.

    Raises:
        ConfigError: it cannot be read, or is no prompt.
    """
    return Template(read_text(path, "prompt"), str(path))


def load_questions(path: Path, sources: Sequence[Source] | None) -> list[Question]:
    """Read the questions of a file of cases: JSONL, YAML or CSV with an id and a question each.

    A damaged case ends it: models are compared over the same questions, or not at all.

    Args:
        path: the file.
        sources: for cases that bring none; ``None`` takes the file beside the cases.

    Raises:
        ConfigError: the file, or a case of it, cannot be used.
    """
    find_sources = source_finder(path.parent, None if sources is None else tuple(sources))
    questions: dict[str, Question] = {}
    for row in rows(path):
        if isinstance(row, Damage):
            raise ConfigError(f"{row.where}: {row.why}")
        try:
            identity, text = identity_of(row.fields), text_of(row.fields, "question")
            if text is None or not text.strip():
                raise ConfigError("has no `question`")
            if identity in questions:
                raise ConfigError(f"the id {identity!r} stands twice; give each its own")
            questions[identity] = Question(identity, text, find_sources(row.fields))
        except ConfigError as error:
            raise ConfigError(f"{row.where}: {error}") from None
    if not questions:
        raise ConfigError(f"{path}: holds no cases")
    return list(questions.values())
