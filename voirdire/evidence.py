"""Whether a judge's quotes really stand in the text that it judged."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

_QUOTES = dict.fromkeys(map(ord, "\"'`´‘’‚‛“”„‟«»‹›′″＂＇｀"), "'")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"))
_TABLE = {**_QUOTES, **_DASHES, **_INVISIBLE, ord("…"): "..."}
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]")
# Quotation marks and Markdown's emphasis around words: judges leave them out of what they quote.
# Those inside a word stay ("don't", "2**3").
_MARKS = r"(?<![*_'])[*_']{1,6}(?![*_'])"
_AROUND_WORDS = re.compile(rf"(?<![^\W_]){_MARKS}(?=\S)|(?<=\S){_MARKS}(?![^\W_])")
# Thai to Khmer, kana, Han and Hangul: words run on without a space, or take endings.
# Not a pattern: compiling one takes 2 ms, which every process that promptfoo starts would wait.
_UNSPACED = (
    ("\u0e00", "\u0eff"),
    ("\u1000", "\u109f"),
    ("\u1780", "\u17ff"),
    ("\u3040", "\u30ff"),
    ("\u3400", "\u9fff"),
    ("\uac00", "\ud7a3"),
    ("\uf900", "\ufaff"),
    ("\U00020000", "\U0003ffff"),
)
_EDGES = " '.,;:!?"
_ELLIPSIS = re.compile(r"[(\[]?\.{3,}[)\]]?")  # folded; with the brackets that some put around it
_WORK = 20_000_000  # characters compared for one quote, so that a text made of one word ends


def fold(text: str) -> str:
    """A text with white space, case, quotation marks, emphasis, dashes and forms evened out."""
    # Quotation marks first: NFKC takes the acute accent for a space with a mark on it.
    plain = unicodedata.normalize("NFKC", text.translate(_TABLE)).casefold()
    if any(mark in plain for mark in "*_'"):  # a look is cheap, the search is not
        plain = _AROUND_WORDS.sub("", plain)
    return _SPACE.sub(" ", plain).strip()


def fold_quote(quote: str) -> str:
    """A folded quote without the punctuation that a judge puts around it; may be empty."""
    return fold(quote).strip(_EDGES)


class Texts:
    """Texts that quotes are looked up in, each folded once."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [fold(text) for text in texts]

    def hold(self, quote: str) -> bool:
        """Whether a quote stands in one of the texts, cut at words.

        An ellipsis inside it stands for itself, or for any words that were left out; what is
        around it must then follow in order in one text. A quote without a letter or digit
        stands nowhere, nor does one with such a part: it would prove nothing.
        """
        wanted = fold_quote(quote)
        if not _WORD.search(wanted):
            return False
        if any(next(occurrences(wanted, text), None) is not None for text in self._texts):
            return True
        parts = _parts(wanted)
        if parts in ([], [wanted]):
            return False
        return any(_in_order(parts, text) for text in self._texts)


def _parts(wanted: str) -> list[str]:
    """What stands between the ellipses of a folded quote; empty where a part has no word."""
    parts = [part.strip(_EDGES) for part in _ELLIPSIS.split(wanted)]
    if not parts[0]:  # an ellipsis in brackets at an end leaves nothing out
        del parts[0]
    if parts and not parts[-1]:
        del parts[-1]
    return parts if all(map(_WORD.search, parts)) else []


def _in_order(parts: Sequence[str], text: str) -> bool:
    """Whether all parts stand in a text one after the other.

    Each is taken where it first stands behind the one before. Nothing is missed by that: in any
    way to place them all, moving the first to its first place leaves the rest at least as much
    text, and so on with the next. No part of the text is searched twice, whence linear time.
    """
    at = 0
    for part in parts:
        start = next(occurrences(part, text, at, _WORK // len(parts)), None)
        if start is None:
            return False
        at = start + len(part)
    return True


def occurrences(wanted: str, text: str, at: int = 0, most: int = _WORK) -> Iterator[int]:
    """Where ``wanted`` stands in ``text``, without overlap, cutting no word and no number.

    "30" stands neither in "300" nor in "1.30" nor in "30,000" nor in "-30".

    Args:
        wanted: folded, not empty.
        text: folded.
        at: where the search begins.
        most: characters compared before it is given up.
    """
    start = text.find(wanted, at)
    work = 0
    while start >= 0 and work < most:
        end = start + len(wanted)
        work += len(wanted)
        if _cuts(text, start) or _cuts(text, end):
            start = text.find(wanted, start + 1)
        else:
            yield start
            start = text.find(wanted, end)


def _cuts(text: str, at: int) -> bool:
    """Whether a word or a number runs across a position of a folded text."""
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    if left.isalnum() and right.isalnum():
        return not (_is_unspaced(left) or _is_unspaced(right))
    # A point, comma or colon between digits belongs to the number, whichever side it is on.
    if left == "-" and right.isdigit():  # a minus, not the dash of "3-5" or "3--5"
        return at == 1 or not (text[at - 2].isalnum() or text[at - 2] == "-")
    if left in ".,:":
        return right.isdigit() and text[max(at - 2, 0)].isdigit()
    return right in ".,:" and left.isdigit() and text[at + 1 : at + 2].isdigit()


def _is_unspaced(char: str) -> bool:
    return any(first <= char <= last for first, last in _UNSPACED)
