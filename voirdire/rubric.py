"""Rubrics: what a judge is asked to decide."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.errors import ConfigError
from voirdire.rubriccache import keep, recall
from voirdire.yamlfile import Document, parse_yaml, read_text

DEFAULT_THRESHOLD = 0.9
"""Confidence below which a verdict is not taken, until calibration suggests another."""

_FIELDS = ("name", "mode", "criteria", "rules", "threshold", "ignore")
_CRITERION = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}\Z")


class Rubric(NamedTuple):
    """A rubric.

    Attributes:
        name: what people call it.
        criteria: criterion → yes/no question, in order; empty in claim mode.
        rules: guidance in prose for the judge; may be empty.
        threshold: confidence that a verdict needs, 0 to 1.
        ignore: lines of an answer that make no claim (greetings, headings); claim mode.
    """

    name: str
    criteria: Mapping[str, str]
    rules: str = ""
    threshold: float = DEFAULT_THRESHOLD
    ignore: tuple[str, ...] = ()

    @property
    def criterion_names(self) -> tuple[str, ...]:
        """The criteria in order; empty in claim mode."""
        return tuple(self.criteria)

    @property
    def version(self) -> str:
        """SHA-256 of the content, hex: another wording is another rubric."""
        content = [
            self.name,
            list(self.criteria.items()),
            self.rules,
            self.threshold,
            list(self.ignore),
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def load_rubric(file: str | Path) -> Rubric:
    """Load and check a rubric's YAML file.

    Raises:
        ConfigError: names the file, the line and the field that is wrong.
    """
    path = Path(file)
    text = read_text(path, "rubric")
    kept = recall(text)
    if kept is not None:
        # What was kept was sound; if it is so no longer, the parser below knows the line.
        with suppress(ConfigError):
            return _rubric(Document(str(path), kept, {}))
    document = parse_yaml(path, text)
    rubric = _rubric(document)
    keep(text, document.value)
    return rubric


def rubric_from_mapping(value: Any, where: str) -> Rubric:
    """Check a rubric that was given inline.

    Raises:
        ConfigError: names ``where`` and the field that is wrong.
    """
    return _rubric(Document(where, value, {}))


def _rubric(document: Document) -> Rubric:
    value = document.value
    if not isinstance(value, dict):
        raise ConfigError(
            f"{document.where()}: a rubric is a mapping with at least `name:` and `criteria:`"
        )
    for key in value:
        if key not in _FIELDS:
            raise ConfigError(
                f"{document.where(key)}: unknown field `{key}`; a rubric has {', '.join(_FIELDS)}"
            )
    name = _text(document, "name", required=True)
    mode = value.get("mode", "criteria")
    if mode not in ("criteria", "claims"):
        raise ConfigError(
            f"{document.where('mode')}: mode: must be `criteria` or `claims`, not {mode!r}"
        )
    if mode == "claims" and "criteria" in value:
        raise ConfigError(
            f"{document.where('criteria')}: criteria: a rubric in claim mode has none; drop them"
        )
    if mode == "criteria" and "ignore" in value:
        raise ConfigError(
            f"{document.where('ignore')}: ignore: only a rubric with `mode: claims` has it; drop it"
        )
    return Rubric(
        name=name,
        criteria=_criteria(document) if mode == "criteria" else {},
        rules=_text(document, "rules"),
        threshold=_threshold(document),
        ignore=_ignore(document),
    )


def _text(document: Document, field: str, *, required: bool = False) -> str:
    text = document.value.get(field)
    if text is None and not required:
        return ""
    if text is None:
        raise ConfigError(f"{document.where(field)}: {field}: is missing; add `{field}: …`")
    if not isinstance(text, str) or not text.strip():
        raise ConfigError(f"{document.where(field)}: {field}: must be text that is not empty")
    return text.strip()


def _criteria(document: Document) -> dict[str, str]:
    criteria = document.value.get("criteria")
    if criteria is None:
        raise ConfigError(
            f"{document.where('criteria')}: criteria: is missing; "
            "add `criteria: {grounded: …a yes/no question…}` or `mode: claims`"
        )
    if not isinstance(criteria, dict) or not criteria:
        raise ConfigError(
            f"{document.where('criteria')}: criteria: must map each criterion to a yes/no question"
        )
    for name, question in criteria.items():
        at = document.where("criteria", name)
        if not isinstance(name, str) or not _CRITERION.match(name):
            raise ConfigError(
                f"{at}: criteria: {name!r} is no name; "
                "use letters, digits, `_` and `-`, at most 64, no digit first"
            )
        if not isinstance(question, str) or not question.strip():
            raise ConfigError(f"{at}: criteria.{name}: must be a yes/no question, as text")
    return {name: question.strip() for name, question in criteria.items()}


def _threshold(document: Document) -> float:
    value = document.value.get("threshold", DEFAULT_THRESHOLD)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise ConfigError(
            f"{document.where('threshold')}: threshold: must be a number from 0 to 1, not {value!r}"
        )
    return float(value)


def _ignore(document: Document) -> tuple[str, ...]:
    value = document.value.get("ignore", [])
    if not isinstance(value, list):
        raise ConfigError(f"{document.where('ignore')}: ignore: must be a list of lines")
    for index, line in enumerate(value):
        if not isinstance(line, str) or not line.strip():
            raise ConfigError(
                f"{document.where('ignore', index)}: ignore: each line must be text, not {line!r}"
            )
    return tuple(value)
