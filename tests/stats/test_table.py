"""Measures of a judge's table: by published examples, by scikit-learn, by what they must obey."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stats.conftest import TABLES, expanded
from voirdire.stats.table import FRACTIONS, Table, count, measure, why_undefined

CHANCE_CORRECTED = ("kappa", "youden_j", "mcc")


@pytest.mark.parametrize(
    ("name", "table", "value", "digits"),
    [
        # Viera and Garrett 2005, "Understanding interobserver agreement", Fam Med 37.
        ("kappa", Table(15, 5, 10, 70), 0.57, 2),
        # Gwet 2002, "Kappa statistic is not satisfactory for assessing the extent of agreement
        # between raters": two raters who nearly always say the same.
        ("kappa", Table(118, 5, 2, 0), -0.0234, 4),
        ("ac1", Table(118, 5, 2, 0), 0.9408, 4),
        # Chicco and Jurman 2020, "The advantages of the Matthews correlation coefficient (MCC)
        # over F1 score and accuracy", BMC Genomics 21, use cases A1 and A2.
        ("mcc", Table(90, 1, 9, 0), -0.03, 2),
        ("mcc", Table(5, 70, 6, 19), -0.24, 2),
        ("agreement", Table(90, 1, 9, 0), 0.90, 2),
        ("agreement", Table(5, 70, 6, 19), 0.24, 2),
        # A judge that passes all, where people passed 95 of 100: never a headline.
        ("ac1", Table(0, 5, 0, 95), 0.947, 3),
        ("kappa", Table(0, 5, 0, 95), 0.0, 12),
        # The support bot's twelve cases, and its judge after the rubric was mended.
        ("agreement", Table(2, 1, 1, 8), 0.83, 2),
        ("kappa", Table(2, 1, 1, 8), 0.56, 2),
        ("kappa", Table(2, 1, 0, 9), 0.75, 12),
        ("fails_caught", Table(2, 1, 1, 8), 2 / 3, 12),
        ("passes_kept", Table(2, 1, 1, 8), 8 / 9, 12),
        ("precision_of_fails", Table(2, 1, 1, 8), 2 / 3, 12),
        ("balanced_accuracy", Table(2, 1, 1, 8), (2 / 3 + 8 / 9) / 2, 12),
        ("youden_j", Table(2, 1, 1, 8), 2 / 3 + 8 / 9 - 1, 12),
    ],
)
def test_a_measure_is_the_published_one(name: str, table: Table, value: float, digits: int) -> None:
    found = measure(name, table)
    assert found is not None
    assert round(found, digits) == pytest.approx(round(value, digits))


@settings(deadline=None, derandomize=True, max_examples=50)
@given(TABLES)
def test_the_measures_are_scikit_learns_on_one_row_a_case(table: Table) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    labels, verdicts = expanded(table)
    fail = {"pos_label": "fail", "zero_division": math.nan}
    theirs: dict[str, Callable[[], float]] = {
        "agreement": lambda: metrics.accuracy_score(labels, verdicts),
        "kappa": lambda: metrics.cohen_kappa_score(labels, verdicts),
        "fails_caught": lambda: metrics.recall_score(labels, verdicts, **fail),
        "precision_of_fails": lambda: metrics.precision_score(labels, verdicts, **fail),
        "balanced_accuracy": lambda: metrics.balanced_accuracy_score(labels, verdicts),
        "youden_j": lambda: metrics.balanced_accuracy_score(labels, verdicts, adjusted=True),
        "mcc": lambda: metrics.matthews_corrcoef(labels, verdicts),
    }
    for name, value in theirs.items():
        ours = measure(name, table)
        if ours is None:  # where scikit-learn warns, or says 0 or NaN
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert ours == pytest.approx(value(), abs=1e-12), name


@given(TABLES)
def test_measures_stay_within_their_range_and_what_is_undefined_is_said(table: Table) -> None:
    for name in FRACTIONS:
        value = measure(name, table)
        assert (value is None) == bool(why_undefined(name, table))
        if value is not None:
            low = -1 if name in (*CHANCE_CORRECTED, "ac1") else 0
            assert low - 1e-12 <= value <= 1 + 1e-12


@given(TABLES)
def test_exchanging_pass_and_fail_changes_no_symmetric_measure(table: Table) -> None:
    other = Table(*reversed(table))
    for name in set(FRACTIONS) - {"fails_caught", "passes_kept", "precision_of_fails"}:
        assert measure(name, other) == pytest.approx(measure(name, table)), name
    assert measure("fails_caught", other) == measure("passes_kept", table)


@given(TABLES)
def test_exchanging_judge_and_people_changes_no_agreement(table: Table) -> None:
    other = Table(table.caught, table.harsh, table.missed, table.kept)
    for name in ("agreement", "kappa", "mcc", "ac1"):
        assert measure(name, other) == pytest.approx(measure(name, table)), name
    assert measure("fails_caught", other) == measure("precision_of_fails", table)


@given(TABLES)
def test_a_judge_that_is_turned_round_is_as_bad_as_it_was_good(table: Table) -> None:
    other = Table(table.missed, table.caught, table.kept, table.harsh)
    for name in ("youden_j", "mcc"):
        one, two = measure(name, table), measure(name, other)
        assert (one is None) == (two is None)
        assert one is None or two is None or one == pytest.approx(-two)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["pass", "fail"]),
            st.sampled_from(["pass", "fail", "undecided", "judge_error"]),
        )
    ).flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows)))
)
def test_order_does_not_matter_and_what_is_missing_is_in_no_count(
    rows: tuple[list[tuple[str, str]], list[tuple[str, str]]],
) -> None:
    given_rows, shuffled = rows
    assert count(given_rows) == count(shuffled)
    assert count(given_rows).n == sum(said in ("pass", "fail") for _, said in given_rows)
    labels = [label for label, said in given_rows if said in ("pass", "fail")]
    assert count(given_rows).fails == labels.count("fail")


@pytest.mark.parametrize(
    ("name", "table", "reason"),
    [
        ("agreement", Table(0, 0, 0, 0), "no labelled case was decided"),
        ("kappa", Table(0, 0, 0, 9), "people and judge passed every case"),
        ("kappa", Table(9, 0, 0, 0), "people and judge failed every case"),
        ("fails_caught", Table(0, 0, 3, 9), "people passed every decided case"),
        ("passes_kept", Table(3, 9, 0, 0), "people failed every decided case"),
        ("precision_of_fails", Table(0, 3, 0, 9), "the judge passed every decided case"),
        ("mcc", Table(0, 3, 0, 9), "the judge passed every decided case"),
        ("mcc", Table(3, 0, 9, 0), "the judge failed every decided case"),
        ("balanced_accuracy", Table(0, 0, 3, 9), "people passed every decided case"),
    ],
)
def test_what_is_undefined_is_said_in_words(name: str, table: Table, reason: str) -> None:
    assert measure(name, table) is None
    assert why_undefined(name, table).startswith(reason)
