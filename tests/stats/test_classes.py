"""Agreement over more than two classes, by what others have published and by scikit-learn."""

from __future__ import annotations

import json
import os
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.stats.bounds import kappa_interval
from voirdire.stats.classes import (
    agreement,
    cross,
    kappa,
    majority,
    strength,
    undefined_kappa_reason,
)
from voirdire.stats.tests import fisher

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("VOIRDIRE_DATA") or ROOT.parent / "shared" / "data") / "pandalm"
CHOICES = st.lists(st.tuples(st.sampled_from("ab="), st.sampled_from("ab=")), max_size=60)
# How the GPT-3.5 recordings write what the annotators wrote as 0; all else cannot be read.
GPT = {"1": "1", "2": "2", "Tie": "0"}


def pandalm(name: str) -> list[dict[str, Any]]:
    """A file of WeOpenML/PandaLM (Apache-2.0): 999 pairs of answers."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is not there: set VOIRDIRE_DATA to the folder with the public data")
    rows: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))
    return rows


def votes() -> list[list[str]]:
    """The three annotators' choices, pair by pair."""
    rows = pandalm("testset-v1.json")
    return [[str(row[f"annotator{who}"]) for who in (1, 2, 3)] for row in rows]


def test_pandalms_annotators_agree_as_published() -> None:
    rated = votes()
    found = [
        kappa(cross((row[one], row[two]) for row in rated))
        for one, two in combinations(range(3), 2)
    ]
    assert found == pytest.approx([0.8520, 0.8789, 0.8617], abs=5e-5)
    # The project's README rounds them: 0.85, 0.88, 0.86.
    assert [strength(value) for value in found if value] == ["almost perfect"] * 3


def gpt_3_5() -> tuple[list[str], list[str]]:
    """The majority of the annotators, and what GPT-3.5 said, pair by pair."""
    people = [majority(row) or "" for row in votes()]
    said = [row["gpt_result"] for row in pandalm("gpt-3.5-turbo-testset-v1.json")]
    return people, [GPT.get(word, "unreadable") for word in said]


def test_gpt_3_5_has_the_published_figures_where_unreadable_is_a_class_of_its_own() -> None:
    people, said = gpt_3_5()
    assert Counter(people) == {"0": 105, "1": 422, "2": 472}
    assert said.count("unreadable") == 25
    every = cross(zip(people, said, strict=True))
    assert agreement(every) == pytest.approx(0.698, abs=5e-4)
    assert kappa(every) == pytest.approx(0.4755, abs=5e-5)
    assert strength(0.4755) == "moderate"


def test_leaving_the_unreadable_verdicts_out_flatters_gpt_3_5() -> None:
    """Thirteen of the twenty-five are pairs that people called a tie."""
    people, said = gpt_3_5()
    decided = cross(
        (one, two) for one, two in zip(people, said, strict=True) if two != "unreadable"
    )
    assert sum(decided.values()) == 974
    assert (agreement(decided), kappa(decided)) == pytest.approx((697 / 974, 0.4929), abs=5e-5)
    silent = Counter(one for one, two in zip(people, said, strict=True) if two == "unreadable")
    assert silent == {"0": 13, "1": 6, "2": 6}
    assert fisher((13, 105 - 13), (12, 894 - 12)) < 1e-6


def test_the_interval_of_kappa_is_as_wide_as_the_large_sample_error_says() -> None:
    people, said = gpt_3_5()
    counts = cross(zip(people, said, strict=True))
    bounds = kappa_interval(counts, seed=1)
    assert bounds.low is not None
    assert bounds.high is not None
    assert (bounds.high - bounds.low) / (2 * 1.96) == pytest.approx(_fleiss_error(counts), rel=0.05)


def _fleiss_error(counts: Counter[tuple[str, str]]) -> float:
    """The large-sample standard error of kappa (Fleiss, Cohen, Everitt 1969), by statsmodels."""
    rates = pytest.importorskip("statsmodels.stats.inter_rater")
    names = sorted({name for cell in counts for name in cell})
    table = [[counts[one, two] for two in names] for one in names]
    return float(rates.cohens_kappa(table).std_kappa)


@settings(deadline=None, derandomize=True)
@given(CHOICES)
def test_kappa_is_scikit_learns(choices: list[tuple[str, str]]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    found = kappa(cross(choices))
    if found is not None:
        ones, twos = zip(*choices, strict=True)
        assert found == pytest.approx(metrics.cohen_kappa_score(ones, twos), abs=1e-12)


@given(CHOICES)
def test_kappa_is_within_its_range_and_knows_no_names_and_no_order(
    choices: list[tuple[str, str]],
) -> None:
    found = kappa(cross(choices))
    renamed = {"a": "b", "b": "=", "=": "a"}
    assert found is None or -1 <= found <= 1
    assert found == kappa(cross((renamed[one], renamed[two]) for one, two in reversed(choices)))
    assert found == kappa(cross((two, one) for one, two in choices))
    assert (found is None) == bool(undefined_kappa_reason(cross(choices)))


def test_an_undefined_kappa_is_said_in_words() -> None:
    assert undefined_kappa_reason({}) == "both rated no case"
    assert undefined_kappa_reason({("a", "a"): 5, ("b", "b"): 0}) == (
        'both chose "a" every time, which chance alone would give as well'
    )
    assert kappa_interval(cross([("a", "a")] * 5), seed=1).low is None
    assert kappa_interval({}, seed=1).low is None
    assert agreement({}) is None


@pytest.mark.parametrize(
    ("value", "word"),
    [
        # Landis and Koch 1977: below 0, 0.00-0.20, 0.21-0.40, 0.41-0.60, 0.61-0.80, 0.81-1.00.
        (-0.01, "poor"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.21, "fair"),
        (0.4, "fair"),
        (0.56, "moderate"),
        (0.6, "moderate"),
        (0.61, "substantial"),
        (0.8, "substantial"),
        (0.81, "almost perfect"),
        (1.0, "almost perfect"),
    ],
)
def test_the_word_of_a_kappa_is_landis_and_kochs(value: float, word: str) -> None:
    assert strength(value) == word


def test_a_majority_is_more_than_half() -> None:
    assert majority(["a", "b", "a"]) == "a"
    assert majority(["a", "b"]) is None
    assert majority(["a", "b", "="]) is None
    assert majority([]) is None
