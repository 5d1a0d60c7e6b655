"""Whether a judge's quotes really stand in the text that it judged."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

_QUOTES = dict.fromkeys(map(ord, "\"'`´‘’‚‛“”„‟«»‹›′″＂＇"), "'")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_TABLE = {**_QUOTES, **_DASHES, **_INVISIBLE, ord("…"): "..."}
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]")


def fold(text: str) -> str:
    """A text with white space, case, quotation marks, dashes and Unicode form evened out."""
    plain = unicodedata.normalize("NFKC", text).translate(_TABLE).casefold()
    return _SPACE.sub(" ", plain).strip()


class Texts:
    """Texts that quotes are looked up in, each folded once."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [fold(text) for text in texts]

    def hold(self, quote: str) -> bool:
        """Whether a quote stands in one of the texts, cut at words.

        A quote without a letter or digit stands nowhere: it would prove nothing.
        """
        wanted = fold(quote).strip("' ")
        return bool(_WORD.search(wanted)) and any(
            next(occurrences(wanted, text), None) is not None for text in self._texts
        )


def occurrences(wanted: str, text: str) -> Iterator[int]:
    """Where ``wanted`` stands in ``text`` without cutting a word or a number ("30" in "300")."""
    start = text.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        cut_left = start > 0 and wanted[0].isalnum() and text[start - 1].isalnum()
        cut_right = end < len(text) and wanted[-1].isalnum() and text[end].isalnum()
        if not (cut_left or cut_right):
            yield start
        start = text.find(wanted, start + 1)
