"""Labelled cases from the thumbs of promptfoo's viewer."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.promptfoo.test_ratings import SOURCE, graded, row, thumb, write
from voirdire.calibration.cases import load_cases
from voirdire.errors import ConfigError
from voirdire.grade import Case
from voirdire.journal import Damage
from voirdire.source import Source

GIVEN = (Source("given", "Given."),)


def test_rated_answers_are_labelled_cases(tmp_path: Path) -> None:
    path = write(
        tmp_path / "results.json",
        row(graded("fail"), thumb(True, "so it says")),
        row(graded("pass"), testIdx=1, vars={"case_id": "two"}),
        row(graded("pass"), thumb(False), testIdx=2, vars={"case_id": "three", "source": "x"}),
    )
    loaded = load_cases(path, sources=None)
    first, second = loaded.cases
    source = (Source("source", SOURCE),)
    assert first.case == Case(source, "How long?", "30 minutes.", "one")
    assert first[1:] == ("pass", {}, "so it says", "", (), "echo", f"{path}#1")
    assert (second.case.id, second.label, second.note) == ("three", "fail", "")
    assert loaded.damaged == []
    assert loaded.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_where_the_run_names_no_source_the_given_one_is_taken(tmp_path: Path) -> None:
    bare = row(thumb(True), vars={"case_id": "bare"})
    path = write(tmp_path / "results.json", row(thumb(True)), bare)
    found = load_cases(path, sources=GIVEN).cases
    assert [case.case.sources[0].id for case in found] == ["source", "given"]
    (damage,) = load_cases(path, sources=None).damaged
    assert damage.why.startswith("has no source of truth")
    (tmp_path / "source.md").write_text("Beside.")
    found = load_cases(path, sources=None).cases
    assert found[1].case.sources[0].text == "Beside."


def test_a_source_that_cannot_be_read_is_never_replaced_by_another_unasked(tmp_path: Path) -> None:
    (tmp_path / "source.md").write_text("Beside.")
    gone = row(thumb(True), vars={"case_id": "gone", "source": "file://gone.md"})
    path = write(tmp_path / "results.json", row(thumb(True)), gone)
    loaded = load_cases(path, sources=None)
    assert [case.case.id for case in loaded.cases] == ["one"]
    (damage,) = loaded.damaged
    assert damage.where == f"{path}#2"
    assert "gone.md: no such file" in damage.why
    assert len(load_cases(path, sources=GIVEN).cases) == 2


def test_a_run_that_nobody_rated_is_bad_input(tmp_path: Path) -> None:
    path = write(tmp_path / "results.json", row(graded("pass")))
    with pytest.raises(ConfigError, match=r"results\.json: nobody rated an answer; give thumbs"):
        load_cases(path, sources=None)


def test_a_rated_answer_that_is_missing_is_damage(tmp_path: Path) -> None:
    down = row(thumb(False), response={"error": "down"}, error="down", testIdx=1)
    path = write(tmp_path / "results.json", row(thumb(True)), down)
    assert load_cases(path, sources=None).damaged == [Damage(f"{path}#2", "no output (down)")]


def test_the_hash_of_a_database_is_that_of_its_ratings(tmp_path: Path) -> None:
    def hash_of(name: str, *rows: object) -> str:
        return load_cases(write(tmp_path / name, *rows), sources=None).sha256

    one, other = row(thumb(True)), row(testIdx=1, vars={"case_id": "two"})
    first = hash_of("a.db", one, other)
    assert hash_of("b.db", one, {**other, "response": {"output": "?"}}) == first
    assert hash_of("c.db", row(thumb(False)), other) != first
