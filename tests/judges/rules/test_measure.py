"""Measuring the rules on minimal pairs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from voirdire.errors import ConfigError
from voirdire.judges.rules.measure import main, measure, read_pairs

ROOT = Path(__file__).resolve().parents[3]
PAIR = {
    "id": "p-1",
    "kind": "duration",
    "sources": [{"id": "kb-1", "text": "Links expire after 30 minutes."}],
    "question": "",
    "answer_same": "They work for half an hour.",
    "answer_changed": "They work for an hour: 60 min.",
}


def test_counts_tell_caught_from_false_alarms() -> None:
    swapped = {**PAIR, "id": "p-2", "answer_same": PAIR["answer_changed"], "answer_changed": "So."}
    measured = measure([PAIR, swapped])
    assert measured["total"] == measured["kinds"]["duration"]
    assert measured["total"] == {
        "pairs": 2,
        "caught": 1,
        "false_alarms": 1,
        "passed": 1,
        "missed": ["p-2"],
        "alarmed": ["p-2"],
    }


def test_the_development_pairs_meet_the_promised_figures() -> None:
    total = measure(read_pairs(ROOT / "golden" / "pairs" / "dev.jsonl"))["total"]
    assert total["caught"] / total["pairs"] >= 0.95
    assert total["false_alarms"] / total["pairs"] <= 0.03


def test_varied_domains_and_phrasings_meet_the_figures_too() -> None:
    total = measure(read_pairs(Path(__file__).parent / "varied_pairs.jsonl"))["total"]
    assert total["caught"] / total["pairs"] >= 0.95
    assert total["false_alarms"] / total["pairs"] <= 0.01


def test_a_line_that_is_no_pair_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(PAIR) + '\n{"id": "p-2"}\n', encoding="utf-8")
    with pytest.raises(ConfigError, match=r"pairs\.jsonl, line 2"):
        read_pairs(path)


def test_the_table_and_the_json_say_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(PAIR) + "\n", encoding="utf-8")
    assert main([str(path)]) == 0
    assert "100.0% of changed facts caught, 0.0% false alarms" in capsys.readouterr().out
    assert main([str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["caught"] == 1
