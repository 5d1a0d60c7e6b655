"""Sources of truth: documents that an answer is held against."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


def text_hash(text: str) -> str:
    """SHA-256 of a text, hex; lone surrogates are hashed as they stand."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class Source:
    """One document of truth: an id that a person can find it by, and its text."""

    id: str
    text: str

    @property
    def sha256(self) -> str:
        """SHA-256 of the text, hex."""
        return text_hash(self.text)
