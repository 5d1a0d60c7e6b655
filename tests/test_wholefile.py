"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from voirdire.errors import ConfigError
from voirdire.wholefile import write_pieces, write_whole


def test_a_file_is_written_and_written_over(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_whole(path, "größer\n")
    write_whole(path, "again\n")
    assert path.read_text("utf-8") == "again\n"
    assert list(tmp_path.iterdir()) == [path]


def test_what_breaks_off_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    def broken() -> Iterator[str]:
        yield "half"
        raise OSError(28, "No space left on device")

    path = tmp_path / "file.txt"
    write_whole(path, "old")
    with pytest.raises(ConfigError, match=r"file\.txt: cannot be written \(No space"):
        write_pieces(path, broken())
    assert path.read_text("utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("failure", [KeyboardInterrupt, LookupError])
def test_what_is_stopped_otherwise_leaves_nothing_either(
    tmp_path: Path, failure: type[BaseException]
) -> None:
    def broken() -> Iterator[str]:
        yield "half"
        raise failure

    with pytest.raises(failure):
        write_pieces(tmp_path / "file.txt", broken())
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link_to_the_file_that_is_written(tmp_path: Path) -> None:
    file, link = tmp_path / "file.txt", tmp_path / "link.txt"
    file.write_text("old")
    link.symlink_to(file)
    write_whole(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_others_may_read_it_as_any_file_and_rights_that_were_given_stay(tmp_path: Path) -> None:
    plain, written, own = tmp_path / "plain", tmp_path / "written", tmp_path / "own"
    plain.touch()
    write_whole(written, "x")
    assert written.stat().st_mode == plain.stat().st_mode
    own.touch()
    own.chmod(0o640)
    write_whole(own, "x")
    assert own.stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="none/file"):
        write_whole(tmp_path / "none" / "file", "x")
    with pytest.raises(ConfigError, match="no ordinary file"):
        write_whole(tmp_path, "x")
