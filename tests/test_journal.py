"""The journal under many processes, kills, rotation and damage."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from voirdire.errors import ConfigError
from voirdire.journal import Journal, default_path, entries, new_id

ROOT = Path(__file__).resolve().parent.parent

WRITER = """
import sys
from pathlib import Path
from voirdire.journal import Journal
path, name, count, size, rotate = sys.argv[1], sys.argv[2], *map(int, sys.argv[3:6])
journal = Journal(Path(path), rotate)
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    identity = f"{name}-{number}"
    journal.record("call", identity, {"reply": "x" * size, "number": number})
    journal.record("reading", identity, {"reading": "verdict"})
    print(identity, flush=True)
"""
ENDLESS = 1_000_000
NO_ROTATION = 1 << 40


def start(
    path: Path, name: str, count: int, size: int = 200, rotate: int = NO_ROTATION
) -> subprocess.Popen[str]:
    """A process that writes ``count`` calls and says of each that it is written."""
    command = [sys.executable, "-c", WRITER, str(path), name, str(count), str(size), str(rotate)]
    return subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def let_go(writers: list[subprocess.Popen[str]]) -> None:
    """Let all write at once, once each of them is ready."""
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()


def write_at_once(path: Path, processes: int, each: int, rotate: int = NO_ROTATION) -> set[str]:
    """Have many processes write at once; the ids of what they wrote."""
    writers = [start(path, f"w{number}", each, rotate=rotate) for number in range(processes)]
    let_go(writers)
    written = set()
    for writer in writers:
        out, _ = writer.communicate()
        assert writer.returncode == 0
        written |= set(out.split())
    return written


def test_sixteen_processes_at_once_lose_and_mix_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    written = write_at_once(path, 16, 50)
    assert len(written) == 800
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    parsed = [json.loads(line) for line in lines]
    assert Counter(line["type"] for line in parsed) == {"call": 800, "reading": 800}
    found, damages = entries(path)
    assert damages == []
    assert {entry.call["id"] for entry in found} == written
    assert all(entry.reading is not None for entry in found)


def test_rotation_under_many_writers_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    written = write_at_once(path, 8, 50, rotate=20_000)
    aside = sorted(tmp_path.glob("journal-*.jsonl"))
    assert len(aside) > 3
    # Full when it is set aside, and by no more than one line over.
    assert all(20_000 <= file.stat().st_size < 21_000 for file in aside)
    found, damages = entries(path)
    assert damages == []
    assert {entry.call["id"] for entry in found} == written
    assert all(entry.reading is not None for entry in found)


def test_killed_writers_damage_no_line_but_their_own(tmp_path: Path) -> None:
    """Writers of large lines, killed in the middle, again and again."""
    path = tmp_path / "journal.jsonl"
    draw = random.Random(7)
    confirmed: set[str] = set()
    for round_ in range(12):
        writers = [start(path, f"r{round_}w{n}", ENDLESS, size=2_000_000) for n in range(2)]
        before = path.stat().st_size if path.exists() else 0
        enough = before + draw.randrange(8_000_000)
        let_go(writers)
        # Not after so many seconds, in which a busy machine may have written nothing.
        while not path.exists() or path.stat().st_size < enough:
            time.sleep(0.001)
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        for writer in writers:
            out, _ = writer.communicate()
            # A killed process may have been cut off in what it says, too.
            confirmed |= {line for line in out.split("\n")[:-1] if line}
    survivor = write_at_once(path, 1, 1)
    found, damages = entries(path)
    kept = {entry.call["id"] for entry in found}
    assert confirmed
    assert confirmed | survivor <= kept
    assert len(damages) <= 24
    assert all(damage.where.startswith(f"{path}:") for damage in damages)


HALF = """
import os, sys
from pathlib import Path
from voirdire import journal
write = os.write
def half(handle, data):
    write(handle, data[: int(sys.argv[2])])
    os.kill(os.getpid(), 9)
book = journal.Journal(Path(sys.argv[1]))
os.write = half
book.record("call", "cut-off", {"reply": "x" * 100})
"""


@pytest.mark.parametrize("length", [1, 60, 150])
def test_a_line_cut_off_by_a_kill_is_named_and_the_next_begins_anew(
    tmp_path: Path, length: int
) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(path).record("call", "first", {})
    killed = subprocess.run(
        [sys.executable, "-c", HALF, str(path), str(length)], cwd=ROOT, check=False
    )
    assert killed.returncode == -signal.SIGKILL
    assert not path.read_bytes().endswith(b"\n")
    Journal(path).record("call", "next", {})
    found, damages = entries(path)
    assert [entry.call["id"] for entry in found] == ["first", "next"]
    assert [(damage.where, damage.why) for damage in damages] == [
        (f"{path}:2", "not JSON (a write was cut off)")
    ]


def test_a_line_that_lacks_only_its_end_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(path).record("call", "whole", {})
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    Journal(path).record("call", "next", {})
    found, damages = entries(path)
    assert [entry.call["id"] for entry in found] == ["whole", "next"]
    assert damages == []


def test_a_call_whose_reading_was_never_written_has_none(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(path).record("call", "unread", {"reply": "{}"})
    (entry,), _ = entries(path)
    assert entry.reading is None


def test_a_kill_between_setting_aside_and_beginning_anew_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(path).record("call", "aside", {})
    path.rename(tmp_path / "journal-0001.jsonl")
    found, damages = entries(path)
    assert [entry.call["id"] for entry in found] == ["aside"]
    assert damages == []


def test_a_journal_set_aside_never_takes_the_place_of_another(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    (tmp_path / "journal-0002.jsonl").write_text(
        '{"type": "call", "id": "of before", "at": "2026-01-01T00:00:00Z"}\n'
    )
    journal = Journal(path, rotate_bytes=1)
    for number in range(4):
        journal.record("call", str(number), {})
    found, _ = entries(path)
    assert {entry.call["id"] for entry in found} == {"of before", "0", "1", "2", "3"}


def test_a_name_with_brackets_is_a_name(tmp_path: Path) -> None:
    path = tmp_path / "a [b] *.jsonl"
    journal = Journal(path, rotate_bytes=1)
    for number in range(3):
        journal.record("call", str(number), {})
    found, _ = entries(path)
    assert [entry.call["id"] for entry in found] == ["0", "1", "2"]


def test_reading_while_it_is_set_aside_misses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with start(path, "w", 400, rotate=2_000) as writer:
        let_go([writer])
        assert writer.stdout is not None
        written = []
        for line in writer.stdout:
            written.append(line.strip())
            if len(written) % 10 == 0:
                found, damages = entries(path)
                assert damages == []
                assert set(written) <= {entry.call["id"] for entry in found}
    assert len(written) == 400
    assert writer.returncode == 0


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"not json", "not JSON (a write was cut off)"),
        (b'{"type": "call"', "not JSON (a write was cut off)"),
        (b'{"id": "x"}', "not a line of a journal"),
        (b'{"type": "other", "id": "x"}', "not a line of a journal"),
        (b'{"type": "call", "id": 7}', "not a line of a journal"),
        (b"[]", "not a line of a journal"),
        (b"null", "not a line of a journal"),
        (b"\xff\xfe\x00", "not JSON (a write was cut off)"),
        (b"[" * 100_000, "not JSON (a write was cut off)"),
        (b'{"type": "call", "id": "x", "n": ' + b"9" * 5000 + b"}", None),
    ],
)
def test_damage_is_named_and_passed_over(tmp_path: Path, line: bytes, why: str | None) -> None:
    path = tmp_path / "journal.jsonl"
    journal = Journal(path)
    journal.record("call", "before", {})
    with path.open("ab") as file:
        file.write(line + b"\n\n")
    journal.record("call", "after", {})
    found, damages = entries(path)
    assert [entry.call["id"] for entry in found if entry.call["id"] != "x"] == ["before", "after"]
    assert all(damage.where == f"{path}:2" for damage in damages)
    if why:
        assert [damage.why for damage in damages] == [why]


def test_any_text_is_kept_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    text = "\ud800 \u2028 \x00 \r\n 三十 🕧 " + '"}\n{'
    Journal(path).record("call", "odd", {"reply": text})
    assert path.read_bytes().count(b"\n") == 1
    (entry,), _ = entries(path)
    assert entry.call["reply"] == text


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    Journal(path, rotate_bytes=1).record("call", "1", {})
    Journal(path, rotate_bytes=1).record("call", "2", {})
    modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
    assert set(modes.values()) == {0o600}
    assert len(modes) == 3


def test_a_place_that_cannot_be_written_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"cannot be written .*set VOIRDIRE_JOURNAL"):
        Journal(tmp_path / "file" / "journal.jsonl")
    with pytest.raises(ConfigError, match="cannot be written"):
        Journal(tmp_path)


def test_a_missing_journal_is_told_with_the_option_that_names_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no journal here yet; give its path with --journal"):
        entries(tmp_path / "journal.jsonl")


def test_its_place_is_the_environments_or_below_the_working_directory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("VOIRDIRE_JOURNAL", raising=False)
    assert default_path() == Path(".voirdire/journal.jsonl")
    monkeypatch.setenv("VOIRDIRE_JOURNAL", "elsewhere.jsonl")
    assert default_path() == Path("elsewhere.jsonl")


def test_ids_are_unique_and_in_the_order_of_time() -> None:
    first = [new_id() for _ in range(1000)]
    assert len(set(first)) == 1000
    stamps = [identity.split("-")[0] for identity in first]
    assert stamps == sorted(stamps)
