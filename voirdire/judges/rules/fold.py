"""Fold away what does not change a text's meaning, and reduce words to their stems."""

from __future__ import annotations

import re

# One character for one character, so that a position in the folded text is a position in the text.
_FOLDS = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»″〝〞＂", '"'),
        **dict.fromkeys("‘’‚‛‹›′´`＇", "'"),
        **dict.fromkeys("‐‑‒–—―−﹣－⁃", "-"),
        **dict.fromkeys("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007", " "),
        **dict.fromkeys("\u2008\u2009\u200a\u202f\u205f\u3000\ufeff\u200b\u2060", " "),
        **dict.fromkeys("×✕", "x"),
        "％": "%",
        "⁄": "/",
        "，": ",",
        "：": ":",
        "（": "(",
        "）": ")",
    }
)
MASK = "\ue000"  # stands where a fact was already taken; neither a letter nor white space

_WORD = re.compile(r"\w+(?:[.,']\w+)*")
_CODE_PARTS = re.compile(r"([^\W_]+)|(?<=\d)[\W_](?=\d)")
_LETTERS = re.compile(r"[^\W_]+")

STOP_WORDS = frozenset(
    "a an the this that these those it its is are was were be been being am do does did has have "
    "had having will would can could may might must shall should not no nor yes of in on at to by "
    "for from with without into onto over under above below up down out off as than then so such "
    "and or but if when while after before until till once since during within through about "
    "you your yours we our ours us they their them he his him she her i my me mine who whom whose "
    "which what where why how there here also just only still very too more most less least "
    "each every any all both some other another same own per via please get got let "
    "s t re ve ll d m don doesn isn aren won can't cannot "
    "one ones mr mrs ms dr".split()
)


def fold(text: str) -> str:
    """The text with quotation marks, dashes and spaces made plain; as long as before."""
    return text.translate(_FOLDS)


def stem(word: str) -> str:
    """A rough stem: enough to see that ``Refunds`` and ``refunded`` are about one thing."""
    word = word.lower()
    if word.endswith("'s"):
        word = word[:-2]
    known = _SAME.get(word)
    if known:
        return known
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            word = word[: -len(ending)]
            if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":
                word = word[:-1]
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    return word


_SAME = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annual": "year",
    "annually": "year",
    "hourly": "hour",
    "quarterly": "quarter",
    "people": "person",
    "persons": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "licence": "license",
    "licences": "license",
    "led": "lead",
    "ran": "run",
    "made": "make",
    "held": "hold",
    "sold": "sell",
    "built": "build",
    "began": "begin",
    "wrote": "write",
    "written": "write",
    "took": "take",
    "taken": "take",
    "gave": "give",
    "given": "give",
    "bought": "buy",
    "chosen": "choose",
    "chose": "choose",
    "paid": "pay",
    "added": "add",
    "adds": "add",
    "taught": "teach",
    "brought": "bring",
    "caught": "catch",
    "grew": "grow",
    "grown": "grow",
    "rose": "rise",
    "drove": "drive",
    "spoke": "speak",
    "lent": "lend",
    "met": "meet",
    "won": "win",
    "lost": "lose",
    "found": "find",
    "became": "become",
    "came": "come",
    "went": "go",
    "gone": "go",
    "told": "tell",
    "shut": "close",
    "starts": "begin",
    "start": "begin",
    "started": "begin",
    "starting": "begin",
    "begun": "begin",
    "broken": "break",
    "broke": "break",
    "sent": "send",
    "kept": "keep",
    "mail": "email",
    "e-mail": "email",
}


def words(text: str) -> list[str]:
    """The words and numbers of a folded text in order, lower case, punctuation dropped."""
    return [found.group().lower() for found in _WORD.finditer(text.replace("_", " "))]


def content(text: str) -> set[str]:
    """Stems of the words that carry meaning; numbers and stop words are left out."""
    return {
        stem(word)
        for word in (found.group().lower() for found in _LETTERS.finditer(text))
        if word not in STOP_WORDS and not word.isdecimal()
    }


def squeeze(text: str) -> str:
    """Letters and digits alone, lower case: ``AES-256`` and ``aes 256`` are one.

    Two numbers stay apart: ``HR-2.1`` is not ``HR-21``.
    """
    return "".join(part or "." for part in _CODE_PARTS.findall(text.lower()))
