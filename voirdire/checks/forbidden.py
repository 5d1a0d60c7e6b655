"""Phrases that no answer may hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from voirdire.checks.subject import Subject
from voirdire.errors import ConfigError
from voirdire.evidence import fold, occurrences

_LONGEST = 500  # characters of a phrase


def read(value: Any) -> Callable[[Subject], list[str]]:
    """The check for ``forbidden:``, a list of phrases.

    They are found as whole words, whatever the case, white space, quotation marks or dashes.

    Raises:
        ConfigError: it is no list of phrases, or one has nothing in it.
    """
    if not isinstance(value, list) or not value:
        raise ConfigError("config: forbidden: must be a list of phrases")
    phrases = {}
    for phrase in value:
        folded = fold(phrase) if isinstance(phrase, str) and len(phrase) <= _LONGEST else ""
        if not folded:
            raise ConfigError(
                f"config: forbidden: {phrase!r} must be text of 1 to {_LONGEST} characters"
            )
        phrases[folded] = phrase

    def faults(subject: Subject) -> list[str]:
        answer = fold(subject.prose)
        return [
            f"says {phrase!r}"
            for folded, phrase in phrases.items()
            if next(occurrences(folded, answer), None) is not None
        ]

    return faults
