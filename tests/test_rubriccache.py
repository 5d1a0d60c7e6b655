"""A rubric file is parsed once for each content, and what is kept is never taken for another's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from voirdire.errors import ConfigError
from voirdire.rubric import load_rubric
from voirdire.rubriccache import keep, recall

ROOT = Path(__file__).resolve().parent.parent
TEXT = "name: links\ncriteria:\n  grounded: Is it in the source?\nthreshold: 0.8\n"


@pytest.fixture
def rubric(tmp_path: Path) -> Path:
    path = tmp_path / "rubric.yaml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def kept(cache_home: Path) -> list[Path]:
    return sorted((cache_home / "voirdire" / "rubrics").glob("*"))


def test_a_rubric_that_is_kept_is_the_same_rubric(rubric: Path, cache_home: Path) -> None:
    first = load_rubric(rubric)
    assert len(kept(cache_home)) == 1
    assert load_rubric(rubric) == first
    assert load_rubric(rubric).version == first.version


def test_a_rubric_that_is_kept_needs_no_yaml_reader(rubric: Path) -> None:
    load_rubric(rubric)
    code = (
        "import pathlib, sys; from voirdire.rubric import load_rubric; "
        "load_rubric(pathlib.Path(sys.argv[1])); print('yaml' in sys.modules)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code, rubric], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert shown.stdout == "False\n"


def test_a_changed_file_is_another_rubric(rubric: Path) -> None:
    load_rubric(rubric)
    rubric.write_text(TEXT.replace("0.8", "0.7"), encoding="utf-8")
    assert load_rubric(rubric).threshold == 0.7


def test_a_mistake_is_never_kept_and_its_line_always_named(rubric: Path, cache_home: Path) -> None:
    rubric.write_text(TEXT.replace("0.8", "80"), encoding="utf-8")
    for _ in range(2):
        with pytest.raises(ConfigError, match=r"rubric\.yaml:4: threshold"):
            load_rubric(rubric)
    assert kept(cache_home) == []


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"name": "links"}', b"[]", b"null"])
def test_what_is_damaged_is_parsed_anew(rubric: Path, cache_home: Path, content: bytes) -> None:
    first = load_rubric(rubric)
    (file,) = kept(cache_home)
    file.write_bytes(content)
    assert load_rubric(rubric) == first


def test_without_a_place_to_keep_it_a_rubric_is_parsed(
    rubric: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert load_rubric(rubric) == load_rubric(rubric)


def test_a_value_that_json_would_change_is_not_kept() -> None:
    keep("a", {"a": (1, 2)})
    keep("b", {"b": float("nan")})
    keep("c", {"c": {1, 2}})
    assert [recall(text) for text in "abc"] == [None, None, None]
