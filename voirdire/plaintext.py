"""Texts of others, made safe to show in a terminal."""

from __future__ import annotations

import unicodedata


def safe_text(text: str) -> str:
    """The text with escapes for whatever could steer a terminal or hide words in it.

    Lines and tabs (as spaces) stay, and so do letters and spaces of all languages.
    """
    plain = text.replace("\r\n", "\n").expandtabs(4)
    return plain if plain.isprintable() else "".join(map(_shown, plain))


def one_line(text: str, limit: int) -> str:
    """A text on one line of at most ``limit`` characters, safe to show."""
    shown = safe_text(" ".join(text[: 4 * limit].split()))
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _shown(char: str) -> str:
    if char == "\n" or char.isprintable() or unicodedata.category(char) == "Zs":
        return char
    return ascii(char)[1:-1]
