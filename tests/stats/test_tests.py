"""Tests of chance against published examples."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.intervals import sign_test
from voirdire.stats.tests import fisher, mcnemar

COUNTS = st.integers(0, 60)


def test_mcnemars_test_is_the_published_one() -> None:
    # Armitage and Berry 1994, "Statistical Methods in Medical Research", p. 127: two media, of
    # which 12 specimens grew on the first alone and 2 on the second alone.
    assert mcnemar(12, 2) == pytest.approx(0.0129, abs=5e-5)


def test_fishers_test_is_the_published_one() -> None:
    # Fisher 1935, "The Design of Experiments": the lady tasting tea, 3 of 4 cups right; one tail
    # is 17 in 70, both are 34 in 70.
    assert fisher((3, 1), (1, 3)) == pytest.approx(34 / 70)


@settings(deadline=None, derandomize=True)
@given(COUNTS, COUNTS)
def test_mcnemars_test_is_the_sign_test_of_the_cases_that_differ(one: int, other: int) -> None:
    assert mcnemar(one, other) == pytest.approx(sign_test(one, other))


@settings(deadline=None, derandomize=True)
@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_fishers_test_knows_no_order(a: int, b: int, c: int, d: int) -> None:
    found = fisher((a, b), (c, d))
    assert 0 <= found <= 1 + 1e-9
    assert fisher((c, d), (a, b)) == pytest.approx(found)
    assert fisher((b, a), (d, c)) == pytest.approx(found)


def test_nothing_to_compare_finds_nothing() -> None:
    assert mcnemar(0, 0) == 1
    assert fisher((0, 0), (3, 4)) == 1


def test_negative_counts_are_none() -> None:
    with pytest.raises(ValueError, match="no counts"):
        mcnemar(-1, 2)
    with pytest.raises(ValueError, match="no counts"):
        fisher((1, 2), (3, -4))
