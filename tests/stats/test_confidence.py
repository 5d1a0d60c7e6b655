"""Stated confidence held against what was right."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.intervals import wilson
from voirdire.stats.confidence import (
    THRESHOLDS,
    Point,
    Row,
    brier,
    reliability,
    risk_coverage,
    supported_threshold,
)

ROWS = st.lists(
    st.tuples(st.sampled_from([0.0, 0.3, 0.5, 0.7, 0.9, 0.95, 1.0]), st.booleans()), max_size=80
)


def rows(confidence: float, right: int, wrong: int) -> list[Row]:
    return [(confidence, True)] * right + [(confidence, False)] * wrong


def test_the_curve_takes_the_surest_verdicts_first() -> None:
    assert risk_coverage(rows(0.5, 1, 1) + rows(0.9, 3, 1) + rows(1.0, 4, 0)) == [
        Point(1.0, 4, 0.4, 0.0),
        Point(0.9, 8, 0.8, 1 / 8),
        Point(0.5, 10, 1.0, 0.2),
    ]
    assert risk_coverage([]) == []


@given(ROWS)
def test_the_curve_ends_at_every_case_and_the_judges_own_risk(given_rows: list[Row]) -> None:
    points = risk_coverage(given_rows)
    assert [point.threshold for point in points] == sorted({c for c, _ in given_rows}, reverse=True)
    for point in points:
        taken = [right for confidence, right in given_rows if confidence >= point.threshold]
        assert point.cases == len(taken)
        assert point.coverage == pytest.approx(len(taken) / len(given_rows))
        assert point.risk == pytest.approx(taken.count(False) / len(taken))


def test_bins_hold_what_was_stated_beside_what_was_right() -> None:
    (low, high) = reliability(rows(0.92, 3, 3) + rows(1.0, 2, 0) + rows(0.0, 0, 1))
    assert (low.start, low.end, low.cases, low.stated, low.right) == (0.0, 0.1, 1, 0.0, 0.0)
    assert (high.start, high.end, high.cases) == (0.9, 1.0, 8)
    assert (high.stated, high.right) == pytest.approx((0.94, 5 / 8))
    assert (high.low, high.high) == wilson(5, 8)


@given(ROWS)
def test_every_case_is_in_one_bin(given_rows: list[Row]) -> None:
    bins = reliability(given_rows)
    assert sum(one.cases for one in bins) == len(given_rows)
    assert all(one.start - 1e-9 <= one.stated <= one.end + 1e-9 for one in bins)


@pytest.mark.parametrize(
    ("given_rows", "score"),
    [
        # The example of scikit-learn's manual: 0.1, 0.9, 0.8, 0.3 for no, yes, yes, no.
        ([(0.1, False), (0.9, True), (0.8, True), (0.3, False)], 0.0375),
        (rows(1.0, 5, 0), 0.0),
        (rows(1.0, 0, 5), 1.0),
        (rows(0.5, 2, 1), 0.25),
        ([], None),
    ],
)
def test_briers_score_is_the_published_one(given_rows: list[Row], score: float | None) -> None:
    assert brier(given_rows) == pytest.approx(score)


@settings(deadline=None, derandomize=True)
@given(ROWS.filter(bool))
def test_briers_score_is_the_mean_square(given_rows: list[Row]) -> None:
    square = sum((confidence - right) ** 2 for confidence, right in given_rows) / len(given_rows)
    assert brier(given_rows) == pytest.approx(square)


def test_the_lowest_threshold_that_the_labels_support() -> None:
    found = supported_threshold(rows(1.0, 60, 0) + rows(0.9, 100, 2) + rows(0.6, 20, 40))
    assert found is not None
    assert (found.threshold, found.cases, found.right) == (0.9, 162, 160)
    assert found.low >= 0.9


def test_no_threshold_is_lower_than_what_was_stated() -> None:
    """Labels at 1.0 alone say nothing about verdicts stated at 0.7."""
    found = supported_threshold(rows(1.0, 60, 0))
    assert found is not None
    assert found.threshold == 1.0


@pytest.mark.parametrize("given_rows", [[], rows(1.0, 28, 0), rows(1.0, 80, 20), rows(0.4, 500, 0)])
def test_too_few_or_too_wrong_support_none(given_rows: list[Row]) -> None:
    assert supported_threshold(given_rows) is None


def test_29_right_of_29_support_nine_in_ten_as_one_look_costs_nothing() -> None:
    found = supported_threshold(rows(0.95, 29, 0))
    assert found is not None
    assert found.threshold == 0.95
    assert found.low == pytest.approx(0.9, abs=0.002)


def test_a_threshold_is_claimed_wrongly_in_at_most_one_of_twenty_files() -> None:
    """A judge right in not quite nine cases of ten, whatever it states, supports no threshold."""
    chance = random.Random(1)
    files = [
        [(chance.choice(THRESHOLDS), chance.random() < 0.8999) for _ in range(150)]
        for _ in range(200)
    ]
    claimed = sum(supported_threshold(file) is not None for file in files)
    assert claimed / len(files) <= 0.05
