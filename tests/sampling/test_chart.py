"""Control limits: the published formula, the exact ones, and how often they are wrong."""

from __future__ import annotations

import math

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.sampling.chart import LEAST_BASELINE, TAIL, chart


def test_the_limits_are_shewharts_where_the_baseline_is_large() -> None:
    # NIST/SEMATECH e-Handbook, 6.3.3.2, "Proportions Control Charts": 30 wafers of 50 chips;
    # p = 0.2313, limits 0.0524 and 0.4102.
    failed = [12, 15, 8, 10, 4, 7, 16, 9, 14, 10, 5, 6, 17, 12, 22]
    failed += [8, 10, 5, 13, 11, 20, 18, 24, 15, 9, 12, 7, 13, 9, 6]
    assert sum(failed) / 1500 == pytest.approx(0.2313, abs=5e-5)
    # As a baseline of one hundred times that, so that its own sampling does not matter.
    period = (sum(failed) * 10, 15_000)
    point = chart([period] * 100 + [(12, 50)])[-1]
    limits = point.limits
    assert limits is not None
    assert (limits.method, limits.baseline, point.side) == ("p-chart", 100, "")
    assert limits.low == pytest.approx(0.0524, abs=2e-4)
    assert limits.high == pytest.approx(0.4102, abs=2e-4)


def test_a_small_baseline_widens_the_limits() -> None:
    limits = chart([(20, 100)] * 6)[-1].limits
    assert limits is not None
    spread = 3 * math.sqrt(0.2 * 0.8 * (1 / 100 + 1 / 500))
    assert (limits.low, limits.high) == pytest.approx((0.2 - spread, 0.2 + spread))


def test_one_fail_after_none_is_no_jump_and_many_are() -> None:
    quiet = [(0, 300)] * 7
    assert chart([*quiet, (1, 300)])[-1].side == ""
    point = chart([*quiet, (5, 300)])[-1]
    assert point.side == "over"
    assert point.limits is not None
    assert point.limits.method == "exact"


def test_exact_limits_are_those_of_fishers_test() -> None:
    from scipy.stats import fisher_exact

    base, of = (12, 600), 100
    limits = chart([(2, 100)] * 6 + [(0, of)])[-1].limits
    assert limits is not None
    highest = round(limits.high * of)

    def p(count: int) -> float:
        table = [[count, of - count], [base[0], base[1] - base[0]]]
        return float(fisher_exact(table, alternative="greater")[1])

    assert p(highest) >= TAIL > p(highest + 1)


def test_there_are_no_limits_before_there_is_a_baseline() -> None:
    points = chart([(1, 100)] * (LEAST_BASELINE + 1))
    assert [point.limits is None for point in points] == [True] * LEAST_BASELINE + [False]
    assert chart([(0, 0)] * 9)[-1].limits is None


def test_a_jump_is_in_no_later_baseline() -> None:
    calm = [(10, 100)] * 10
    points = chart([*calm, (60, 100), (60, 100)])
    assert [point.side for point in points[-2:]] == ["over", "over"]
    assert points[-1].limits == points[-2].limits


def test_fewer_fails_than_expected_are_marked_too() -> None:
    assert chart([*[(50, 100)] * 10, (20, 100)])[-1].side == "under"


@pytest.mark.parametrize(("share", "of"), [(0.01, 300), (0.05, 100), (0.2, 100), (0.5, 300)])
def test_a_share_that_stays_seldom_jumps(share: float, of: int) -> None:
    draws = numpy.random.default_rng(7).binomial(of, share, (60, 30))
    sides = [point.side for row in draws for point in chart([(int(k), of) for k in row])]
    held = 60 * (30 - LEAST_BASELINE)
    # Three sigmas promise 0.00135 a side; a little more is borne for the baseline.
    assert sides.count("over") / held < 0.006
    assert sides.count("under") / held < 0.006


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=12))
def test_limits_hold_their_own_centre(pairs: list[tuple[int, int]]) -> None:
    counts = [(min(pair), max(pair)) for pair in pairs]
    for (count, of), point in zip(counts, chart(counts), strict=True):
        limits = point.limits
        if limits is None:
            assert point.side == ""
            continue
        assert 0 <= limits.low <= limits.high <= 1
        assert limits.low <= limits.centre + 1 / of
        assert limits.high >= limits.centre - 1 / of
        assert (point.side == "") == (limits.low <= count / of <= limits.high)
