"""The words of texts, under every form in which they may be met again."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property

from voirdire.judges.rules.fold import fold, squeeze, stem, words

_SUFFIXES = frozenset("s es y n an ian ing ed er ers ly istrator istrators ization".split())
_PARTS = re.compile(r"[^\W_]+")


def unaccented(word: str) -> str:
    """The word without accents: ``tüv`` gives ``tuv``."""
    import unicodedata  # rarely needed, and the judge starts once per assertion

    return "".join(
        char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char)
    )


class Vocabulary:
    """The words of some texts, under every form in which they may be met again."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._folded = [fold(text) for text in texts]

    @cached_property
    def parts(self) -> list[str]:
        """Runs of letters and digits, in order, lower case."""
        return [part.lower() for text in self._folded for part in _PARTS.findall(text)]

    @cached_property
    def words(self) -> set[str]:
        """Every word as it stands, and without its accents."""
        found = set(self.parts)
        return found | {unaccented(word) for word in found if not word.isascii()}

    @cached_property
    def _stems(self) -> set[str]:
        return {stem(word) for word in self.words}

    @cached_property
    def codes(self) -> set[str]:
        """Words squeezed together, one to three at a time."""
        found = set()
        for text in self._folded:
            run = [squeeze(token) for token in re.findall(r"\w+(?:[-.:/]\w+)*", text)]
            found.update(run)
            found.update(_PARTS.findall(text.lower()))
            for size in (2, 3):
                found.update(
                    squeeze(" ".join(run[i : i + size])) for i in range(len(run) - size + 1)
                )
        return found

    @cached_property
    def tokens(self) -> set[str]:
        """Words as they stand between spaces, squeezed: ``AES-256`` gives ``aes256``."""
        return {
            squeeze(token)
            for text in self._folded
            for token in re.findall(r"\w+(?:[-.:/]\w+)*", text)
        }

    @cached_property
    def _initials(self) -> set[str]:
        first = "".join(part[0] for part in self.parts)
        return {first[i : i + size] for size in range(2, 6) for i in range(len(first) - size + 1)}

    @cached_property
    def joined(self) -> str:
        """All words with one space around each."""
        return " " + " ".join(word for text in self._folded for word in words(text)) + " "

    @cached_property
    def _prefixes(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for word in self.words:
            if len(word) >= 5:
                found.setdefault(word[:5], set()).add(word)
        return found

    def knows(self, word: str) -> bool:
        """Whether a word of a name (lower case) stands here in some form."""
        if not word.isascii() and unaccented(word) in self.words:
            return True
        if word in self.words or stem(word) in self._stems or squeeze(word) in self.codes:
            return True
        if "-" in word or "'" in word or "&" in word:
            return all(self.knows(part) for part in re.split("[-'&]", word) if len(part) > 1)
        return any(
            (word.startswith(other) and word[len(other) :] in _SUFFIXES)
            or (other.startswith(word) and other[len(word) :] in _SUFFIXES)
            for other in self._prefixes.get(word[:5], ())
        )  # fmt: skip

    def spells(self, acronym: str) -> bool:
        """Whether the letters are the first letters of words that stand here in a row."""
        return 2 <= len(acronym) <= 5 and acronym in self._initials
