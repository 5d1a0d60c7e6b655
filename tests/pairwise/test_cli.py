"""``voirdire compare``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.pairwise.conftest import BAD, GOOD, QUOTE, preference
from voirdire.cli import cli
from voirdire.errors import ConfigError

RUBRIC = "name: better\ncriteria: {grounded: Is it in the source?}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a rubric, a source, recorded replies and a journal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VOIRDIRE_JOURNAL", str(tmp_path / "journal.jsonl"))
    monkeypatch.delenv("VOIRDIRE_JUDGE", raising=False)
    (tmp_path / "rubric.yaml").write_text(RUBRIC)
    (tmp_path / "help.md").write_text(QUOTE)
    replies = {
        "good": (preference("first"), preference("second")),
        "place": (preference("first"), preference("first")),
        "even": (preference("tie"), preference("tie")),
        "mute": (preference("first"), "..."),
    }
    write(
        tmp_path / "replies.jsonl",
        [
            {
                "id": f"{name}:{first}-first",
                "reply": reply if isinstance(reply, str) else json.dumps(reply),
                "finish_reason": "stop",
            }
            for name, both in replies.items()
            for first, reply in zip("ab", both, strict=True)
        ],
    )
    return tmp_path


def write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def run(*args: str, source: str | None = "help.md", judge: str = "replay:replies.jsonl") -> Result:
    given = [*args, "--rubric", "rubric.yaml", "--judge", judge]
    return CliRunner().invoke(cli, ["compare", *given, *(["--source", source] if source else [])])


def one(case_id: str, *args: str, **more: Any) -> Result:
    return run(
        "--a", GOOD, "--b", BAD, "--question", "How long?", "--case-id", case_id, *args, **more
    )


@pytest.mark.parametrize(
    ("case_id", "outcome", "kind", "code"),
    [
        ("good", "a", "win", 0),
        ("place", "tie", "order-sensitive", 0),
        ("even", "tie", "said tie", 0),
        ("mute", "judge_error", "silent", 1),
        ("nobody", "judge_error", "no_record", 1),
    ],
)
def test_one_pair_as_json(case_id: str, outcome: str, kind: str, code: int) -> None:
    result = one(case_id, "--json")
    record = json.loads(result.stdout)
    assert (record["outcome"], record["kind"], result.exit_code) == (outcome, kind, code)
    assert set(record["orders"]) == {"a_first", "b_first"}


def test_one_pair_for_people_names_its_calls(folder: Path) -> None:
    result = one("good")
    assert "A wins" in result.stdout
    assert "[canned reply]" in result.stdout
    ids = [json.loads(line)["id"] for line in (folder / "journal.jsonl").read_text().splitlines()]
    assert all(identity in result.stdout for identity in ids)
    assert len(set(ids)) == 2


def test_many_pairs_end_with_the_statistics(folder: Path) -> None:
    pair = {"question": "How long?", "a": GOOD, "b": BAD, "label": "a"}
    write(folder / "pairs.jsonl", [{"id": name, **pair} for name in ("good", "place", "mute")])
    result = run("--jsonl", "pairs.jsonl", "--json")
    *records, last = map(json.loads, result.stdout.splitlines())
    assert [record["id"] for record in records] == ["good", "place", "mute"]
    assert [record["label"] for record in records] == ["a", "a", "a"]
    found = last["statistics"]
    assert (found["pairs"], found["wins_a"]["count"], found["wins_a"]["of"]) == (3, 1, 2)
    assert (found["ties"], found["missing"]) == ({"order-sensitive": 1}, {"silent": 1})
    assert found["consistent"]["count"] == 1
    low, high = found["consistent"]["interval"]
    assert 0 < low < 0.5 < high < 1
    assert found["labels"]["swapped"]["right"]["of"] == 2
    assert result.exit_code == 1


def test_a_line_may_have_a_source_of_its_own_or_none(folder: Path) -> None:
    pair = {"question": "How long?", "a": GOOD, "b": BAD}
    sources: list[dict[str, Any]] = [{"id": "place"}, {"id": "good", "source": "It is an hour."}]
    write(folder / "pairs.jsonl", [{**pair, **one} for one in sources])
    found = [
        json.loads(line) for line in run("--jsonl", "pairs.jsonl", "--json").stdout.splitlines()
    ]
    assert [record.get("kind") for record in found[:2]] == ["order-sensitive", "evidence_not_found"]
    write(folder / "pairs.jsonl", [{**pair, "id": "even", "source": "none"}])
    record = json.loads(run("--jsonl", "pairs.jsonl", "--json").stdout.splitlines()[0])
    assert record["source_sha256"] == []


def test_without_a_source_only_when_it_says_so() -> None:
    assert isinstance(one("good", source=None).exception, ConfigError)
    result = one("good", "--json", source="none")
    assert json.loads(result.stdout)["source_sha256"] == []


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["--a", GOOD], "--b"),
        (["--a", "-", "--b", "-"], "standard input"),
        (["--jsonl", "pairs.jsonl", "--a", GOOD], "--jsonl"),
        (["--jsonl", "twice.jsonl"], "twice"),
        (["--jsonl", "label.jsonl"], "label"),
        (["--jsonl", "half.jsonl"], "`b`"),
        (["--recorded", "replies.json", "--a", GOOD], "--recorded"),
    ],
)
def test_bad_input_is_named_and_nothing_is_asked(folder: Path, args: list[str], word: str) -> None:
    pair = {"id": "good", "a": GOOD, "b": BAD}
    write(folder / "pairs.jsonl", [pair])
    write(folder / "twice.jsonl", [pair, pair])
    write(folder / "label.jsonl", [{**pair, "label": "A"}])
    write(folder / "half.jsonl", [{"id": "good", "a": GOOD}])
    error = run(*args).exception
    assert isinstance(error, ConfigError)
    assert word in str(error)
    assert not (folder / "journal.jsonl").exists()


def test_the_rules_are_refused() -> None:
    error = one("good", judge="rules").exception
    assert isinstance(error, ConfigError)
    assert "cannot compare" in str(error)


def recorded(folder: Path, winner: str) -> Path:
    order = {"reply": "Output (a)", "finish_reason": "stop"}
    record = {
        "idx": 0,
        "label": 1,
        "order_12": {**order, "winner": winner},
        "order_21": {**order, "winner": "2"},
    }
    (folder / "recorded.json").write_text(json.dumps([record]))
    return folder / "recorded.json"


def test_recorded_replies_are_tallied_and_their_winners_checked(folder: Path) -> None:
    path = str(recorded(folder, "2"))
    shown = CliRunner().invoke(cli, ["compare", "--recorded", path])
    assert shown.exit_code == 0
    assert "0: with A first the reply says A, the record B" in shown.stdout
    assert "output-letter; 1 of 2 differ" in shown.stdout
    result = CliRunner().invoke(cli, ["compare", "--recorded", path, "--json"])
    line, last = map(json.loads, result.stdout.splitlines())
    assert (line["outcome"], line["kind"], len(line["differs"])) == ("tie", "order-sensitive", 1)
    assert (last["statistics"]["differs"], last["statistics"]["extractor"]) == (1, "output-letter")
    assert last["statistics"]["first_twice"]["count"] == 1


def test_without_scipy_the_counts_are_printed_all_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voirdire.intervals.available", lambda: False)
    monkeypatch.setitem(sys.modules, "scipy", None)
    shown = CliRunner().invoke(cli, ["compare", "--recorded", str(recorded(folder, "1"))])
    assert shown.exit_code == 0
    assert "1 pairs: A wins 0" in shown.stdout
    assert shown.stdout.count("voirdire[stats]") == 1
