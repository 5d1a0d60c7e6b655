"""The parser corpus is what its README says: format, kinds, sources, and nothing in both parts."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
CORPUS = GOLDEN / "parser_corpus"
BUILD_ONLY = {"promptfoo-readings", "lost-payload"}


def no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def lines(path: Path) -> list[dict[str, Any]]:
    # Not splitlines: the characters that end a line of Unicode text may stand in a JSON string.
    rows = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    return [json.loads(row, parse_constant=no_constant) for row in rows]


FILES = sorted(CORPUS.glob("*/*.jsonl"))
PARTS = {
    part: [line for path in FILES if path.parent.name == part for line in lines(path)]
    for part in ("build", "heldout")
}
EVERY = [line for part in PARTS.values() for line in part]
KINDS = set(re.findall(r"(?m)^\| `([a-z-]+)` \|", (CORPUS / "README.md").read_text("utf-8"))) - {
    "id", "kind", "text", "intended", "refuse", "seen", "why"
}  # fmt: skip


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_line_has_the_fields_that_the_readme_names(path: Path) -> None:
    for line in lines(path):
        place = line["id"]
        assert line["kind"] == path.stem, place
        assert isinstance(line["text"], str), place
        assert line["seen"].strip(), place
        assert line["why"].strip(), place
        assert line.get("refuse", True) is True, place
        assert not ("intended" in line and "refuse" in line), place
        assert line.keys() <= {"id", "kind", "text", "intended", "refuse", "seen", "why"}, place


def test_ids_are_unique_over_both_parts() -> None:
    ids = [line["id"] for line in EVERY]
    assert len(set(ids)) == len(ids)


def test_there_are_at_least_300_texts_with_both_parts_of_a_fair_size() -> None:
    assert len(EVERY) >= 300
    assert len(PARTS["build"]) >= 200
    assert len(PARTS["heldout"]) >= 80


@pytest.mark.parametrize("part", sorted(PARTS))
def test_every_kind_of_the_readme_is_there_and_no_other(part: str) -> None:
    expected = KINDS - BUILD_ONLY if part == "heldout" else KINDS
    assert {line["kind"] for line in PARTS[part]} == expected


def test_no_held_out_text_is_in_the_other_part() -> None:
    # The shortest ("", "...") are the shape itself and stand in both.
    build = {line["text"] for line in PARTS["build"]}
    assert [x["id"] for x in PARTS["heldout"] if len(x["text"]) > 20 and x["text"] in build] == []


def test_the_replies_measured_with_promptfoo_are_there_unchanged() -> None:
    data = json.loads((GOLDEN / "promptfoo_readings.json").read_text("utf-8"))
    replies = [reply["reply"] for reply in data["replies"]]
    assert len(replies) == 42
    assert [line["text"] for line in lines(CORPUS / "build/promptfoo-readings.jsonl")] == replies


def test_the_lost_payloads_are_as_long_as_those_that_were_lost() -> None:
    lost = lines(CORPUS / "build/lost-payload.jsonl")
    assert len(lost) == 4
    assert all(269 <= len(line["text"]) / 4 <= 1139 for line in lost)
    assert all(line["seen"].startswith("written by us") for line in lost)


def test_every_thread_of_the_reported_shapes_has_a_text() -> None:
    seen = " ; ".join(line["seen"] for line in EVERY)
    shapes = (GOLDEN / "reported_shapes.md").read_text("utf-8")
    # No other numbers of three digits and more stand in it.
    named = set(re.findall(r"\b\d{3,5}\b|(?<=issue )\d+", shapes))
    assert len(named) >= 25
    missing = {n for n in named if not re.search(rf"(?:PR|issue) {n}\b", seen)}
    assert missing == set()
