"""promptfoo turns no judge error and no undecided into a pass, by whatever it has for that."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Promptfoo, Run
from tests.e2e.suites import (
    ANSWER,
    case,
    door_config,
    drop_in,
    explicit,
    record,
    suite,
    verdict,
    write_files,
    write_lines,
)

pytestmark = pytest.mark.e2e

DOORS = {"explicit": explicit, "drop-in": drop_in}
REPLIES = {"judge error": "...", "undecided": verdict("cannot_decide")}
DECIDED = {"pass": verdict(), "fail": verdict("fail")}
YES = {"type": "contains", "value": "minutes"}
# Name → what stands beside ours, and the threshold of the test or of the set.
BESIDE: dict[str, tuple[dict[str, Any], float | None]] = {
    "a weight of 1e12": ({**YES, "weight": 1e12}, 0.5),
    "a weight of -2": ({**YES, "weight": -2}, 0),
    "a red team's guardrail": ({"type": "guardrails", "config": {"purpose": "redteam"}}, None),
}

# Name → fields of the assertion, of the set around it (None: no set), of the test.
PLACES: dict[str, tuple[dict[str, Any], dict[str, Any] | None, dict[str, Any]]] = {
    "alone": ({}, None, {}),
    "weight 0": ({"weight": 0}, None, {}),
    "threshold 0.5": ({}, None, {"threshold": 0.5}),
    "threshold 0": ({}, None, {"threshold": 0}),
    "weight 0, threshold 0.5": ({"weight": 0}, None, {"threshold": 0.5}),
    "weight 0.0001, threshold 0": ({"weight": 0.0001}, None, {"threshold": 0}),
    "weight 1e-12, threshold 0.5": ({"weight": 1e-12}, None, {"threshold": 0.5}),
    "own threshold, threshold of text": ({"threshold": 0.5}, None, {"threshold": "0.5"}),
    "set": ({}, {}, {}),
    "set with threshold 0.5": ({}, {"threshold": 0.5}, {}),
    "set with threshold 0": ({}, {"threshold": 0}, {}),
    "weight 0 in a set with threshold 0": ({"weight": 0}, {"threshold": 0}, {}),
    "set of weight 0, threshold 0.5": ({}, {"weight": 0}, {"threshold": 0.5}),
    "set with threshold 0, threshold 0": ({}, {"threshold": 0}, {"threshold": 0}),
}


def cases() -> Iterator[tuple[str, str, str, bool, str]]:
    """Every test's name, its door, its reply, whether it is inverted, and its place."""
    for door in DOORS:
        for reply in REPLIES:
            for inverted in (False, True):
                for place in PLACES:
                    name = f"{door}, {'not, ' if inverted else ''}{reply}, {place}"
                    yield name, door, reply, inverted, place


def matrix_test(name: str, door: str, reply: str, inverted: bool, place: str) -> dict[str, Any]:
    """A test in which two assertions that hold stand beside ours."""
    fields, around, test_fields = PLACES[place]
    ours = DOORS[door](door_config(), **fields)
    if inverted:
        ours["type"] = f"not-{ours['type']}"
    beside = [YES, YES]
    asserts = (
        [*beside, ours]
        if around is None
        else [YES, {"type": "assert-set", "assert": [*beside, ours], **around}]
    )
    return case(name, asserts, vars={"case_id": reply, "name": name}, **test_fields)


CASES = list(cases())
DECIDED_PLACES = ("alone", "threshold 0.5", "weight 0", "set with threshold 0.5")


def beside(name: str, in_set: bool) -> Iterator[dict[str, Any]]:
    """Tests in which something that would excuse ours stands beside it."""
    other, threshold = BESIDE[name]
    rule = {} if threshold is None else {"threshold": threshold}
    for door, make in DOORS.items():
        for reply in REPLIES:
            asserts = [other, make(door_config())]
            if in_set:
                asserts = [YES, {"type": "assert-set", "assert": asserts, **rule}]
            title = f"{door}, {reply}, {'set, ' if in_set else ''}{name}"
            vars_ = {"case_id": reply, "name": title}
            yield case(title, asserts, vars=vars_, **({} if in_set else rule))


def recorded() -> list[dict[str, Any]]:
    return [record(name, reply) for name, reply in {**REPLIES, **DECIDED}.items()]


@pytest.fixture(scope="session")
def run(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Run:
    """All of them in one run, and decided ones beside them."""
    folder = folders("overruled")
    write_files(folder, recorded())
    tests = [matrix_test(*one) for one in CASES]
    for door in DOORS:
        for reply in DECIDED:
            for inverted in (False, True):
                for place in DECIDED_PLACES:
                    name = f"{door}, {'not, ' if inverted else ''}{reply}, {place}"
                    tests.append(matrix_test(name, door, reply, inverted, place))
    plain = explicit(door_config())
    opposite = {**plain, "type": "not-python"}
    for name, asserts in {
        "not- in a set": [plain, averaging(opposite)],
        "plain in a set": [opposite, averaging(plain)],
        "side by side": [plain, opposite],
    }.items():
        tests.append(case(name, asserts, vars={"case_id": "judge error"}))
    return promptfoo(folder, suite(tests))


def averaging(assertion: dict[str, Any]) -> dict[str, Any]:
    """An assertion in a set that takes the average."""
    return {"type": "assert-set", "threshold": 0, "assert": [YES, assertion]}


@pytest.mark.parametrize("name", [name for name, *_ in CASES])
def test_no_non_decision_comes_out_as_a_success(run: Run, name: str) -> None:
    row = run.rows[name]
    assert row["success"] is False
    assert row["failureReason"] in (1, 2)


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("reply", "inverted", "place", "success"),
    [
        ("pass", False, "alone", True),
        ("pass", True, "alone", False),
        ("fail", False, "alone", False),
        ("fail", True, "alone", True),
        ("pass", False, "threshold 0.5", True),
        ("fail", False, "threshold 0.5", True),  # outvoted two to one, as asked for
        ("pass", True, "threshold 0.5", True),
        ("fail", True, "threshold 0.5", True),
        ("pass", False, "weight 0", True),
        ("fail", False, "weight 0", True),
        ("pass", True, "weight 0", True),
        ("fail", True, "weight 0", True),
        ("pass", False, "set with threshold 0.5", True),
        ("fail", False, "set with threshold 0.5", True),
        ("pass", True, "set with threshold 0.5", True),
        ("fail", True, "set with threshold 0.5", True),
    ],
)
def test_decisions_are_inverted_weighed_and_outvoted_as_ever(
    run: Run, door: str, reply: str, inverted: bool, place: str, success: bool
) -> None:
    row = run.rows[f"{door}, {'not, ' if inverted else ''}{reply}, {place}"]
    assert row["success"] is success
    assert row["failureReason"] == (0 if success else 1)


def test_where_only_the_average_counts_the_record_is_kept(run: Run) -> None:
    for door in DOORS:
        grade = run.grades(f"{door}, judge error, threshold 0.5")[-1]
        assert grade["metadata"]["voirdire"]["kind"] == "silent"
        assert grade["reason"].startswith("judge error (silent): ")


@pytest.mark.parametrize("name", ["not- in a set", "plain in a set", "side by side"])
def test_opposite_assertions_with_one_config_do_not_lend_each_other_a_pass(
    run: Run, name: str
) -> None:
    assert run.rows[name]["success"] is False


def test_nothing_beside_it_excuses_a_non_decision(
    promptfoo: Promptfoo, folders: Callable[[str], Path]
) -> None:
    folder = folders("beside")
    write_files(folder, recorded())
    blocked = "def call_api(p, o, c):\n    return {'output': p, 'guardrails': {'flagged': True}}\n"
    (folder / "blocked.py").write_text(blocked)
    tests = [test for name in BESIDE for in_set in (False, True) for test in beside(name, in_set)]
    run = promptfoo(folder, suite(tests, providers=["file://blocked.py"]))
    assert len(run.rows) == len(tests)
    assert [name for name, row in run.rows.items() if row["success"]] == []


# The drop-in door is told nothing of its test. These are the ways in which tests come from
# somewhere else than the suite's own list.
OUTVOTED = [YES, YES, {"type": "llm-rubric", "value": "Is it grounded?"}]


def elsewhere(name: str, reply: str) -> dict[str, Any]:
    """A test that two other assertions would outvote."""
    return case(f"{name}, {reply}", OUTVOTED, vars={"case_id": reply}, threshold=0)


def outvoted_tests(name: str) -> list[dict[str, Any]]:
    """Outvoted by the test's threshold, and by that of a set."""
    in_set = [{"type": "assert-set", "threshold": 0.5, "assert": OUTVOTED}]
    return [
        test
        for reply in REPLIES
        for test in (
            elsewhere(f"{name}, test", reply),
            case(f"{name}, set, {reply}", in_set, vars={"case_id": reply}),
        )
    ]


def readable(folder: Path) -> dict[str, Any]:
    """In files of data."""
    (folder / "tests.yaml").write_text(json.dumps(outvoted_tests("yaml")))
    write_lines(folder / "tests.jsonl", outvoted_tests("jsonl"))
    return {"tests": ["file://tests.yaml", "file://tests.jsonl"]}


def unreadable(folder: Path) -> dict[str, Any]:
    """Made by code, and in a table."""
    made = outvoted_tests("generated")
    (folder / "made.py").write_text(f"def tests():\n    return {made!r}\n")
    with (folder / "tests.csv").open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["case_id", "__description", "__threshold", "__expected"])
        for reply in REPLIES:
            table.writerow([reply, f"csv, {reply}", 0, "llm-rubric: Is it grounded?"])
    return {"tests": ["file://made.py:tests", "file://tests.csv"]}


def assembled(folder: Path) -> dict[str, Any]:
    """From scenarios, and from templates of assertions."""
    weightless = {"type": "llm-rubric", "value": "Is it grounded?", "weight": 0}
    referring = [YES, {"$ref": "#/assertionTemplates/judged"}]
    data = [{"vars": {"case_id": reply}, "threshold": 0} for reply in REPLIES]
    return {
        "assertionTemplates": {"judged": weightless},
        "tests": [
            case(f"template, {reply}", referring, vars={"case_id": reply}) for reply in REPLIES
        ],
        "scenarios": [
            {"config": [one], "tests": [{"description": f"scenario {n}", "assert": OUTVOTED}]}
            for n, one in enumerate(data)
        ],
    }


@pytest.mark.parametrize("write", [readable, unreadable, assembled])
def test_tests_from_elsewhere_are_not_outvoted_either(
    promptfoo: Promptfoo,
    folders: Callable[[str], Path],
    write: Callable[[Path], dict[str, Any]],
) -> None:
    folder = folders(write.__name__)
    write_files(folder, recorded())
    fields = write(folder)
    provider = drop_in(door_config())["provider"]
    default = {"options": {"provider": provider}, "vars": {"answer": ANSWER}}
    run = promptfoo(folder, suite(fields.pop("tests"), defaultTest=default, **fields))
    wanted = {"readable": 8, "unreadable": 6, "assembled": 4}[write.__name__]
    assert len(run.rows) == wanted
    assert [name for name, row in run.rows.items() if row["success"]] == []
