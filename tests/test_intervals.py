"""Intervals and tests against values that are known from elsewhere."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire import intervals
from voirdire.errors import ConfigError
from voirdire.intervals import rule_of_three, sign_test, wilson


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [
        # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval_is_the_published_one(
    count: int, of: int, low: float, high: float
) -> None:
    assert wilson(count, of) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_interval_holds_the_share_and_mirrors_its_complement(share: tuple[int, int]) -> None:
    count, of = share
    low, high = wilson(count, of)
    assert 0 <= low <= count / of <= high <= 1
    assert wilson(of - count, of) == pytest.approx((1 - high, 1 - low))


@settings(deadline=None)
@given(st.integers(1, 500).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_wilsons_interval_is_scipys(share: tuple[int, int]) -> None:
    count, of = share
    stats = pytest.importorskip("scipy.stats")  # slow to load, in the first example
    found = stats.binomtest(count, of).proportion_ci(method="wilson")
    assert wilson(count, of) == pytest.approx((found.low, found.high), abs=1e-12)


@pytest.mark.parametrize(("of", "bound"), [(265, 0.0113), (300, 0.01), (1, 1.0), (2, 1.0)])
def test_none_found_is_at_most_three_in_so_many(of: int, bound: float) -> None:
    assert rule_of_three(of) == pytest.approx(bound, abs=5e-5)


def test_a_higher_level_is_wider() -> None:
    narrow, wide = wilson(5, 10, 0.8), wilson(5, 10, 0.99)
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_is_the_binomials_two_tails(wins: int, losses: int) -> None:
    n, less = wins + losses, min(wins, losses)
    tail = sum(math.comb(n, k) for k in range(less + 1)) / 2**n
    assert sign_test(wins, losses) == pytest.approx(min(1.0, 2 * tail))
    assert sign_test(losses, wins) == pytest.approx(sign_test(wins, losses))


def test_the_sign_test_of_no_cases_finds_nothing() -> None:
    assert sign_test(0, 0) == 1


@pytest.mark.parametrize(
    ("count", "of", "level"), [(1, 0, 0.95), (-1, 5, 0.95), (6, 5, 0.95), (1, 5, 0), (1, 5, 1)]
)
def test_what_is_no_share_has_no_interval(count: int, of: int, level: float) -> None:
    with pytest.raises(ValueError, match="no share"):
        wilson(count, of, level)


def test_negative_counts_are_none() -> None:
    with pytest.raises(ValueError, match="no counts"):
        sign_test(-1, 2)


def test_without_scipy_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    assert intervals.available()
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert wilson(1, 2)
    with pytest.raises(ConfigError, match=r"pip install 'voirdire\[stats\]'"):
        sign_test(1, 2)
