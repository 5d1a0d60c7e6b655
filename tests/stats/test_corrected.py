"""The corrected pass rate: by a published example, at its ends, and how often it is right."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scripts.simulate_corrected import REQUIRED, main, simulate, worlds
from tests.stats.conftest import TABLES
from voirdire.stats.corrected import corrected
from voirdire.stats.table import Table

SAMPLES = st.integers(1, 300).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


def test_the_estimate_is_the_published_one() -> None:
    # The example of epi.prev in the manual of the R package epiR: 23 of 150 cows are positive by
    # a test of sensitivity 0.96 and specificity 0.89; 5.1 in 100 are ill. Ill is our "fail".
    found = corrected(150 - 23, 150, Table(96, 4, 11, 89))
    assert found.value == pytest.approx(1 - 0.051, abs=5e-4)


def test_with_errors_known_beyond_doubt_only_the_test_set_is_uncertain() -> None:
    """Then it is Agresti and Coull's interval of the observed rate, stretched."""
    proportion = pytest.importorskip("statsmodels.stats.proportion")
    million = 1_000_000
    labels = Table(96 * million, 4 * million, 11 * million, 89 * million)
    found = corrected(90, 150, labels)
    ends = proportion.proportion_confint(90, 150, method="agresti_coull")
    assert (found.low, found.high) == pytest.approx([(end - 0.04) / 0.85 for end in ends], abs=1e-4)


def test_few_labels_widen_the_interval() -> None:
    widths = []
    for times in (1, 10, 100):
        found = corrected(70, 100, Table(18 * times, 2 * times, times, 19 * times))
        assert found.low is not None
        assert found.high is not None
        widths.append(found.high - found.low)
    assert widths[0] > widths[1] > widths[2]


def test_a_perfect_judge_corrects_nothing_and_is_not_believed_to_be_perfect() -> None:
    found = corrected(100, 100, Table(20, 0, 0, 20))
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low is not None
    assert found.low < 0.96


@pytest.mark.parametrize(
    ("passed", "of", "labels", "ends"),
    [
        (1, 1, Table(31, 9, 20, 14), (0.0, 1.0)),
        (1, 2, Table(13, 11, 6, 17), (0.0, 1.0)),
        (113, 257, Table(43, 47, 8, 19), (0.0, 0.161)),
        (132, 150, Table(22, 37, 8, 26), (0.879, 1.0)),
        (39, 68, Table(19, 49, 19, 51), (0.0, 1.0)),
    ],
)
def test_a_judge_hardly_better_than_chance_leaves_nearly_all_open(
    passed: int, of: int, labels: Table, ends: tuple[float, float]
) -> None:
    """Fieller's allowed rates are then all but a stretch, or all."""
    found = corrected(passed, of, labels)
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-3)


@pytest.mark.parametrize(
    ("passed", "of", "labels", "reason"),
    [
        (0, 0, Table(20, 1, 1, 20), "decided no case"),
        (5, 9, Table(0, 0, 1, 20), "no case that people failed"),
        (5, 9, Table(20, 1, 0, 0), "no case that people passed"),
        (5, 9, Table(0, 5, 0, 95), "no better than chance .*1.00"),  # a judge that passes all
        (5, 9, Table(3, 7, 8, 2), "no better than chance .*0.50"),
        (1000, 1000, Table(70, 30, 30, 270), "would hardly pass 1000 of 1000"),
        (0, 1000, Table(270, 30, 30, 70), "would hardly pass 0 of 1000"),
    ],
)
def test_what_cannot_be_corrected_is_refused_with_the_reason(
    passed: int, of: int, labels: Table, reason: str
) -> None:
    found = corrected(passed, of, labels)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert re.search(reason, found.refused)


@settings(derandomize=True)
@given(SAMPLES, TABLES)
def test_the_interval_holds_the_estimate_and_mirrors_when_pass_and_fail_are_exchanged(
    sample: tuple[int, int], labels: Table
) -> None:
    passed, of = sample
    found = corrected(passed, of, labels)
    other = corrected(of - passed, of, Table(*reversed(labels)))
    assert bool(found.refused) == bool(other.refused) == (found.value is None)
    if found.value is None or found.low is None or found.high is None:
        assert found[:3] == other[:3] == (None, None, None)
        return
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert other.value == pytest.approx(1 - found.value)
    assert (other.low, other.high) == pytest.approx((1 - found.high, 1 - found.low), abs=1e-9)


@pytest.mark.parametrize(
    ("passed", "of", "level"), [(-1, 5, 0.95), (6, 5, 0.95), (1, 5, 0), (1, 5, 1)]
)
def test_what_is_no_share_is_not_corrected(passed: int, of: int, level: float) -> None:
    with pytest.raises(ValueError, match="no share"):
        corrected(passed, of, Table(20, 1, 1, 20), level)


def test_the_interval_holds_the_truth_as_often_as_is_claimed() -> None:
    """Every ninth world of the grid; the script runs them all."""
    some = worlds()[::9]
    assert {world[:2] for world in some} == {world[:2] for world in worlds()}
    assert {world[2:4] for world in some} == {world[2:4] for world in worlds()}
    found = {world: simulate(world, runs=2000, seed=i) for i, world in enumerate(some)}
    # 2,000 runs scatter by half a per cent: a world may seem a little worse than it is.
    assert min(one.covered for one in found.values()) >= REQUIRED - 0.01
    assert sum(one.covered for one in found.values()) / len(found) >= 0.95


def test_the_simulation_prints_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--runs", "3"])
    shown = capsys.readouterr().out
    assert "100 + 100 0.90 / 0.90" in shown
    assert "least covered: World(" in shown
