"""A judge run over many cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.judges.judge_server import JudgeServer, reply
from voirdire.cache.local import SqliteStore
from voirdire.cache.recall import Memory
from voirdire.calibration.cases import load_cases
from voirdire.calibration.judging import judge_cases
from voirdire.calibration.labelled import Judged, Labelled
from voirdire.errors import ConfigError
from voirdire.grade import Case
from voirdire.journal import Journal, entries
from voirdire.judges.spec import make_judge
from voirdire.quorum import Quorum
from voirdire.rubric import Rubric, load_rubric
from voirdire.source import Source

KITEBASE = Path(__file__).resolve().parent.parent.parent / "golden" / "kitebase"
RUBRIC = Rubric("r", {"grounded": "Is it in the source?"})
SOURCES = (Source("s", "The link lasts 30 minutes."),)
VERDICT = json.dumps(
    {
        "critique": "So it says.",
        "criteria": {"grounded": True},
        "evidence": ["The link lasts 30 minutes."],
        "verdict": "pass",
        "confidence": 0.95,
    }
)


def labelled(*ids: str) -> list[Labelled]:
    return [
        Labelled(Case(SOURCES, None, f"Answer {name}.", name), "pass", {}, "", "", (), "", name)
        for name in ids
    ]


@pytest.mark.parametrize("in_flight", [1, 4])
def test_each_case_is_judged_and_told_of_in_order(tmp_path: Path, in_flight: int) -> None:
    cases = load_cases(KITEBASE / "cases.jsonl", sources=None).cases
    told: list[Judged] = []
    found = judge_cases(
        cases,
        load_rubric(KITEBASE / "rubric.yaml"),
        make_judge(f"replay:{KITEBASE / 'replies.jsonl'}"),
        Journal(tmp_path / "journal.jsonl"),
        in_flight=in_flight,
        on_judged=told.append,
    )
    assert told == found
    assert [item.labelled for item in found] == cases
    outcomes = [(item.labelled, item.outcome.outcome) for item in found]
    against = [one.case.id for one, outcome in outcomes if outcome != one.label]
    assert against == ["kite-06", "kite-07"]


def test_the_rules_samples_and_orders_are_handed_on(tmp_path: Path) -> None:
    with JudgeServer([reply(VERDICT)]) as server:
        judge = make_judge(f"openai:m-2024-08-06@{server.url}/v1")
        (found,) = judge_cases(
            labelled("a"),
            RUBRIC,
            judge,
            Journal(tmp_path / "journal.jsonl"),
            quorum=Quorum(3, 2),
            order="both",
            precheck=make_judge("rules"),
        )
        assert len(server.requests) == 4
    assert found.outcome.outcome == "pass"
    assert [len(sample.samples) for sample in found.outcome.samples] == [2, 2]


def test_who_is_stopped_goes_on_where_he_was(tmp_path: Path) -> None:
    cases, book = labelled(*"abcdefgh"), Journal(tmp_path / "journal.jsonl")
    memory = Memory(SqliteStore(tmp_path / "cache.sqlite"))
    with JudgeServer([reply(VERDICT)]) as server:
        judge = make_judge(f"openai:m-2024-08-06@{server.url}/v1")

        def stop(judged: Judged) -> None:
            if judged.labelled.case.id == "b":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            judge_cases(cases, RUBRIC, judge, book, memory=memory, in_flight=1, on_judged=stop)
        asked = len(server.requests)
        assert 2 <= asked < 8
        found = judge_cases(cases, RUBRIC, judge, book, memory=memory)
        assert len(server.requests) == 8
    assert [item.outcome.cache for item in found].count("hit") == asked
    assert {item.outcome.outcome for item in found} == {"pass"}


def test_an_error_of_the_settings_ends_it(tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    book = Journal(journal)
    journal.unlink()
    journal.mkdir()
    with pytest.raises(ConfigError, match="the journal cannot be written"):
        judge_cases(labelled("a", "b"), RUBRIC, make_judge("rules"), book)


def test_no_cases_ask_nobody(tmp_path: Path) -> None:
    book = Journal(tmp_path / "journal.jsonl")
    assert judge_cases([], RUBRIC, make_judge("rules"), book) == []
    assert entries(book.path) == ([], [])
