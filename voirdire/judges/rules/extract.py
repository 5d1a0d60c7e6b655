"""All checkable facts of a text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from voirdire.judges.rules.dates import find_dates, find_times
from voirdire.judges.rules.fact import Fact, blank
from voirdire.judges.rules.fold import fold
from voirdire.judges.rules.marks import (
    find_bracketed,
    find_codes,
    find_lettered,
    find_links,
    find_phones,
    find_quotes,
)
from voirdire.judges.rules.names import find_names
from voirdire.judges.rules.quantities import find_quantities


class TooManyFactsError(Exception):
    """A text holds more facts than are to be looked at."""


def extract(text: str, most: int) -> list[Fact]:
    """The checkable facts of a text, in the order in which they stand.

    Args:
        text: any text.
        most: how many facts of it are looked at.

    Raises:
        TooManyFactsError: there are more. Found out early, so that a hostile text costs little.
    """
    folded = fold(text)
    found: list[Fact] = []

    def read(facts: Iterator[Fact]) -> list[Fact]:
        new = list(islice(facts, most - len(found) + 1))
        found.extend(new)
        if len(found) > most:
            raise TooManyFactsError
        return new

    quotes = read(find_quotes(folded))
    left = blank(folded, read(find_bracketed(folded)))
    links = read(find_links(left))
    left = blank(left, links)
    named = blank(left, read(find_dates(left)))
    left = blank(named, read(find_times(named)))
    left = blank(left, read(find_phones(left)))
    codes = read(find_codes(left))
    left = blank(left, codes)
    lettered = read(find_lettered(left))
    quantities = read(find_quantities(left, named))
    read(find_names(blank(named, [*codes, *lettered, *quantities])))
    whole = {link.start: link.end for link in links}
    if quotes and links:
        found = [fact for fact in found if fact.kind != "quote" or not _only(fact, whole, folded)]
    return sorted(found, key=lambda fact: (fact.start, fact.end))


def _only(quote: Fact, links: dict[int, int], folded: str) -> bool:
    """Whether a quotation holds a link and nothing else."""
    inner = folded[quote.start : quote.end]
    start = quote.start + len(inner) - len(inner.lstrip())
    return links.get(start, 0) >= quote.start + len(inner.rstrip(" .,;/"))
