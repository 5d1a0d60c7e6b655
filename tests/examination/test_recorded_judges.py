"""Each recorded judge fails the questions that were written down for it, and no other."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from scripts.record_judges import main as record
from tests.examination.conftest import JUDGES, Examine
from voirdire.examination.card import CLEAN, UNFIT, card
from voirdire.examination.finding import FAIL
from voirdire.journal import entries

_ROW = re.compile(r"\| `([\w-]+)` \| .* \| ([\w, ]+) \|")
EXPECTED = {
    found[1]: set() if found[2] == "nothing" else set(found[2].split(", "))
    for line in (JUDGES / "README.md").read_text(encoding="utf-8").splitlines()
    if (found := _ROW.fullmatch(line))
}


def test_every_judge_has_its_list_and_every_list_its_judge() -> None:
    assert set(EXPECTED) == {path.stem for path in JUDGES.glob("*.jsonl")}
    assert [name for name, failed in EXPECTED.items() if not failed] == ["good"]
    found_out = set().union(*EXPECTED.values())
    # What only a model behind an API can fail is held by other tests.
    assert found_out == {
        *("sight", "voice", "form", "repeat", "position", "length", "injection", "constancy"),
        *("negation", "evidence"),
    }


@pytest.mark.parametrize("name", EXPECTED)
def test_it_fails_what_was_written_down_and_no_more(
    name: str, examined: Examine, tmp_path: Path
) -> None:
    found = examined(f"replay:{JUDGES / name}.jsonl")
    assert {one.name for one in found.values() if one.result == FAIL} == EXPECTED[name]
    assert len(found) == 12
    assert card(list(found.values()))["verdict"] == (UNFIT if EXPECTED[name] else CLEAN)
    asked, damaged = entries(tmp_path / "journal.jsonl")
    assert damaged == []
    assert [entry.call["case_id"] for entry in asked if "error" in entry.call] == []
    for finding in found.values():
        assert finding.asked
        assert finding.answered
        assert bool(finding.advice) or finding.result != FAIL
        json.dumps(finding.figures, allow_nan=False)


def test_a_good_judge_passes_all_that_recorded_replies_can_show(examined: Examine) -> None:
    found = examined(f"replay:{JUDGES}/good.jsonl")
    not_shown = {one.name for one in found.values() if one.result == "not shown"}
    assert not_shown == {"voice", "pinned", "cost"}


def test_unreadable_replies_are_no_fails_of_other_questions(examined: Examine) -> None:
    for name, kind in (("silent", "silent"), ("talkative", "prose")):
        found = examined(f"replay:{JUDGES / name}.jsonl")
        assert found["sight"].result == "not shown"
        assert found["sight"].figures["errors"] == {kind: 12}
        assert f"replies unreadable ({kind} 12)" in found["sight"].answered


def test_the_files_are_what_their_rules_say() -> None:
    assert record(["--check"]) == 0


def test_every_reply_says_that_no_model_produced_it() -> None:
    for path in JUDGES.glob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert "no model produced it" in json.loads(line)["origin"]
