"""Agreement over decided cases, by published figures and by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.agreement import Agreement, agreement


def pairs(both_pass: int, both_fail: int, missed: int, harsh: int) -> list[tuple[str, str]]:
    return (
        [("pass", "pass")] * both_pass
        + [("fail", "fail")] * both_fail
        + [("fail", "pass")] * missed
        + [("pass", "fail")] * harsh
    )


@pytest.mark.parametrize(
    ("counts", "rate", "kappa"),
    [
        ((8, 2, 1, 1), 10 / 12, 5 / 9),  # the support bot: 83 %, kappa 0.56
        ((9, 0, 3, 0), 0.75, 0.0),  # a judge that always passes
        ((11, 0, 1, 0), 11 / 12, 0.0),
        ((9, 2, 1, 0), 11 / 12, 0.75),
        ((20, 15, 5, 10), 0.7, 0.4),
        ((1, 1, 0, 0), 1.0, 1.0),
        ((0, 0, 1, 1), 0.0, -1.0),
    ],
)
def test_rate_and_kappa(counts: tuple[int, int, int, int], rate: float, kappa: float) -> None:
    found = agreement(pairs(*counts))
    assert found == Agreement(*counts, missing=0)
    assert found.rate == pytest.approx(rate)
    assert found.kappa == pytest.approx(kappa)


@pytest.mark.parametrize("counts", [(3, 0, 0, 0), (0, 3, 0, 0)])
def test_kappa_is_undefined_where_chance_agrees_fully(counts: tuple[int, int, int, int]) -> None:
    assert agreement(pairs(*counts)).rate == 1.0
    assert agreement(pairs(*counts)).kappa is None


def test_nothing_decided_gives_no_figure() -> None:
    found = agreement([("pass", "undecided"), ("fail", "judge_error")])
    assert (found.decided, found.missing, found.rate, found.kappa) == (0, 2, None, None)


@given(st.lists(st.integers(0, 20), min_size=4, max_size=4), st.integers(0, 20))
def test_errors_and_undecided_cases_change_no_figure(counts: list[int], extra: int) -> None:
    decided = pairs(*counts)
    open_cases = [("fail", "judge_error"), ("pass", "undecided")] * extra
    plain, mixed = agreement(decided), agreement([*open_cases, *decided])
    assert (plain.rate, plain.kappa) == (mixed.rate, mixed.kappa)
    assert mixed.missing == 2 * extra
    assert plain.kappa is None or -1 - 1e-9 <= plain.kappa <= 1 + 1e-9
