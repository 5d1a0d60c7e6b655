"""What people and judges said, out of the rows that promptfoo stored."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from voirdire.errors import ConfigError
from voirdire.journal import Damage
from voirdire.promptfoo.ratings import Answered, answers, is_run
from voirdire.source import Source

MANUAL = "Manual result (overrides all other grading results)"
SOURCE = "The link lasts 30 minutes."


def thumb(up: bool, comment: str | None = None) -> dict[str, Any]:
    """The grade that the viewer adds for a thumb up or down."""
    grade = {"pass": up, "score": int(up), "reason": MANUAL, "assertion": {"type": "human"}}
    return grade if comment is None else {**grade, "comment": comment}


def graded(outcome: str, confidence: float | None = None) -> dict[str, Any]:
    """The grade that a door of ours adds."""
    verdict = None if confidence is None else {"confidence": confidence}
    record = {"outcome": outcome, "verdict": verdict}
    return {
        "pass": outcome == "pass",
        "assertion": {"type": "python"},
        "metadata": {"voirdire": record},
    }


def row(*grades: Any, comment: str | None = None, **fields: Any) -> dict[str, Any]:
    """A row of results."""
    vars_ = fields.pop("vars", {"case_id": "one", "question": "How long?", "source": SOURCE})
    grading = {"pass": True, "componentResults": list(grades), "comment": comment}
    return {
        "provider": {"id": "echo", "label": ""},
        "response": {"output": "30 minutes."},
        "vars": vars_,
        "testCase": {"vars": vars_, "assert": []},
        "gradingResult": grading,
        "testIdx": 0,
        "promptIdx": 0,
        "success": True,
        "failureReason": 0,
        **fields,
    }


def write(path: Path, *rows: Any) -> Path:
    """A results file of any of the three kinds, by its suffix."""
    if path.suffix == ".json":
        path.write_text(json.dumps({"evalId": "e", "results": {"results": rows}}))
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE evals (id TEXT, created_at INTEGER)")
            connection.execute(
                "CREATE TABLE eval_results (id TEXT, eval_id TEXT, prompt_idx INT, test_idx INT,"
                " test_case TEXT, provider TEXT, response TEXT, error TEXT, success INT,"
                " failure_reason INT, grading_result TEXT)"
            )
            connection.execute("INSERT INTO evals VALUES ('e', 1)")
            for number, row in enumerate(rows):
                stored = (row.get(name) for name in ("testCase", "provider", "response"))
                connection.execute(
                    "INSERT INTO eval_results VALUES (?, 'e', ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        str(number),
                        row["promptIdx"],
                        row["testIdx"],
                        *map(json.dumps, stored),
                        row.get("error"),
                        row["success"],
                        row["failureReason"],
                        json.dumps(row["gradingResult"]),
                    ),
                )
            connection.commit()
    return path


def read(path: Path, *rows: Any, rated: bool = False) -> list[Any]:
    return list(answers(write(path / "results.json", *rows), [path], rated=rated))


@pytest.mark.parametrize("name", ["results.json", "results.jsonl", "promptfoo.db"])
def test_every_kind_of_results_tells_what_person_and_judge_said(tmp_path: Path, name: str) -> None:
    rated = row(graded("pass", 0.95), thumb(False, "old"), comment="no, 45")
    alone = row(graded("undecided", 0.5), testIdx=1, vars={"source": SOURCE})
    path = write(tmp_path / name, rated, alone)
    assert is_run(path)
    assert answers(path, [tmp_path]) == [
        Answered(
            id="one",
            question="How long?",
            sources=(Source("source", SOURCE),),
            fault="",
            answer="30 minutes.",
            model="echo",
            rating="fail",
            comment="no, 45",
            outcome="pass",
            confidence=0.95,
            where=f"{path}#1",
        ),
        Answered(
            id="test-2",
            question=None,
            sources=(Source("source", SOURCE),),
            fault="",
            answer="30 minutes.",
            model="echo",
            rating="",
            comment="",
            outcome="undecided",
            confidence=0.5,
            where=f"{path}#2",
        ),
    ]
    assert [item.where for item in answers(path, [tmp_path], rated=True)] == [f"{path}#1"]


@pytest.mark.parametrize(
    ("grades", "comment", "expected"),
    [
        ([thumb(True)], None, ("pass", "")),
        ([thumb(True, "when rated")], None, ("pass", "when rated")),
        ([thumb(True, "when rated")], "written later", ("pass", "written later")),
        ([thumb(False)], "!highlight look here", ("fail", "look here")),
        ([thumb(False, "said")], "  ", ("fail", "said")),
        ([thumb(False), graded("pass"), thumb(True)], None, ("pass", "")),
        ([graded("fail")], "a comment is no rating", ("", "")),
        ([{**thumb(True), "pass": "yes"}], None, ("", "")),
        ([None, "x", {"assertion": None}, {}], None, ("", "")),
    ],
)
def test_a_rating_is_the_persons_last_thumb(
    tmp_path: Path, grades: list[Any], comment: str | None, expected: tuple[str, str]
) -> None:
    (found,) = read(tmp_path, row(*grades, comment=comment))
    assert (found.rating, found.comment) == expected


@pytest.mark.parametrize(
    ("grades", "expected"),
    [
        ([{"pass": False}, graded("pass", 1)], ("pass", 1)),
        ([graded("judge_error")], ("judge_error", None)),
        ([graded("fail", 0.25), thumb(True)], ("fail", 0.25)),
        ([{"pass": True}, {"pass": True}], ("pass", None)),
        ([{"pass": True}, {"pass": False}], ("fail", None)),
        ([{"pass": False, "metadata": {"graderError": True}}], ("judge_error", None)),
        ([thumb(False)], ("", None)),
        ([], ("", None)),
    ],
)
def test_the_judge_is_ours_or_else_all_assertions_and_never_the_person(
    tmp_path: Path, grades: list[Any], expected: tuple[str, float | None]
) -> None:
    (found,) = read(tmp_path, row(*grades))
    assert (found.outcome, found.confidence) == expected


def test_a_row_is_named_by_its_test_and_by_whatever_else_tells_it_from_others(
    tmp_path: Path,
) -> None:
    def of(case: str | None, provider: str, prompt: int, test: int) -> dict[str, Any]:
        vars_ = {} if case is None else {"case_id": case}
        return row(vars=vars_, provider=provider, promptIdx=prompt, testIdx=test)

    rows = [
        of("alone", "a", 0, 0),
        of("two", "a", 0, 1),
        of("two", "b", 0, 1),
        of("four", "a", 0, 2),
        of("four", "a", 1, 2),
        of("again", "a", 0, 3),
        of("again", "a", 0, 3),
        of(None, "a", 0, 4),
    ]
    assert [item.id for item in read(tmp_path, *rows)] == [
        "alone",
        "a/two",
        "b/two",
        "a/four/prompt-1",
        "a/four/prompt-2",
        "a/again/prompt-1/1",
        "a/again/prompt-1/2",
        "test-5",
    ]


def test_a_later_rating_does_not_rename_what_was_rated_before(tmp_path: Path) -> None:
    one, other = row(thumb(True), provider="a"), row(provider="b")
    before = read(tmp_path, one, other, rated=True)
    after = read(tmp_path, one, row(thumb(False), provider="b"), rated=True)
    assert [item.id for item in before] == ["a/one"]
    assert [item.id for item in after] == ["a/one", "b/one"]


DOOR = {"rubric": "rubric.yaml", "judge": "rules"}
RENAMED = {**DOOR, "vars": {"question": "q", "source": "truth", "case_id": "name"}}


@pytest.mark.parametrize(
    "test",
    [
        {"assert": [{"type": "equals"}, {"type": "python", "config": RENAMED}]},
        {"assert": [{"type": "llm-rubric", "provider": {"id": "x", "config": RENAMED}}]},
        {"assert": [{"type": "llm-rubric"}], "options": {"provider": {"config": RENAMED}}},
    ],
    ids=["explicit", "drop-in", "default"],
)
def test_question_source_and_id_are_in_the_vars_that_the_door_names(
    tmp_path: Path, test: dict[str, Any]
) -> None:
    vars_ = {"q": "Why?", "truth": [{"id": "x", "text": "So."}], "name": 7, "question": "not this"}
    (found,) = read(tmp_path, row(vars=vars_, testCase=test))
    assert (found.id, found.question, found.sources) == ("7", "Why?", (Source("x", "So."),))


def test_files_that_the_suite_names_are_read_beside_it(tmp_path: Path) -> None:
    (tmp_path / "help.md").write_text(SOURCE)
    (tmp_path / "question.txt").write_text("How long?")
    configured = {"assert": [{"type": "python", "config": {**DOOR, "source": "help.md"}}]}
    rows = [
        row(testCase=configured),
        row(vars={"case_id": "2", "question": "file://question.txt", "source": "file://help.md"}),
    ]
    expected = (Source(str(tmp_path / "help.md"), SOURCE),)
    for found in read(tmp_path, *rows):
        assert (found.question, found.sources, found.fault) == ("How long?", expected, "")


def test_a_source_that_is_gone_is_a_fault_of_the_row(tmp_path: Path) -> None:
    gone, none = read(
        tmp_path,
        row(vars={"case_id": "1", "source": "file://gone.md"}),
        row(vars={"case_id": "2"}),
    )
    assert (gone.sources, none.sources, none.fault) == ((), (), "")
    assert "gone.md: no such file" in gone.fault


def test_rows_without_an_answer_or_their_question_are_damage(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        row(response={"error": "down"}, error="down"),
        row(vars={"question": "file://gone.txt"}),
        "no row",
        row(vars={"case_id": "sound"}),
    )
    path = tmp_path / "results.json"
    assert found[0] == Damage(f"{path}#1", "no output (down)")
    assert found[1].where == f"{path}#2"
    assert "gone.txt: no such file" in found[1].why
    assert found[2] == Damage(f"{path}#3", "is no row of results")
    assert found[3].id == "sound"


def test_a_line_that_is_cut_off_is_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "results.jsonl", row(vars={}), row())
    path.write_bytes(path.read_bytes()[:-20])
    assert answers(path, [])[1] == Damage(f"{path}#2", "is no row of results")


def test_a_column_that_is_no_json_is_damage(tmp_path: Path) -> None:
    path = write(tmp_path / "promptfoo.db", row(), row(testIdx=1))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE eval_results SET grading_result = '{' WHERE id = '0'")
        connection.commit()
    damage, sound = answers(path, [])
    assert damage == Damage(f"{path}#1", "is no row of results")
    assert isinstance(sound, Answered)


def test_a_database_of_another_kind_is_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(ConfigError, match=r"other\.db: is no database of promptfoo's"):
        answers(path, [])


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cases.jsonl", b'{"id": "a", "answer": "x"}\n'),
        ("cases.jsonl", b"not JSON"),
        ("cases.json", b'[{"id": "a"}]'),
        ("cases.yaml", b"- id: a"),
        ("empty.jsonl", b""),
        ("empty.db", b""),
    ],
)
def test_other_files_are_no_run(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert not is_run(tmp_path / name)
    assert not is_run(tmp_path / "gone.json")


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "assert config provider options vars judge source question case_id assertion type"
                " pass comment metadata voirdire outcome verdict confidence output".split()
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    fields=st.fixed_dictionaries(
        {"response": st.just({"output": "x"})},
        optional={
            "vars": values,
            "testCase": values,
            "gradingResult": values,
            "testIdx": values,
            "promptIdx": values,
            "provider": values,
        },
    ),
    grades=values,
)
def test_whatever_a_row_holds_it_is_an_answer_or_damage(
    tmp_path: Path, fields: dict[str, Any], grades: Any
) -> None:
    odd = {**row(), **fields}
    if isinstance(odd["gradingResult"], dict):
        odd["gradingResult"]["componentResults"] = grades
    (found,) = read(tmp_path, odd)
    assert isinstance(found, (Answered, Damage))
