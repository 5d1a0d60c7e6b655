"""The judge's prompt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Prompt:
    """Messages for a judge, and what they carry.

    Attributes:
        system: the instructions; hold the rubric only, nothing untrusted.
        user: one JSON object with ``question``, ``source`` and ``answer``.
        source_hashes: SHA-256 of every source whose text the messages carry.
    """

    system: str
    user: str
    source_hashes: tuple[str, ...]

    @property
    def messages(self) -> list[dict[str, str]]:
        """The messages in the shape that chat APIs take."""
        return [
            {"role": "system", "content": self.system},
            {"role": "user", "content": self.user},
        ]
