"""A quote stands where its words stand, however a judge typed them, and nowhere else."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.evidence import Texts, fold, fold_quote, occurrences

SOURCE = (
    "The link **expires** after “30 minutes”, i.e. after 1,800 s or 0.5 h; don’t wait.\n"
    "Use `npm test`, not _make_; 2**3 is 8, max_tokens 4096, 5–6 users, 12:30."
)


@pytest.mark.parametrize(
    "quote",
    [
        "expires after 30 minutes",
        "The link expires",
        "THE  LINK\n**Expires**",
        '"30 minutes"',
        "„30 minutes“",
        "...expires after “30 minutes”…",
        "after 30 minutes.",
        "don't wait",
        "don´t wait",
        "don`t wait",
        "wait.\nUse",
        "Use npm test",
        "Use 'npm test'",
        "not make",
        "2**3 is 8",
        "5-6 users",
        "5—6 users",
        "ex\u00adpires",
        "ex\u200bpires",
        "ｅｘｐｉｒｅｓ",
        "1,800 s",
        "0.5 h",
        "max_tokens",
        "12:30",
    ],
)
def test_a_quote_stands(quote: str) -> None:
    assert Texts([SOURCE]).hold(quote)


@pytest.mark.parametrize(
    "quote",
    [
        "expires after 30 days",
        "0 minutes",
        "09",
        "expire",
        "link expire",
        "800 s",
        "5 h",
        "1",
        "0",
        "409",
        "30 wait",
        "23 is 8",
        "dont wait",
        "minutes i.e.",
        "",
        "   ",
        "...",
        "“”",
        "—",
        ".,;",
    ],
)
def test_a_quote_that_is_cut_changed_or_empty_stands_nowhere(quote: str) -> None:
    assert not Texts([SOURCE]).hold(quote)


@pytest.mark.parametrize(
    ("quote", "text", "stands"),
    [
        ("30", "300", False),
        ("30", "130", False),
        ("30", "30.5", False),
        ("30", "1.30", False),
        ("30", "30,000", False),
        ("30 °c", "it is -30 °c", False),
        ("30 °c", "−30 °c", False),
        ("-30 °c", "it is −30 °c", True),
        ("30 days", "14-30 days", True),
        ("30 days", "14--30 days", True),
        ("30 days", "wait – 30 days", True),
        ("30", "30, 40", True),
        ("30", "It is 30.", True),
        ("30", "30 and 300", True),
        ("30", "300 and 30", True),
        ("v1.2", "v1.2.3", False),
        ("art", "start", False),
        ("art", "art's", True),
        ("café", "cafe\u0301", True),
        ("cafe", "café", False),
        ("straße", "STRASSE", True),
        ("三十分钟后", "链接在三十分钟后过期。", True),
        ("30分", "リンクは30分で切れます", True),
        ("30", "リンクは300分で切れます", False),
        ("นาที", "ลิงก์หมดอายุใน30นาทีครับ", True),
        ("30분", "링크는 30분에 만료됩니다", True),
    ],
)
def test_words_and_numbers_are_not_cut(quote: str, text: str, stands: bool) -> None:
    assert Texts([text]).hold(quote) is stands


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        *((f"5{dash}6 users", "5-6 users") for dash in "‐‑‒–—―−﹘﹣－"),
        *((f"the {mark}trash{mark} is", 'the "trash" is') for mark in "'`´‘’‚‛“”„‟«»‹›＂＇"),
        ("don’t", "don't"),
        ("expires", "ex\u00adpires"),
        ("off\u00adline", "offline"),
        ("find the office", "ﬁnd the oﬃce"),
        ("ﬂuent workﬂow", "fluent workflow"),
        ("30 MB （max）", "３０ ＭＢ (max)"),
        ("Ａ：Ｂ", "A:B"),
        ("10 km²", "10 km2"),
        ("№ 5", "No 5"),
        ("30\u00a0minutes", "30 minutes"),
        ("30\u202fminutes", "30\u2003minutes"),
        ("Ångström", "A\u030angstro\u0308m"),
        ("ΟΔΟΣ", "οδος"),
    ],
)
def test_forms_of_one_character_are_one(quote: str, text: str) -> None:
    assert Texts([text]).hold(quote)
    assert Texts([f"It says: {text}, and so on."]).hold(quote)


@pytest.mark.parametrize(
    ("quote", "text"),
    [("5 6 users", "5-6 users"), ("re sign", "resign"), ("résumé", "resume"), ("1⁄2", "12")],
)
def test_forms_that_mean_something_else_are_not(quote: str, text: str) -> None:
    assert not Texts([text]).hold(quote)


LONG = "The link works once... well, it expires after 30 minutes. Invites last 7 days; ask Ann."


@pytest.mark.parametrize(
    "quote",
    [
        "The link … expires",
        "The link ... expires",
        "The link [...] expires after (…) minutes",
        "the LINK …, it “expires”…minutes. … ask Ann",
        "works once … it expires",
        "works once... well",
        "works once… well",
        "works once… well … Ann",
        "works once ... expires .... days",
        "[…] expires after 30 minutes […]",
        "… link … Ann …",
        "The link ... works",
    ],
)
def test_an_ellipsis_may_skip_words(quote: str) -> None:
    assert Texts(["Other.", LONG]).hold(quote)


@pytest.mark.parametrize(
    "quote",
    [
        "expires … The link",
        "The link … expires … The link",
        "The link … expires after 45 minutes",
        "The li … nk works",
        "The link … 3 … minutes",
        "expires … 0 minutes",
        "The link … — … expires",
        "The link … … expires",
        "The link .. expires",
        "The link expires",
        "30 minutes … 30 minutes",
        "…",
        "[...]",
        "… — …",
        "… ... (…)",
    ],
)
def test_what_is_around_an_ellipsis_stands_in_order_and_uncut(quote: str) -> None:
    assert not Texts([LONG]).hold(quote)


def test_an_ellipsis_does_not_lead_from_one_text_to_another() -> None:
    assert not Texts(["The link expires.", "Invites last 7 days."]).hold("link … days")


def stands_somehow(parts: Sequence[str], words: Sequence[str]) -> bool:
    """Every way to place the parts, tried."""
    runs = [part.split() for part in parts]
    places = itertools.product(range(len(words)), repeat=len(runs))
    return any(
        all(words[at : at + len(run)] == run for at, run in zip(place, runs, strict=True))
        and all(
            at + len(run) <= later for at, run, later in zip(place, runs, place[1:], strict=False)
        )
        for place in places
    )


FEW = st.sampled_from(["a", "b", "ab"])
PARTS = st.lists(st.lists(FEW, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=3)


@given(PARTS, st.lists(FEW, max_size=8), st.sampled_from([" … ", "...", " [...] "]))
def test_the_first_place_of_each_part_is_as_good_as_any(
    parts: list[str], words: list[str], ellipsis: str
) -> None:
    held = Texts([" ".join(words)]).hold(ellipsis.join(parts))
    assert held is stands_somehow(parts, words)


def test_a_quote_must_stand_in_one_text_whole() -> None:
    assert not Texts(["one two", "three four"]).hold("two three")
    assert not Texts([]).hold("one")


def test_occurrences_do_not_overlap() -> None:
    assert list(occurrences("a a", "a a a a a")) == [0, 4]


def test_periodic_texts_end() -> None:
    # Each would compare more than 10^10 characters if every place were compared whole.
    assert not Texts(["ab " * 300_000]).hold("ab " * 100_000 + "a")
    assert not Texts(["a" * 1_000_000]).hold("a" * 500_000)
    assert Texts(["a " * 500_000]).hold("a " * 250_000)
    assert not Texts(["a" * 1_000_000]).hold(" … ".join(["a" * 5_000] * 100))
    assert not Texts(["a " * 500_000]).hold("a … " * 200_000 + "b")
    assert Texts(["a " * 500_000]).hold("a … " * 200_000 + "a")


def test_a_quote_at_the_end_of_a_megabyte_is_found() -> None:
    assert Texts(["lorem ipsum " * 90_000 + "expires after 30 minutes"]).hold("after 30 minutes")


@given(st.text())
def test_folding_once_is_enough_for_what_was_typed_the_same(text: str) -> None:
    assert fold(text) == fold(f" {text}\n")
    assert "\n" not in fold(text)


@given(st.text(), st.text("abc 12.,'*_-", max_size=20))
def test_a_quote_never_raises(text: str, quote: str) -> None:
    held = Texts([text]).hold(quote)
    assert not held or fold_quote(quote) in fold(text) or "..." in fold(quote)


WORDS = st.lists(st.from_regex(r"[a-z]{1,6}|[0-9]{1,3}", fullmatch=True), min_size=1, max_size=12)


@given(WORDS, st.data())
def test_any_run_of_whole_words_stands(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    assert Texts([" ".join(words)]).hold("  ".join(words[start:end]).upper())
