"""The assertion that holds an output against a reference answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.pairwise.conftest import BAD, GOOD, QUOTE, preference
from voirdire.promptfoo.overruled import NotAVerdictError
from voirdire.promptfoo.pairwise import assertion

RUBRIC = {"name": "better", "criteria": {"grounded": "Is it in the source?"}}
WINNERS = {
    "wins": ("first", "second"),
    "loses": ("second", "first"),
    "ties": ("tie", "tie"),
    "place": ("first", "first"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a source and recorded replies, in which promptfoo would run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VOIRDIRE_JUDGE", raising=False)
    (tmp_path / "source.md").write_text(QUOTE)
    lines = [
        {"id": f"{name}:{first}-first", "reply": json.dumps(preference(winner))}
        for name, both in WINNERS.items()
        for first, winner in zip("ab", both, strict=True)
    ]
    lines += [
        {"id": "mute:a-first", "reply": json.dumps(preference("first"))},
        {"id": "mute:b-first", "reply": "..."},
    ]
    (tmp_path / "replies.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return tmp_path


def graded(name: str, test: dict[str, Any] | None = None, **config: Any) -> dict[str, Any]:
    given = {
        "rubric": RUBRIC,
        "source": "source.md",
        "judge": "replay:replies.jsonl",
        "journal": "journal.jsonl",
        **config,
    }
    vars_ = {"case_id": name, "question": "How long?", "reference": BAD}
    context = {"vars": vars_, "config": given, "test": test or {}}
    return assertion(GOOD, context)


def came_to(result: dict[str, Any]) -> tuple[bool, str, str]:
    record = result["metadata"]["voirdire"]
    return result["pass"], record["outcome"], record["kind"]


@pytest.mark.parametrize(
    ("name", "allow_tie", "expected"),
    [
        ("wins", False, (True, "pass", "win")),
        ("wins", True, (True, "pass", "win")),
        ("loses", False, (False, "fail", "win")),
        ("loses", True, (False, "fail", "win")),
        ("ties", False, (False, "fail", "said tie")),
        ("ties", True, (True, "pass", "said tie")),
        ("place", False, (False, "undecided", "order-sensitive")),
        ("place", True, (False, "undecided", "order-sensitive")),
        ("mute", False, (False, "judge_error", "silent")),
        ("mute", True, (False, "judge_error", "silent")),
        ("nobody", True, (False, "judge_error", "no_record")),
    ],
)
def test_only_a_win_passes_and_a_said_tie_where_it_is_allowed(
    name: str, allow_tie: bool, expected: tuple[bool, str, str]
) -> None:
    result = graded(name, allow_tie=allow_tie)
    assert came_to(result) == expected
    assert result["score"] == (1 if expected[0] else 0)
    outcome = expected[1].removeprefix("judge_")
    assert result["namedScores"][f"judge_{outcome}"] == 1
    json.dumps(result, allow_nan=False)


def test_the_result_carries_both_prompts_and_both_replies() -> None:
    record = graded("wins")["metadata"]["voirdire"]
    assert record["comparison"] == "a"
    assert record["prompt"].count(GOOD) == record["prompt"].count(BAD) == 2
    assert [order["winner"] for order in record["orders"].values()] == ["a", "a"]


@pytest.mark.parametrize("name", ["place", "mute"])
def test_a_non_decision_is_neither_inverted_nor_outvoted(name: str) -> None:
    inverted = {"assert": [{"type": "not-python", "value": "file://pairwise.py"}]}
    with pytest.raises(NotAVerdictError):
        graded(name, inverted)
    outvoted = {"threshold": 0.1, "assert": [{"type": "python", "value": "file://pairwise.py"}]}
    assert graded(name, outvoted)["score"] < -1000


@pytest.mark.parametrize(
    ("config", "word"),
    [
        ({"allow_tie": "yes"}, "allow_tie"),
        ({"precheck": "rules"}, "precheck"),
        ({"samples": 3}, "samples"),
        ({"reference": " "}, "reference"),
        ({"reference": "file://missing.md"}, "missing.md"),
        ({"source": None}, "source"),
        ({"rubric": None}, "rubric"),
        ({"judge": "rules"}, "rules"),
        ({"vars": {"reference": "ideal"}}, "reference"),
    ],
)
def test_a_wrong_config_is_a_judge_error_that_names_it(config: dict[str, Any], word: str) -> None:
    result = graded("wins", **config)
    assert came_to(result) == (False, "judge_error", "config")
    assert word in result["reason"]


def test_no_config_at_all_is_a_judge_error_too() -> None:
    assert came_to(assertion(GOOD, {})) == (False, "judge_error", "config")


def test_the_reference_may_stand_in_the_config_or_in_a_file(folder: Path) -> None:
    (folder / "ideal.md").write_text("An hour and a half.")
    for reference in ("An hour and a half.", "file://ideal.md"):
        record = graded("wins", reference=reference)["metadata"]["voirdire"]
        assert "An hour and a half." in record["prompt"]
        assert BAD not in record["prompt"]


def test_without_a_source_only_when_the_config_says_so() -> None:
    result = graded("ties", source="none")
    assert result["metadata"]["voirdire"]["source_sha256"] == []
    assert "No source is given" in result["metadata"]["voirdire"]["prompt"]
