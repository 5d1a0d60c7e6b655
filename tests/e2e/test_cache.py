"""Nothing of ours is served from promptfoo's own cache."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.conftest import Promptfoo, Run
from tests.e2e.suites import (
    RUBRIC,
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
from voirdire.journal import entries

pytestmark = pytest.mark.e2e

# Case → the config's changes: files that only it uses, one of which changes between the runs.
CASES = {
    "unchanged": {},
    "source": {"source": "its-source.md"},
    "rubric": {"rubric": "its-rubric.yaml"},
    "reply": {"judge": "replay:its-replies.jsonl"},
}

# A grading provider as anybody writes one.
CONTROL = """\
from pathlib import Path

def call_api(prompt, options, context):
    with (Path(__file__).parent / "control-calls.txt").open("a") as file:
        file.write("asked\\n")
    return {"output": {"pass": True, "score": 1, "reason": "fine"}}
"""


@dataclass(frozen=True)
class Runs:
    """Two runs with one cache, and how many calls the journal held after each."""

    first: Run
    second: Run
    calls: tuple[int, int]


@pytest.fixture(scope="session")
def runs(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Runs:
    folder = folders("the cache")
    write_files(folder, [record(name, verdict()) for name in CASES])
    (folder / "its-source.md").write_text("The reset link lasts 30 minutes.")
    (folder / "its-rubric.yaml").write_text(json.dumps(RUBRIC))
    write_lines(folder / "its-replies.jsonl", [record("reply", verdict())])
    tests = [
        case(name, [door(door_config(**changed)) for door in (explicit, drop_in)])
        for name, changed in CASES.items()
    ]
    (folder / "control.py").write_text(CONTROL)
    control = {"type": "llm-rubric", "value": "Is it fine?", "provider": "file://control.py"}
    tests.append(case("control", [control]))
    first = promptfoo(folder, suite(tests))
    assert len(first.rows) == len(tests)  # read before the second run writes over it
    calls = len(entries(first.journal)[0])
    (folder / "its-source.md").write_text("The reset link lasts 45 minutes.")
    (folder / "its-rubric.yaml").write_text(json.dumps({**RUBRIC, "threshold": 1}))
    write_lines(folder / "its-replies.jsonl", [record("reply", verdict("fail"))])
    second = promptfoo(folder)
    return Runs(first, second, (calls, len(entries(second.journal)[0])))


def test_all_pass_at_first(runs: Runs) -> None:
    assert [row["success"] for row in runs.first.rows.values()] == [True] * (len(CASES) + 1)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("unchanged", "pass"),
        ("source", "evidence_not_found"),
        ("rubric", "low_confidence"),
        ("reply", "fail"),
    ],
)
def test_the_verdict_follows_what_changed(runs: Runs, name: str, kind: str) -> None:
    found = [grade["metadata"]["voirdire"]["kind"] for grade in runs.second.grades(name)]
    assert found == [kind, kind]


def test_every_run_asks_anew(runs: Runs) -> None:
    assert runs.calls == (2 * len(CASES), 4 * len(CASES))
    ids = [
        grade["metadata"]["voirdire"]["journal_id"]
        for run in (runs.first, runs.second)
        for grade in run.grades("unchanged")
    ]
    assert len(set(ids)) == 4


def test_another_grader_was_served_from_the_cache(runs: Runs) -> None:
    assert runs.second.grades("control")[0]["pass"] is True
    assert (runs.first.folder / "control-calls.txt").read_text() == "asked\n"
