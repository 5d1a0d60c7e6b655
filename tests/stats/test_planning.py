"""How many labels a claim needs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.stats.bounds import one_sided_low
from voirdire.stats.planning import more_needed


@pytest.mark.parametrize(
    ("count", "of", "target", "more"),
    [
        (29, 29, 0.9, 0),
        (28, 28, 0.9, 1),
        (0, 0, 0.9, 29),
        (0, 0, 0.8, 14),
        (3, 3, 0.8, 11),
        (2, 3, 0.8, None),  # two in three never show four in five
        (8, 10, 0.8, None),
        (80_001, 100_000, 0.8, None),
    ],
)
def test_so_many_more_cases_show_it(count: int, of: int, target: float, more: int | None) -> None:
    assert more_needed(count, of, target) == more


@settings(deadline=None, derandomize=True, max_examples=30)
@given(
    st.integers(1, 60).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))),
    st.sampled_from([0.5, 0.8, 0.9]),
)
def test_it_is_the_fewest(share: tuple[int, int], target: float) -> None:
    count, of = share
    more = more_needed(count, of, target)
    if more is None:
        assert count / of < target + 0.02
        return
    sizes = range(of, of + more + 1) if more < 200 else (of, of + more)
    shown = [one_sided_low(size * count // of, size) >= target for size in sizes]
    assert shown[-1]
    assert not any(shown[:-1])


@pytest.mark.parametrize(
    ("count", "of", "target", "level"),
    [(-1, 5, 0.8, 0.95), (6, 5, 0.8, 0.95), (1, 5, 0, 0.95), (1, 5, 1, 0.95), (1, 5, 0.8, 1)],
)
def test_what_is_no_share_needs_nothing(count: int, of: int, target: float, level: float) -> None:
    with pytest.raises(ValueError, match="no share"):
        more_needed(count, of, target, level)
