"""Counts, cost and time left, by a clock of the test's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.runs.done import Answer, Done, Fault, read_answer
from voirdire.runs.kept import RunFolder, run_folder
from voirdire.runs.progress import Progress
from voirdire.runs.questions import Question
from voirdire.source import Source

QUESTION = Question("1", "q", (Source("s", "t"),))


def done(*, cost: float | None = 0.25, asked: int = 2, outcome: str = "pass") -> Done:
    verdict = {"outcome": outcome, "kind": outcome, "cost": 0.25}
    return Done("m", QUESTION, Answer("a", cost=cost), None, verdict, "", asked)


def ticking(*times: float) -> Iterator[float]:
    return iter(times)


def test_time_left_goes_by_what_was_asked_now_and_kept_answers_take_none() -> None:
    times = ticking(100, 130)
    progress = Progress(10, lambda: next(times))
    for one in (done(asked=0), done(asked=0), done(), done()):
        progress.count(one)
    # 30 seconds for the two that were asked, and six are left.
    assert progress.line() == "4/10 done · model errors 0 · judge errors 0 · $2.0000 · 2 min left"


def test_errors_are_counted_apart_and_a_cost_that_is_not_known_is_said() -> None:
    progress = Progress(4, lambda: 0)
    progress.count(done(outcome="judge_error"))
    progress.count(Done("m", QUESTION, None, Fault("unreachable", "x"), None, "", 1))
    progress.count(done(cost=None))
    assert progress.line().startswith("3/4 done · model errors 1 · judge errors 1 · cost not known")
    assert not progress.ended


@settings(deadline=None)
@given(st.lists(st.binary(max_size=40), max_size=5))
def test_a_run_folder_reads_whatever_its_file_holds(lines: list[bytes]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        data = b"\n".join(lines)
        (path / "run.jsonl").write_bytes(data)
        with run_folder(path) as folder:
            folder.keep("answer", "k", {"text": "a"}, paid=False)
        again = RunFolder(path)
        assert again.get("answer", "k") == {"text": "a"}
        assert again.damaged == folder.damaged


VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.lists(st.integers()))


WHOLE = Answer("a", True, "stop", "r", "m", 1, 2, 3, 0.5, 1.5, 1, ("note",), False)


@given(st.sampled_from(Answer._fields), VALUES)
def test_a_kept_answer_with_a_field_of_another_type_is_none(name: str, value: object) -> None:
    kept = json.loads(json.dumps(WHOLE._asdict()))
    found = read_answer({**kept, name: value})
    if found is not None:
        now, before = getattr(found, name), getattr(WHOLE, name)
        are_numbers = {type(now), type(before)} <= {int, float}
        assert are_numbers or now is None or type(now) is type(before)
    assert read_answer({key: kept[key] for key in kept if key != name}) is None
    assert read_answer({**kept, "more": value}) is None


def test_a_kept_answer_comes_back_as_it_was() -> None:
    answer = Answer("text", notes=("a", "b"), cost=0.5, latency_ms=3.5)
    assert read_answer(json.loads(json.dumps(answer._asdict()))) == answer
