"""Untrusted text, made safe to show on a terminal."""

from __future__ import annotations

import unicodedata


def visible(text: str) -> str:
    """A text with control, format and surrogate characters escaped: nothing moves the cursor."""
    return "".join(
        char if unicodedata.category(char)[0] not in "CZ" or char == " " else ascii(char)[1:-1]
        for char in text
    )


def one_line(text: str, limit: int) -> str:
    """A text on one line of at most ``limit`` characters, what cannot be seen escaped."""
    shown = visible(" ".join(text[: 4 * limit].split()))
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
