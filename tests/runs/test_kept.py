"""The run's folder, where the disk fills up in the middle of a line."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from voirdire.errors import ConfigError
from voirdire.runs.done import cost_of
from voirdire.runs.kept import ANSWER, run_folder


@contextmanager
def no_file_longer_than(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_line_after_one_that_a_full_disk_cut_off_is_whole(tmp_path: Path) -> None:
    with run_folder(tmp_path / "r.run") as folder:
        with no_file_longer_than(60), pytest.raises(ConfigError, match="cannot be written"):
            folder.keep(ANSWER, "one", {"text": "x" * 100}, paid=True)
        folder.keep(ANSWER, "two", {"text": "y"}, paid=True)
        folder.keep(ANSWER, "three", {"text": "z"}, paid=True)
    assert (tmp_path / "r.run" / "run.jsonl").read_bytes().count(b"\n") == 3

    with run_folder(tmp_path / "r.run") as folder:
        assert folder.damaged == 1
        assert folder.get(ANSWER, "one") is None
        assert folder.get(ANSWER, "two") == {"text": "y"}
        assert folder.get(ANSWER, "three") == {"text": "z"}


def test_a_judge_that_was_not_asked_cost_nothing() -> None:
    assert cost_of({"kind": "budget", "attempts": None, "cost": None}) == 0.0
    assert cost_of({"kind": "unreachable", "attempts": None, "cost": None}) is None
    assert cost_of({"kind": "pass", "attempts": 1, "cost": 0.5}) == 0.5
