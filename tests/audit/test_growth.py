"""The hostile texts, and the power with which time grows."""

from __future__ import annotations

import pytest

from voirdire.audit.growth import FLOOR, HOSTILE, order

SIZES = [1_000, 2_000, 4_000, 8_000, 16_000]


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_text_has_about_the_length_asked_for(kind: str) -> None:
    for size in (1_000, 64_000):
        assert 0.95 * size <= len(HOSTILE[kind](size)) <= size


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_text_can_be_made_however_short(kind: str) -> None:
    assert all(HOSTILE[kind](size) for size in range(20))


def test_there_are_many_kinds_and_no_two_are_the_same() -> None:
    assert len({make(500) for make in HOSTILE.values()}) == len(HOSTILE) >= 14


@pytest.mark.parametrize("power", [0.5, 1, 2, 3])
def test_the_power_of_an_exact_law_is_found(power: float) -> None:
    assert order(SIZES, [FLOOR * (n / 1_000) ** power for n in SIZES]) == pytest.approx(power)


def test_the_sizes_need_not_double() -> None:
    sizes = [1_000, 1_500, 7_000]
    assert order(sizes, [(n / 1_000) ** 2 for n in sizes]) == pytest.approx(2)


def test_a_start_up_time_that_dwarfs_the_first_sizes_does_not_hide_the_growth() -> None:
    sizes = [1_000 * 2**i for i in range(10)]
    found = order(sizes, [0.05 + 1e-9 * n**2 for n in sizes])
    assert found is not None
    assert found > 1.7


def test_one_disturbed_time_does_not_decide() -> None:
    linear = [0.01, 0.02, 0.04, 0.08, 0.16]
    linear[3] *= 3
    found = order(SIZES, linear)
    assert found is not None
    assert found < 1.5


@pytest.mark.parametrize("seconds", [[], [1e-6, 5e-6, 1e-4], [1e-6, 0.01, 0.5]])
def test_times_too_short_to_mean_something_tell_nothing(seconds: list[float]) -> None:
    assert order(SIZES[: len(seconds)], seconds) is None


def test_as_many_times_as_sizes_are_needed() -> None:
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        order([1_000, 2_000], [0.1])
