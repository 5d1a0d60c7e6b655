"""Cited ids that no source has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from typing import Any

from voirdire.checks.subject import Subject
from voirdire.errors import ConfigError
from voirdire.evidence import fold

_BRACKETS = re.compile(r"[\[【]([^\[\]【】\n]{1,2000})[\]】](\()?")
_TASK_BOX = re.compile(r"(?m)^([ \t>]*[-*+] )\[[ xX]\](?= )")
_SEPARATORS = re.compile(r"[,;|]")
_PLAIN = re.compile(r"[^\s\"'“”<>=(){}]+")
_DIGITS = re.compile(r"\d+")


def read(value: Any) -> Callable[[Subject], list[str]]:
    """The check for ``citations:``, true or ``{pattern: REGEX}``.

    Without a pattern a citation is whatever stands in square brackets as one word, or as several
    with commas between; in other bracketed text, a word that looks like the sources' ids.

    Raises:
        ConfigError: it is something else, or the pattern is no regular expression that can be used.
    """
    pattern = None
    if value is not True:
        if not isinstance(value, dict) or list(value) != ["pattern"]:
            raise ConfigError("config: citations: must be true or {pattern: REGEX}")
        pattern = _compiled(value["pattern"])

    def faults(subject: Subject) -> list[str]:
        ids = {fold(source.id) for source in subject.sources}
        cited = _matched(pattern, subject.prose) if pattern else _in_brackets(subject, ids)
        unknown = dict.fromkeys(text for text in cited if fold(text) not in ids)
        return [f"[{text}] is the id of no source" for text in unknown]

    return faults


def _compiled(text: Any) -> re.Pattern[str]:
    try:
        pattern = re.compile(text)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        raise ConfigError(
            f"config: citations: pattern: no regular expression ({error}); mend it"
        ) from None
    if not isinstance(pattern.pattern, str) or pattern.groups > 1 or pattern.fullmatch(""):
        raise ConfigError(
            "config: citations: pattern: must match some text, the id in its one group or all of it"
        )
    return pattern


def _matched(pattern: re.Pattern[str], answer: str) -> Iterator[str]:
    for found in pattern.finditer(answer):
        yield found[pattern.groups] or found[0]


def _in_brackets(subject: Subject, ids: Set[str]) -> Iterator[str]:
    yield from _bracketed(subject.prose, ids)
    if subject.is_json:  # a list of ids; but any list stands in brackets
        yield from _bracketed(subject.answer, ids, look_alikes_only=True)


def _bracketed(text: str, ids: Set[str], *, look_alikes_only: bool = False) -> Iterator[str]:
    shapes = {_shape(name) for name in ids} - {"0"}
    for found in _BRACKETS.finditer(_TASK_BOX.sub(r"\1", text)):
        is_prose = look_alikes_only or found[2] is not None
        for part in map(str.strip, _SEPARATORS.split(found[1])):
            if fold(part) in ids:
                continue
            bare = part.strip("`^@")
            if not is_prose and _PLAIN.fullmatch(bare) and any(map(str.isalnum, bare)):
                yield bare
                continue
            for word in map(str.strip, part.split()):
                word = word.strip("`^@\"'“”.:()")
                if any(map(str.isdecimal, word)) and _shape(fold(word)) in shapes:
                    yield word


def _shape(identity: str) -> str:
    """The id with its numbers made one: ``kb-07`` and ``kb-99`` look alike."""
    return _DIGITS.sub("0", identity)
