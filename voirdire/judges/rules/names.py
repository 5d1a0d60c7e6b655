"""Capitalised names."""

from __future__ import annotations

import re
from collections.abc import Iterator

from voirdire.judges.rules.common import COMMON_WORDS
from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.fold import MASK, STOP_WORDS

_WORD = re.compile(r"[^\W\d_]+(?:['&-][^\W\d_]+)*")
_HEADING = re.compile(
    r"(?m)^[ \t>]*(?:(?:[-*+][ \t]+)?[^\n.!?:;,]{1,60}:[ \t]*|#{1,6}[ \t].*|"
    r"\*\*[^*\n]{1,120}\*\*:?[ \t]*|__[^_\n]{1,120}__:?[ \t]*)$"
)
_LABEL = re.compile(r"[^\W\d_][\w ]{0,40}: \Z")
_TITLES = frozenset("mr mrs ms miss dr prof professor sir madam mx".split())
_ALWAYS_KNOWN = frozenset(
    "i ok okay faq id ids url urls am pm hi hello dear thanks thank faqs ps nb tl dr eg ie asap "
    "fyi btw diy rsvp aka tbd utc gmt cet cest pst est edt pdt pdf sms pin pc tv ui hr it "
    "ai ceo cto christmas easter "
    "yes no note tip warning important".split()
)
# A word that opens a sentence and ends so is hardly anybody's name.
_ORDINARY_ENDINGS = ("s", "ing", "ly", "ed", "tion", "sion", "ment", "ness", "ity", "able", "ible",
                     "ful", "ive", "ance", "ence", "ship", "age", "ure", "ware")  # fmt: skip
_AFTER_VERBS = frozenset(
    "the a an your this these those it its any all each every one our their my both at to with "
    "from on in for of by up out off down back that yourself us me him her them about into over "
    "under through before after until if when how which what who".split()
)
_DAYS = {
    name: day
    for day, names in {
        "monday": "mon mondays", "tuesday": "tue tues tuesdays", "wednesday": "wed wednesdays",
        "thursday": "thu thur thurs thursdays", "friday": "fri fridays",
        "saturday": "sat saturdays", "sunday": "sun sundays",
    }.items()
    for name in (day, *names.split())
}  # fmt: skip


def ordinary(word: str) -> bool:
    """Whether a word (lower case) that opens a sentence needs no proof of being a name."""
    return (
        word in COMMON_WORDS
        or word in STOP_WORDS
        or word in _ALWAYS_KNOWN
        or (len(word) > 3 and word.endswith(_ORDINARY_ENDINGS))
    )


def find_names(masked: str) -> Iterator[Fact]:
    """Runs of capitalised words, one fact each; weekdays are facts of their own.

    Headings are left out, since there any word may be capitalised. A word that opens a sentence
    counts only where it looks like no ordinary word.
    """
    headings = [found.span() for found in _HEADING.finditer(masked)]
    heading = 0
    run: list[tuple[int, int, str, bool]] = []
    for found in _WORD.finditer(masked):
        start, end = found.span()
        while heading < len(headings) and headings[heading][1] <= start:
            heading += 1
        if heading < len(headings) and headings[heading][0] <= start:
            continue
        text = found.group()
        low = text.lower()
        base = low[:-2] if low.endswith("'s") else low
        if "-" in base and all(part in _DAYS for part in base.split("-")):
            yield from _named(run)
            run = []
            for part in base.split("-"):  # Mon-Fri
                at = start + base.index(part)
                yield Fact("name", at, at + len(part), (("weekday", _DAYS[part]),), "weekday")
            continue
        named = _looks_named(text) and base not in _ALWAYS_KNOWN
        if (
            named
            and base in _DAYS
            and ((text[0].isupper() and len(base) > 3) or _day_like(masked, start, end))
        ):
            yield from _named(run)
            run = []
            yield Fact("name", start, start + len(base), (("weekday", _DAYS[base]),), "weekday")
            continue
        if named and _shouted(text, base):
            named = False
        if run and not (named and _adjoins(masked, run[-1], start)):
            yield from _named(run)
            run = []
        if named and "'" in base:
            head = base.split("'")[0]
            named = not (base.endswith("n't") or head in STOP_WORDS or head in _ALWAYS_KNOWN)
        opening = (
            named
            and not run
            and opens_sentence(masked, start)
            and not (not ordinary(base) and _labelled(masked, start, end))
        )
        if opening and (
            (ordinary(base) and not _singular(masked, base, end)) or _imperative(masked, end)
        ):
            named = False
        if named:
            run.append(
                (start, start + len(base), base, opening and not any(map(str.isupper, text[1:])))
            )
            if base != low:
                yield from _named(run)
                run = []
    yield from _named(run)


def _looks_named(text: str) -> bool:
    return text[0].isupper() or any(map(str.isupper, text[1:]))


def _shouted(text: str, low: str) -> bool:
    """Whether an ordinary word was put in capitals for weight (``NOT``)."""
    return (
        len(text) > 1
        and text.isupper()
        and low not in ("us", "it")
        and (low in COMMON_WORDS or low in STOP_WORDS)
    )


def _day_like(masked: str, start: int, end: int) -> bool:
    """Whether ``Mon`` or ``Sat`` stands as a weekday: beside a dash, a comma or another day."""
    return (
        masked[end : end + 1] in ("-", ",", ".", ":", "")
        or masked[max(0, start - 1) : start] == "-"
    )


def _adjoins(masked: str, last: tuple[int, int, str, bool], start: int) -> bool:
    gap = masked[last[1] : start] if start - last[1] <= 4 else "?"
    if gap == ". ":
        if last[2] in _TITLES:  # "Dr. Okafor"
            return True
        return len(last[2]) == 1 and not ordinary(masked[start : start + 20].split()[0].lower())
    return gap in (" ", " & ", "-")


def _singular(masked: str, word: str, end: int) -> bool:
    """Whether a word that looks like a plural is one thing after all (``Paris hosts``)."""
    if not word.endswith("s") or word in COMMON_WORDS or word in STOP_WORDS:
        return False
    following = _WORD.match(masked, end + 1, end + 14)
    verb = following.group() if following else ""
    return verb in ("is", "was", "has") or (len(verb) > 3 and verb.islower() and verb.endswith("s"))


def _imperative(masked: str, end: int) -> bool:
    """Whether what follows an opening word shows that it is a verb (``Clone the``)."""
    following = _WORD.match(masked, end + 1, end + 14)
    return following is not None and following.group().lower() in _AFTER_VERBS


def _labelled(masked: str, start: int, end: int) -> bool:
    """Whether a word stands alone behind a label (``Supplier: Corvex.``)."""
    return (
        end - start > 4
        and masked[end : end + 2].strip() in ("", ".", ",", ";")
        and _LABEL.search(masked, max(0, start - 44), start) is not None
    )


def opens_sentence(masked: str, start: int) -> bool:
    """Whether a word at a position may be capitalised for standing first."""
    at = start - 1
    floor = max(-1, start - 40)
    while at > floor and masked[at] in " \t":
        at -= 1
    return at < 0 or at == floor or masked[at] in ".!?:;\n\r\"'([{*_|>#-/])…•" or masked[at] == MASK


def _named(run: list[tuple[int, int, str, bool]]) -> Iterator[Fact]:
    parts = [part for part in run if part[2] not in _TITLES and (len(part[2]) > 1 or len(run) == 1)]
    while parts and len(run) > 1 and parts[0] is run[0] and parts[0][2] in STOP_WORDS:
        parts = parts[1:]
    soft = len(run) == 1 and run[0][3] and run[0][2].isalpha()
    if not parts or (len(parts) == 1 and len(parts[0][2]) == 1):
        return
    key = ("name", tuple(part[2] for part in parts))
    yield Fact("name", parts[0][0], parts[-1][1], (key,), "name", soft=soft)
