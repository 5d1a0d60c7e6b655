"""A quote stands where its words stand, however a judge typed them, and nowhere else."""

from __future__ import annotations

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


def test_a_quote_at_the_end_of_a_megabyte_is_found() -> None:
    assert Texts(["lorem ipsum " * 90_000 + "expires after 30 minutes"]).hold("after 30 minutes")


@given(st.text())
def test_folding_once_is_enough_for_what_was_typed_the_same(text: str) -> None:
    assert fold(text) == fold(f" {text}\n")
    assert "\n" not in fold(text)


@given(st.text(), st.text("abc 12.,'*_-", max_size=20))
def test_a_quote_never_raises(text: str, quote: str) -> None:
    held = Texts([text]).hold(quote)
    assert not held or fold_quote(quote) in fold(text)


WORDS = st.lists(st.from_regex(r"[a-z]{1,6}|[0-9]{1,3}", fullmatch=True), min_size=1, max_size=12)


@given(WORDS, st.data())
def test_any_run_of_whole_words_stands(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(start + 1, len(words)))
    assert Texts([" ".join(words)]).hold("  ".join(words[start:end]).upper())
