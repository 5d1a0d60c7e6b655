"""``voirdire label``: where its answers come from, and which of them are drawn."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.calibration.label_command import (
    SOURCE,
    Label,
    folder,
    ids_shown,
    label,
    lines,
)
from tests.cli.conftest import write_lines
from tests.promptfoo.test_ratings import graded, row, write
from voirdire.calibration.labelling import Candidate, candidates, draw
from voirdire.errors import ConfigError
from voirdire.grade import Case, grade
from voirdire.journal import Journal
from voirdire.judges.spec import make_judge
from voirdire.rubric import Rubric
from voirdire.source import Source

__all__ = ["folder", "label"]

SOURCES = (Source("s", SOURCE),)
RUBRIC = Rubric("r", {"grounded": "Is it in the source?"})

# Where answers come from


def test_answers_of_a_run_come_with_their_sources_and_without_the_verdict(
    label: Label, folder: Path
) -> None:
    write(
        folder / "results.json",
        row(graded("pass", 0.95), vars={"case_id": "x", "source": "The reset link."}),
        row(graded("fail", 0.2), vars={"case_id": "y"}, response={"output": "No."}),
    )
    done = label(typed="p\np\n", origin="results.json")
    assert sorted(ids_shown(done.out)) == ["x", "y"]
    assert "The reset link." in done.out
    for words in ("0.95", "0.2", "canned", "verdict"):
        assert words not in done.out
    found = {case["id"]: case for case in lines(folder)}
    assert found["x"]["source"] == [{"id": "source", "text": "The reset link."}]
    assert "source" not in found["y"]
    assert found["x"]["model"] == "echo"


def test_only_what_the_judge_passed_or_failed(label: Label, folder: Path) -> None:
    outcomes = ["pass", "fail", "undecided", "judge_error", "pass"]
    rows = [
        row(graded(outcome), vars={"case_id": f"{outcome}-{n}"}, response={"output": f"{n}."})
        for n, outcome in enumerate(outcomes)
    ]
    write(folder / "results.json", *rows)
    passes = label("--of", "passes", typed="s\ns\ns\n", origin="results.json").out
    assert sorted(ids_shown(passes)) == ["pass-0", "pass-4"]
    fails = label("--of", "fails", typed="s\ns\ns\n", origin="results.json").out
    assert ids_shown(fails) == ["fail-1"]


def test_a_journals_calls_are_answers_each_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    verdict = {
        "critique": "So it says.",
        "criteria": {"grounded": True},
        "evidence": [SOURCE],
        "verdict": "pass",
        "confidence": 0.9,
    }
    replies = [
        {"id": "a", "reply": json.dumps(verdict)},
        {"id": "a", "reply": json.dumps(verdict), "order": "answer_first"},
        {"id": "b", "reply": json.dumps({**verdict, "verdict": "cannot_decide"})},
        {"id": "c", "reply": "no verdict"},
    ]
    write_lines(tmp_path / "replies.jsonl", replies)
    judge = make_judge(f"replay:{tmp_path / 'replies.jsonl'}")
    cases = [
        Case(SOURCES, "How long?", "30 minutes.", "a"),
        Case(SOURCES, None, "A while.", "b"),
        Case(SOURCES, None, "For ever.", "c"),
        Case(SOURCES, None, "Another answer.", "a"),
    ]
    for case in cases:
        grade(case, RUBRIC, judge, journal, order="both")
    grade(Case(SOURCES, None, "Nameless."), RUBRIC, make_judge("rules"), journal)
    found, damaged = candidates(journal.path)
    assert damaged == []
    assert found[0] == Candidate("a", "How long?", "30 minutes.", SOURCES, "", "pass", 0.9)
    assert [(item.outcome, item.answer) for item in found[1:4]] == [
        ("undecided", "A while."),
        ("judge_error", "For ever."),
        ("pass", "Another answer."),
    ]
    other, nameless = found[3].id, found[4].id
    assert other.startswith("a-")
    assert len(nameless) == 12
    # What is written later changes no name.
    grade(Case(SOURCES, None, "A third one.", "a"), RUBRIC, judge, journal)
    assert [item.id for item in candidates(journal.path)[0]][:5] == ["a", "b", "c", other, nameless]


def test_answers_may_bring_source_verdict_and_confidence(tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text("Own.")
    write_lines(
        tmp_path / "answers.jsonl",
        [
            {"id": "a", "answer": "x", "source": "S.", "outcome": "fail", "confidence": 0.5},
            {"id": 2, "answer": "y", "source_file": "own.md", "confidence": "high"},
            {"id": "a", "answer": "z"},
        ],
    )
    found, damaged = candidates(tmp_path / "answers.jsonl")
    assert damaged == []
    first, second, third = found
    assert first == Candidate("a", None, "x", (Source("source", "S."),), "", "fail", 0.5)
    assert (second.id, second.own[0].text, second.confidence) == ("2", "Own.", None)
    assert third.id.startswith("a-")


# The draw


def pool(*groups: tuple[str, float | None, int]) -> list[Candidate]:
    return [
        Candidate(f"{outcome}-{confidence}-{n}", None, f"{n}", (), "", outcome, confidence)
        for outcome, confidence, count in groups
        for n in range(count)
    ]


def test_a_seed_draws_the_same_for_ever() -> None:
    drawn = draw(pool(("", None, 100)), 5, 7)
    assert [item.answer for item in drawn] == ["94", "49", "50", "4", "96"]
    assert draw(list(reversed(pool(("", None, 100)))), 5, 7) == drawn
    assert draw(pool(("", None, 100)), 5, 8) != drawn


@settings(deadline=None)
@given(st.integers(0, 30), st.integers(1, 40), st.integers())
def test_a_draw_has_each_answer_once_and_as_many_as_there_are(
    count: int, n: int, seed: int
) -> None:
    found = pool(("", None, count))
    drawn = draw(found, n, seed)
    assert len(drawn) == len(set(drawn)) == min(n, count)
    assert set(drawn) <= set(found)


def test_every_answer_is_drawn_as_often_as_any_other() -> None:
    found = pool(("", None, 10))
    counts = Counter(item for seed in range(1000) for item in draw(found, 3, seed))
    # 300 each; five standard deviations of a binomial are 72.
    assert all(228 <= counts[item] <= 372 for item in found)


def test_strata_are_drawn_in_equal_numbers_as_far_as_they_go() -> None:
    found = pool(("pass", None, 90), ("fail", None, 9), ("undecided", None, 2))
    counts = Counter(item.outcome for item in draw(found, 20, 1, by="verdict"))
    assert counts == {"pass": 9, "fail": 9, "undecided": 2}


def test_bands_of_confidence_are_drawn_within_each_verdict() -> None:
    levels = (0.2, 0.5, 0.7, 0.9, None)
    found = pool(*(("pass", level, 20) for level in levels), ("fail", 0.95, 20))
    counts = Counter(
        (item.outcome, item.confidence) for item in draw(found, 18, 1, by="confidence")
    )
    assert set(counts.values()) == {3}
    assert len(counts) == 6


def test_the_order_does_not_tell_the_verdict() -> None:
    found = pool(("pass", None, 90), ("fail", None, 10))
    firsts = Counter(draw(found, 20, seed, by="verdict")[0].outcome for seed in range(400))
    # 200 each; five standard deviations are 50. In the order of the strata it would be 0 or 400.
    assert 150 <= firsts["fail"] <= 250
    halves = Counter(
        item.outcome for seed in range(200) for item in draw(found, 20, seed, by="verdict")[:10]
    )
    assert 850 <= halves["fail"] <= 1150


def test_a_draw_by_verdict_needs_verdicts() -> None:
    found = pool(("", None, 3))
    for how in ({"only": "pass"}, {"by": "verdict"}):
        with pytest.raises(ConfigError, match="nobody judged these answers"):
            draw(found, 1, 0, **how)
    assert draw(pool(("fail", None, 3)), 1, 0, only="pass") == []
