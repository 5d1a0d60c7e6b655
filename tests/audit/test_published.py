"""The published finding, on the golden corpus: which way the gap runs, and what it did not see."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from voirdire.audit import engine, report
from voirdire.audit.both import Plan
from voirdire.audit.corpus.item import Form
from voirdire.audit.corpus.open import Corpus
from voirdire.audit.examples import counterexamples
from voirdire.audit.parsers.builtin import BUILTINS
from voirdire.audit.tally import Tally
from voirdire.audit.value import plain, same

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "parser_corpus"


def audited(first: str, second: str) -> Tally:
    """Two built-in parsers on both parts of the corpus."""
    corpus = Corpus([str(GOLDEN)], Form())
    return engine.run(Plan((first, second)), corpus.blocks(), jobs=2)


@pytest.fixture(scope="module")
def gap() -> Mapping[str, Any]:
    """The published pair: the eval scans backwards, production forwards."""
    return report.gap(audited("backward", "forward"))


def test_on_reasoning_before_the_object_the_eval_is_stricter_and_never_more_permissive(
    gap: Mapping[str, Any],
) -> None:
    counts = gap["kinds"]["reasoning-prefix"]["counts"]
    assert counts.get("eval_only", 0) == 0
    assert counts["production_only"] > 0


def test_of_two_objects_they_read_different_values_which_acceptances_alone_do_not_show(
    gap: Mapping[str, Any],
) -> None:
    assert gap["kinds"]["two-objects"]["counts"]["different"] > 0
    assert gap["direction"] == "divergent"


def test_a_scan_that_tries_only_the_first_brace_loses() -> None:
    found = report.gap(audited("forward-first", "forward"))
    part = found["kinds"]["reasoning-prefix"]
    assert part["counts"]["production_only"] > 0
    assert part["intended"]["eval"] < part["intended"]["production"]
    assert found["counts"]["eval_only"] == 0


def test_every_shrunk_counterexample_still_differs_as_it_says() -> None:
    pair = ("backward", "forward")
    tally = audited(*pair)
    with engine.looking(Plan(pair)) as look:
        found = counterexamples(tally, look, look)
    assert len(found) > 10
    for example in found:
        assert len(example["shrunk"]) <= example["characters"]
        assert outcome_of(pair, example["shrunk"]) == example["outcome"], example["shrunk"]


def outcome_of(pair: tuple[str, str], text: str) -> str:
    """What two parsers make of a text, told without the audit's own comparing."""
    read = []
    for name in pair:
        try:
            value = BUILTINS[name](text)
        except (ValueError, RecursionError):
            value = None
        read.append(value)
    one, other = read
    if one is not None and other is not None:
        return "same" if same(plain(one), plain(other)) else "different"
    if one is not None:
        return "eval_only"
    return "production_only" if other is not None else "neither"


def test_an_audit_of_a_parser_against_itself_has_no_difference() -> None:
    found = report.gap(audited("forward", "forward"))
    assert found["direction"] == "equal"
    assert found["counts"]["same"] + found["counts"]["neither"] == found["texts"]
