"""voirdire from Python, as a test of a user's would use it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import voirdire
from voirdire import ConfigError, Judge, Rubric, Source

RUBRIC = Rubric("r", {"grounded": "Is every statement in the source?"})
SOURCE = Source("help", "The reset link lasts 30 minutes.")


def test_an_answer_is_graded_against_its_source(tmp_path: Path) -> None:
    judge = Judge("rules", journal=tmp_path / "j.jsonl")
    good = judge.grade("It lasts 30 minutes.", RUBRIC, SOURCE, question="How long?")
    bad = judge.grade("It lasts 24 hours.", RUBRIC, [SOURCE])
    assert (good.outcome, bad.outcome) == ("pass", "fail"), bad.reason
    assert good.fingerprint == judge.fingerprint(RUBRIC)
    assert (tmp_path / "j.jsonl").read_text("utf-8").count('"type": "call"') == 2


def test_a_judge_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="unknown judge"):
        Judge("oracle:x", journal=tmp_path / "j.jsonl")


def test_what_is_exported_is_there_and_nothing_is_loaded_before_it_is_asked_for() -> None:
    assert all(getattr(voirdire, name) for name in voirdire.__all__)
    assert not hasattr(voirdire, "no_such_name")
    code = "import sys, voirdire; print([m for m in sys.modules if m.startswith('voirdire.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
