"""One answer's way to its outcome: asked, written down, read, asked again, ruled."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from voirdire.errors import ConfigError, JudgeCallError
from voirdire.grade import Case, Outcome, fingerprint, grade
from voirdire.journal import Journal, entries
from voirdire.judges.base import Ask
from voirdire.judges.spec import make_judge
from voirdire.record import as_record
from voirdire.reply import Reply, Usage
from voirdire.rubric import Rubric
from voirdire.source import Source

ROOT = Path(__file__).resolve().parent.parent
SOURCE = "The link lasts 30 minutes."
RUBRIC = Rubric("support", {"grounded": "Is it in the source?"})
CASE = Case((Source("help", SOURCE),), "How long?", "It lasts 30 minutes.", "case-1")
GOOD: dict[str, Any] = {
    "critique": "So it says.",
    "criteria": {"grounded": True},
    "evidence": [SOURCE],
    "verdict": "pass",
    "confidence": 0.95,
}


class Scripted:
    """A judge that plays replies, or faults, in order."""

    spec = "scripted"
    identity: Mapping[str, Any] = {"scheme": "scripted"}
    cacheable = False

    def __init__(self, *steps: Any, can_reask: bool = True) -> None:
        self.can_reask = can_reask
        self.asks: list[Ask] = []
        self._steps = list(steps)

    def ask(self, ask: Ask) -> Reply:
        self.asks.append(ask)
        step = self._steps[min(len(self.asks), len(self._steps)) - 1]
        if isinstance(step, Exception):
            raise step
        if isinstance(step, Reply):
            return step
        text = step if isinstance(step, str) else json.dumps(step)
        return Reply(text, "stop", usage=Usage(700, 100, None), raw=f"body of {text}")


def graded(tmp_path: Path, *steps: Any, **fields: Any) -> tuple[Outcome, Scripted]:
    judge = Scripted(*steps, can_reask=fields.pop("can_reask", True))
    journal = Journal(tmp_path / "journal.jsonl")
    return grade(fields.pop("case", CASE), RUBRIC, judge, journal, **fields), judge


def lines(tmp_path: Path) -> list[dict[str, Any]]:
    text = (tmp_path / "journal.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_a_pass_is_written_down_and_recorded(tmp_path: Path) -> None:
    outcome, judge = graded(tmp_path, GOOD)
    assert (outcome.outcome, outcome.kind, outcome.score) == ("pass", "pass", 1)
    (ask,) = judge.asks
    (entry,), _ = entries(tmp_path / "journal.jsonl")
    assert entry.call["id"] == outcome.journal_id
    assert entry.call["request"] == {"messages": ask.prompt.messages}
    assert entry.call["reply"] == json.dumps(GOOD)
    assert entry.call["raw"] == f"body of {json.dumps(GOOD)}"
    assert entry.call["case_id"] == "case-1"
    assert entry.reading is not None
    assert entry.reading["reading"] == "verdict"
    assert entry.reading["verdict"] == GOOD


KILLED = """
import os, sys
from pathlib import Path
from tests.test_grade import CASE, RUBRIC, Scripted
from voirdire import grade
from voirdire.journal import Journal
grade.read = lambda *given: os.kill(os.getpid(), 9)
grade.grade(CASE, RUBRIC, Scripted("what the judge said"), Journal(Path(sys.argv[1])))
"""


def test_the_raw_reply_is_written_down_before_anybody_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    (entry,), damages = entries(path)
    assert entry.call["reply"] == "what the judge said"
    assert entry.call["raw"] == "body of what the judge said"
    assert entry.reading is None
    assert damages == []


@pytest.mark.parametrize("first", ["Looks fine.", {**GOOD, "extra": 1}, "{'a': 1}"])
def test_an_unreadable_reply_is_shown_back_once(tmp_path: Path, first: Any) -> None:
    outcome, judge = graded(tmp_path, first, GOOD)
    assert outcome.outcome == "pass"
    said = first if isinstance(first, str) else json.dumps(first)
    assert outcome.first_reply == said
    assert len(judge.asks) == 2
    shown, fault = judge.asks[1].turns
    assert shown == {"role": "assistant", "content": said}
    assert "could not be read" in fault["content"]
    assert outcome.usage == Usage(1400, 200, None)
    first_entry, second = entries(tmp_path / "journal.jsonl")[0]
    assert second.call["id"] == outcome.journal_id
    assert second.call["request"]["messages"][2:] == [dict(shown), dict(fault)]
    assert first_entry.call["reply"] == said


def test_a_judge_is_asked_again_only_once(tmp_path: Path) -> None:
    outcome, judge = graded(tmp_path, "Looks fine.", "Still fine.", GOOD)
    assert (outcome.outcome, outcome.kind) == ("judge_error", "prose")
    assert len(judge.asks) == 2
    assert outcome.raw == "Still fine."
    assert outcome.first_reply == "Looks fine."


@pytest.mark.parametrize(
    "step",
    [
        "",
        "...",
        Reply(json.dumps(GOOD)[:30], "length"),
        Reply(json.dumps(GOOD), "content_filter"),
        Reply(json.dumps(GOOD), "tool_calls"),
        json.dumps(GOOD) * 2,
    ],
)
def test_other_faults_are_not_asked_again(tmp_path: Path, step: Any) -> None:
    outcome, judge = graded(tmp_path, step, GOOD)
    assert outcome.outcome == "judge_error"
    assert len(judge.asks) == 1


def test_a_recorded_judge_is_never_asked_again(tmp_path: Path) -> None:
    outcome, judge = graded(tmp_path, "Looks fine.", GOOD, can_reask=False)
    assert outcome.kind == "prose"
    assert len(judge.asks) == 1


def test_where_asking_again_fails_the_first_reply_is_what_there_is(tmp_path: Path) -> None:
    outcome, _ = graded(tmp_path, "Looks fine.", JudgeCallError("unreachable", "it is down"))
    assert (outcome.outcome, outcome.kind) == ("judge_error", "prose")
    assert outcome.raw == "Looks fine."
    assert "asked again: it is down" in outcome.detail
    first, second = entries(tmp_path / "journal.jsonl")[0]
    assert outcome.journal_id == first.call["id"]
    assert second.call["error"]["kind"] == "unreachable"


def test_a_call_without_a_reply_is_written_down_with_what_was_received(tmp_path: Path) -> None:
    earlier = {"cause": "HTTP 502", "status": 502, "raw": "<html>busy"}
    error = JudgeCallError("unreachable", "status 500", "<html>oops", 500, [earlier])
    outcome, _ = graded(tmp_path, error)
    assert (outcome.outcome, outcome.kind, outcome.detail) == (
        "judge_error",
        "unreachable",
        "status 500",
    )
    assert outcome.raw == outcome.payload == "<html>oops"
    (entry,), _ = entries(tmp_path / "journal.jsonl")
    assert entry.call["error"] == {"kind": "unreachable", "detail": "status 500", "status": 500}
    assert entry.call["raw"] == "<html>oops"
    assert entry.call["failed"] == [earlier]
    assert entry.reading is not None
    assert entry.reading["reading"] == "unreachable"


def test_a_config_error_of_the_judge_is_no_outcome(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no key"):
        graded(tmp_path, ConfigError("no key"))


def test_the_policy_is_the_readings(tmp_path: Path) -> None:
    around = f"Here: {json.dumps(GOOD)}"
    strict, _ = graded(tmp_path, around, can_reask=False)
    tolerant, _ = graded(tmp_path, around, can_reask=False, policy="tolerant")
    assert (strict.kind, tolerant.kind) == ("prose", "pass")
    assert tolerant.normalisations == ("prose",)


def test_a_plain_contradiction_needs_no_call(tmp_path: Path) -> None:
    wrong = CASE._replace(answer="It lasts 45 minutes.")
    outcome, judge = graded(tmp_path, GOOD, case=wrong, precheck=make_judge("rules"))
    assert (outcome.outcome, outcome.judge) == ("fail", "rules")
    assert judge.asks == []


@pytest.mark.parametrize("answer", ["It lasts 30 minutes.", "It lasts a while."])
def test_what_the_rules_do_not_fail_the_judge_decides(tmp_path: Path, answer: str) -> None:
    case = CASE._replace(answer=answer)
    outcome, judge = graded(tmp_path, GOOD, case=case, precheck=make_judge("rules"))
    assert (outcome.outcome, outcome.judge) == ("pass", "scripted")
    assert len(judge.asks) == 1
    assert [entry.call["judge"] for entry in entries(tmp_path / "journal.jsonl")[0]] == [
        "rules",
        "scripted",
    ]


def test_reasons_say_what_they_are(tmp_path: Path) -> None:
    prose, _ = graded(tmp_path, "Looks\n fine. " + "x" * 400, can_reask=False)
    assert prose.reason.startswith("judge error (prose): ")
    assert "raw reply: Looks fine. xxx" in prose.reason
    assert prose.reason.endswith("…")
    assert len(prose.reason) < 450
    unsure, _ = graded(tmp_path, {**GOOD, "verdict": "cannot_decide"})
    assert unsure.reason == "undecided: the judge cannot decide: So it says. (cannot_decide)"
    canned, _ = graded(tmp_path, Reply(json.dumps(GOOD), "stop", canned=True))
    assert canned.reason == "[canned reply] So it says."


def test_every_wording_and_setting_makes_another_judge() -> None:
    judge = Scripted()
    other = Scripted()
    other.identity = {"scheme": "scripted", "seed": 1}
    marks = {
        fingerprint(judge, RUBRIC, "strict"),
        fingerprint(other, RUBRIC, "strict"),
        fingerprint(judge, RUBRIC, "tolerant"),
        fingerprint(judge, RUBRIC._replace(threshold=0.8), "strict"),
        fingerprint(judge, RUBRIC._replace(rules="Be kind."), "strict"),
        fingerprint(judge, RUBRIC._replace(criteria={"grounded": "Is it?"}), "strict"),
    }
    assert len(marks) == 6
    assert fingerprint(Scripted("x"), RUBRIC, "strict") in marks


@pytest.mark.parametrize("text", ["\ud800 lone", "\x00", "三十 🕧", "x" * 300_000])
def test_any_answer_and_any_reply_go_through(tmp_path: Path, text: str) -> None:
    outcome, _ = graded(tmp_path, text, case=CASE._replace(answer=text), can_reask=False)
    assert outcome.outcome == "judge_error"
    assert lines(tmp_path)[0]["reply"] == text
    json.dumps(as_record(outcome))


def test_the_record_holds_json_values_and_what_the_command_line_promises(tmp_path: Path) -> None:
    for steps in ([GOOD], ["..."], [JudgeCallError("budget", "spent")], ["Hm.", GOOD]):
        outcome, _ = graded(tmp_path, *steps)
        record = as_record(outcome)
        assert json.loads(json.dumps(record, allow_nan=False)) == record
        promised = "outcome kind reason raw tokens fingerprint cache journal_id"
        assert set(promised.split()) <= set(record)
        assert ("payload" in record) == (outcome.outcome == "judge_error")
        assert ("first_reply" in record) == (len(steps) == 2)


def test_a_reply_that_the_journal_has_no_room_for_is_told(tmp_path: Path) -> None:
    class Full(Journal):
        """A journal whose disk fills up once it was opened."""

        def record(self, kind: str, identity: str, fields: Mapping[str, Any]) -> None:
            raise ConfigError("journal.jsonl: the journal cannot be written (No space left)")

    with pytest.raises(ConfigError, match=r"No space left.*could not keep: body of paid for"):
        grade(CASE, RUBRIC, Scripted("paid for"), Full(tmp_path / "journal.jsonl"))
