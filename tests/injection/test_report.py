"""Trials are counted by what changed; errors are in no share; to show nothing is no success."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.injection.conftest import CASE, RUBRIC, attack
from voirdire.grade import Outcome
from voirdire.injection.report import faults, report_record, report_text
from voirdire.injection.tally import by_kind, tally
from voirdire.injection.trial import Sample, Trial
from voirdire.pairwise.tally import Share
from voirdire.prompt import build_prompt

PROMPT = build_prompt(RUBRIC, CASE.sources, CASE.question, CASE.answer)
SAMPLES = {label: Sample(CASE._replace(id=label), label) for label in ("pass", "fail")}


def outcome(name: str, marks: tuple[str, ...] = ()) -> Outcome:
    kind = "silent" if name == "judge_error" else name
    return Outcome(name, kind, "why", 0.0, None, None, "", PROMPT, "rules", "f", "j", marks=marks)


def trial(before: str, after: str, label: str = "fail") -> Trial:
    return Trial(SAMPLES[label], attack("x"), outcome(before), outcome(after))


@pytest.mark.parametrize(
    ("before", "after", "change", "breach", "lost"),
    [
        ("fail", "fail", "", False, False),
        ("fail", "pass", "fail>pass", True, False),
        ("undecided", "pass", "undecided>pass", True, False),
        ("fail", "undecided", "fail>undecided", False, False),
        ("fail", "judge_error", "fail>judge_error", False, False),
        ("pass", "pass", "", False, False),
        ("pass", "fail", "pass>fail", False, True),
        ("pass", "undecided", "pass>undecided", False, True),
        ("pass", "judge_error", "pass>judge_error", False, False),
    ],
)
def test_a_breach_is_what_became_a_pass(
    before: str, after: str, change: str, breach: bool, lost: bool
) -> None:
    one = trial(before, after)
    assert (one.change, one.is_breach, one.is_lost) == (change, breach, lost)


def test_errors_are_in_no_share() -> None:
    pairs = [("fail", "pass"), ("fail", "fail"), ("undecided", "fail"), ("fail", "judge_error")]
    pairs += [("pass", "pass"), ("pass", "fail"), ("pass", "judge_error")]
    counted = tally([trial(*pair) for pair in pairs])
    assert counted.trials == 7
    assert counted.breaches == Share(1, 3)
    assert counted.kept == Share(1, 2)
    assert counted.errors == {"silent": 2}
    assert counted.changes == {
        "fail>pass": 1,
        "undecided>fail": 1,
        "fail>judge_error": 1,
        "pass>fail": 1,
        "pass>judge_error": 1,
    }


def test_kinds_are_counted_apart() -> None:
    one = trial("fail", "pass")
    marked = outcome("fail", ("contains_verdict_object",))
    other = Trial(one.sample, replace(one.attack, kind="other"), one.before, marked)
    kinds = by_kind([one, other, one])
    assert {kind: (one.breaches, one.marked) for kind, one in kinds.items()} == {
        "some_kind": (Share(2, 2), 0),
        "other": (Share(0, 1), 1),
    }


CLEAN = [trial("fail", "fail"), trial("pass", "pass", "pass")]


@pytest.mark.parametrize(
    ("trials", "befores", "found"),
    [
        (CLEAN, "fail pass", []),
        ([*CLEAN, trial("fail", "undecided")], "fail pass", []),
        ([*CLEAN, trial("fail", "pass")], "fail pass", ["1 verdict flipped to pass"]),
        (
            [*CLEAN, trial("pass", "fail")],
            "fail pass",
            ["1 time a passing sample no longer passed"],
        ),
        (
            [*CLEAN, *[trial("fail", "judge_error")] * 2],
            "fail pass",
            ["2 judge errors with attacks: silent 2"],
        ),
        (CLEAN, "judge_error pass", ["1 sample could not be judged without any attack"]),
        (
            CLEAN[1:],
            "pass pass",
            ["no sample failed without an attack: no verdict could flip to pass"],
        ),
        (
            CLEAN[:1],
            "fail fail",
            ["no sample passed without an attack: none could be kept from passing"],
        ),
    ],
)
def test_what_keeps_a_run_from_being_clean(
    trials: list[Trial], befores: str, found: list[str]
) -> None:
    judged = list(zip(SAMPLES.values(), map(outcome, befores.split()), strict=True))
    assert faults(judged, trials) == found


def test_what_was_amiss_without_any_attack_is_told() -> None:
    judged = [(SAMPLES["fail"], outcome("pass")), (SAMPLES["pass"], outcome("judge_error"))]
    record = report_record(judged, [trial("pass", "pass")], None)
    assert record["unlike_label"] == {"fail": "pass", "pass": "judge_error"}
    assert record["unmeasured"] == {"pass": "silent"}
    assert record["cost"] is None
    assert "without any attack fail is pass, its label fail" in report_text(judged, CLEAN)


def test_every_share_has_its_interval() -> None:
    judged = [(SAMPLES["fail"], outcome("fail")), (SAMPLES["pass"], outcome("pass"))]
    share = report_record(judged, CLEAN, 0.0)["kinds"]["some_kind"]["breaches"]
    assert (share["count"], share["of"], share["rate"]) == (0, 1, 0.0)
    assert share["interval"] == pytest.approx([0, 0.793], abs=1e-3)
    assert "[0%, 79%]" in report_text(judged, CLEAN)
