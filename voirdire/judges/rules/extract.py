"""All checkable facts of a text."""

from __future__ import annotations

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


def extract(text: str) -> list[Fact]:
    """The checkable facts of a text, in the order in which they stand."""
    folded = fold(text)
    quotes = list(find_quotes(folded))
    cited = list(find_bracketed(folded))
    left = blank(folded, cited)
    links = list(find_links(left))
    left = blank(left, links)
    named = blank(left, dates := list(find_dates(left)))
    left = blank(named, times := list(find_times(named)))
    left = blank(left, phones := list(find_phones(left)))
    left = blank(left, codes := list(find_codes(left)))
    lettered = list(find_lettered(left))
    quantities = list(find_quantities(left, named))
    names = list(find_names(blank(named, [*codes, *lettered, *quantities])))
    found = [
        *quotes,
        *cited,
        *links,
        *dates,
        *times,
        *phones,
        *codes,
        *lettered,
        *quantities,
        *names,
    ]
    whole = {link.start: link.end for link in links}
    found = [fact for fact in found if fact.kind != "quote" or not _only(fact, whole, folded)]
    return sorted(found, key=lambda fact: (fact.start, fact.end))


def _only(quote: Fact, links: dict[int, int], folded: str) -> bool:
    """Whether a quotation holds a link and nothing else."""
    inner = folded[quote.start : quote.end]
    start = quote.start + len(inner) - len(inner.lstrip())
    return links.get(start, 0) >= quote.start + len(inner.rstrip(" .,;/"))
