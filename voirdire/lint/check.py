"""Lint one rubric file."""

from __future__ import annotations

import re
from bisect import bisect
from pathlib import Path
from typing import NamedTuple

from voirdire.lint.finding import Finding
from voirdire.lint.guidance import left_unsaid, wording_faults
from voirdire.lint.question import Span, question_faults
from voirdire.lint.words import is_english
from voirdire.rubric import load_rubric
from voirdire.yamlfile import Document, parse_yaml, read_text

MAX_CRITERIA = 4
LEAST_THRESHOLD = 0.5


class Linted(NamedTuple):
    """What was found in a rubric.

    Attributes:
        findings: in the order of their lines.
        english: whether the words could be looked at; of other languages only the structure.
    """

    findings: list[Finding]
    english: bool


def lint(path: Path) -> Linted:
    """Look for wording that makes a judge unsure, lenient or blind.

    Raises:
        ConfigError: the file is no rubric.
    """
    rubric = load_rubric(path)
    text = read_text(path, "rubric")
    places = _Places(parse_yaml(path, text), text)
    english = is_english([*rubric.criteria.values(), rubric.rules])
    found: list[tuple[int, Finding]] = []

    def add(kind: str, field: tuple[str, ...], words: str = "") -> None:
        line = places.line(field, words)
        found.append((line, Finding(kind, f"{path}:{line}", " ".join(words.split()))))

    if len(rubric.criteria) > MAX_CRITERIA:
        add("too-many-criteria", ("criteria",), f"{len(rubric.criteria)} criteria")
    for name, question in rubric.criteria.items():
        spans = list(question_faults(question, english=english))
        for kind, words in _words(question, spans + _wording(question, english=english)):
            add(kind, ("criteria", name), words)
    for kind, words in _words(rubric.rules, _wording(rubric.rules, english=english)):
        add(kind, ("rules",), words)
    for kind, field, words in left_unsaid(rubric) if english else ():
        add(kind, field, words)
    if rubric.threshold < LEAST_THRESHOLD:
        add("threshold", ("threshold",), f"threshold: {rubric.threshold:g}")
    found.sort(key=lambda item: item[0])
    return Linted([finding for _, finding in found], english)


def _wording(text: str, *, english: bool) -> list[Span]:
    return list(wording_faults(text)) if english else []


def _words(text: str, spans: list[Span]) -> dict[tuple[str, str], None]:
    """Each kind with its words, once; what lies within another of its kind is the same."""
    furthest: dict[str, int] = {}
    kept: dict[tuple[str, str], None] = {}
    for kind, start, end in sorted(spans, key=lambda span: (span[1], -span[2])):
        if end > furthest.get(kind, 0):
            furthest[kind] = end
            kept[kind, text[start:end].strip()] = None
    return kept


class _Places:
    """On which line the words of a field stand."""

    def __init__(self, document: Document, text: str) -> None:
        self._document = document
        self._text = text
        self._starts = [0, *(match.end() for match in re.finditer(r"\n", text))]

    def line(self, field: tuple[str, ...], words: str) -> int:
        """The line of the words; of the field, or of what is around it, where they are not found.

        A folded text has its spaces and line ends in other places than the value has.
        """
        _, _, number = self._document.where(*field).rpartition(":")
        first = int(number)
        tokens = words.split()
        if not tokens:
            return first
        pattern = r"\s+".join(map(re.escape, tokens))
        found = re.compile(pattern).search(self._text, self._starts[first - 1])
        return bisect(self._starts, found.start()) if found else first
