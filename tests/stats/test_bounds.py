"""Intervals against scipy's, against published ones, and where a bootstrap cannot tell."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stats.conftest import TABLES, expanded
from voirdire.errors import ConfigError
from voirdire.stats.bounds import (
    Interval,
    clopper_pearson,
    interval,
    kappa_interval,
    one_sided_low,
)
from voirdire.stats.classes import cross
from voirdire.stats.table import FRACTIONS, Table, measure

RANDOM = settings(deadline=None, derandomize=True, max_examples=25)


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    [
        # Newcombe 1998, "Two-sided confidence intervals for the single proportion", table I.
        (81, 263, 0.2527, 0.3676),
        (15, 148, 0.0578, 0.1617),
        (0, 20, 0.0, 0.1684),
        (1, 29, 0.0009, 0.1776),
        (3, 5, 0.147, 0.947),
    ],
)
def test_clopper_and_pearsons_interval_is_the_published_one(
    count: int, of: int, low: float, high: float
) -> None:
    assert clopper_pearson(count, of) == pytest.approx((low, high), abs=5e-4)


@pytest.mark.parametrize(("of", "target", "shown"), [(29, 0.9, True), (28, 0.9, False)])
def test_29_of_29_is_the_least_that_shows_nine_in_ten(of: int, target: float, shown: bool) -> None:
    assert (one_sided_low(of, of) >= target) == shown


@pytest.mark.parametrize(
    ("count", "of", "level"), [(1, 0, 0.95), (-1, 5, 0.95), (6, 5, 0.95), (1, 5, 0), (1, 5, 1)]
)
def test_what_is_no_share_has_no_exact_interval(count: int, of: int, level: float) -> None:
    with pytest.raises(ValueError, match="no share"):
        clopper_pearson(count, of, level)
    with pytest.raises(ValueError, match="no share"):
        one_sided_low(count, of, level)


@RANDOM
@given(st.integers(1, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_the_exact_interval_holds_the_share_and_mirrors_its_complement(
    share: tuple[int, int],
) -> None:
    count, of = share
    low, high = clopper_pearson(count, of)
    assert 0 <= low <= count / of <= high <= 1
    assert clopper_pearson(of - count, of) == pytest.approx((1 - high, 1 - low))
    assert low <= one_sided_low(count, of) <= count / of


@pytest.mark.parametrize("name", ["agreement", "kappa", "balanced_accuracy", "youden_j", "mcc"])
@pytest.mark.parametrize("table", [Table(30, 9, 6, 55), Table(12, 3, 20, 45)])
def test_the_bootstrap_is_scipys_on_one_row_a_case(name: str, table: Table) -> None:
    np, stats = pytest.importorskip("numpy"), pytest.importorskip("scipy.stats")
    labels, verdicts = (np.array([said == "fail" for said in column]) for column in expanded(table))

    def statistic(label: Any, verdict: Any, axis: int) -> Any:
        cells = (label & verdict, label & ~verdict, ~label & verdict, ~label & ~verdict)
        above, below = FRACTIONS[name](*(cell.sum(axis=axis).astype(float) for cell in cells))
        return above / below

    theirs = stats.bootstrap(
        (labels, verdicts),
        statistic,
        paired=True,
        vectorized=True,
        method="BCa",
        n_resamples=40_000,
        rng=np.random.default_rng(2),
    ).confidence_interval
    ours = interval(table, name, seed=1, draws=40_000)
    assert (ours.method, ours.undefined, ours.draws) == ("bca", 0, 40_000)
    # A share of eighty cases moves in steps of 0.0125, and a quantile may fall on either side.
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.0126)


def test_kappa_over_two_classes_has_the_same_interval_either_way() -> None:
    table = Table(30, 9, 6, 55)
    by_classes = kappa_interval(cross(zip(*expanded(table), strict=True)), seed=1)
    assert by_classes == pytest.approx(interval(table, "kappa", seed=1))


def test_the_seed_alone_decides() -> None:
    table = Table(30, 9, 6, 55)
    first = interval(table, "kappa", seed=1)
    assert interval(table, "kappa", seed=1) == first
    assert interval(table, "kappa", seed=2) != first


@RANDOM
@given(TABLES)
def test_bounds_hold_the_value_and_stay_within_its_range(table: Table) -> None:
    for name in FRACTIONS:
        found, value = interval(table, name, seed=1, draws=500), measure(name, table)
        if value is None:
            assert found == Interval(None, None, "", 0, 0)
            continue
        assert found.low is not None
        assert found.high is not None
        assert -1 - 1e-9 <= found.low <= value <= found.high <= 1 + 1e-9
        assert 0 <= found.undefined <= found.draws == 500


def test_a_judge_without_an_error_is_not_certain() -> None:
    few, many = (interval(Table(n, 0, 0, 3 * n), "kappa", seed=1) for n in (3, 300))
    assert (few.method, few.high) == ("jeffreys", 1.0)
    assert few.low is not None
    assert many.low is not None
    assert few.low < 0.6 < 0.97 < many.low < 1


def test_draws_that_are_undefined_are_counted() -> None:
    # One labelled fail in twelve: it is not drawn in (11/12)^12 = 35 % of the draws.
    found = interval(Table(1, 0, 4, 7), "fails_caught", seed=1)
    assert found.undefined / found.draws == pytest.approx((11 / 12) ** 12, abs=0.02)


def test_more_cases_are_narrower_and_a_higher_level_is_wider() -> None:
    def width(times: int, level: float) -> float:
        cells = Table(*(times * cell for cell in (3, 1, 1, 5)))
        found = interval(cells, "kappa", seed=1, level=level)
        assert found.low is not None
        assert found.high is not None
        return found.high - found.low

    assert width(1000, 0.95) < width(10, 0.95) < width(10, 0.99)


def test_without_the_extra_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ConfigError, match=r"numpy, which is not.*pip install 'voirdire\[stats\]'"):
        interval(Table(2, 1, 1, 8), "kappa", seed=1)
