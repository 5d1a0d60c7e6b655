"""The local store when its file is ill: the verdict is given all the same, and said so once."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.cache.asking import GOOD, asked, text
from tests.cache.conftest import Serve
from tests.judges.judge_server import reply
from voirdire.cache import local
from voirdire.cache.in_use import InUse
from voirdire.cache.local import SqliteStore

ROOT = Path(__file__).resolve().parent.parent.parent
RECORD = {"text": "x"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache.sqlite"


def filled(path: Path, count: int = 200) -> None:
    store = SqliteStore(path)
    for number in range(count):
        store.put(f"old-{number}", {"text": "x" * 500})
    store._close()


def overwritten(path: Path) -> None:
    path.write_bytes(b"this is no database, whatever its name says" * 50)


def half_overwritten(path: Path) -> None:
    filled(path)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))


def cut_off(path: Path) -> None:
    filled(path)
    os.truncate(path, 4096 * 3 + 100)


def cut_in_the_first_page(path: Path) -> None:
    filled(path)
    os.truncate(path, 1000)


@pytest.mark.parametrize("damage", [overwritten, half_overwritten, cut_off, cut_in_the_first_page])
def test_a_damaged_file_is_set_aside_and_begun_anew(
    serve: Serve,
    path: Path,
    damage: Callable[[Path], None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    damage(path)
    damaged = path.read_bytes()
    server = serve(reply(text(GOOD)))
    outcomes = [asked(server.url, path.parent) for _ in range(3)]
    assert [outcome.outcome for outcome in outcomes] == ["pass"] * 3
    assert [outcome.cache for outcome in outcomes] == ["miss", "hit", "hit"]
    (aside,) = path.parent.glob("cache.sqlite.damaged-*")
    assert aside.read_bytes() == damaged
    said = capfd.readouterr().err
    assert said.count("voirdire: ") == 1
    assert str(path) in said
    assert aside.name in said


@pytest.mark.parametrize("name", ["rubric.yaml", "help", "replies.jsonl"])
def test_a_file_that_was_never_a_database_is_left_as_it_is(
    tmp_path: Path, name: str, serve: Serve, capfd: pytest.CaptureFixture[str]
) -> None:
    """A wrong path in `cache:` must not take somebody's rubric away."""
    path = tmp_path / name
    path.write_bytes(b"name: support\ncriteria: {grounded: Is it?}\n")
    before = path.read_bytes()
    server = serve(reply(text(GOOD)))
    outcome = asked(server.url, tmp_path, place=str(path))
    assert (outcome.outcome, path.read_bytes()) == ("pass", before)
    assert SqliteStore(path).prune(0) == 0
    assert path.read_bytes() == before
    assert list(tmp_path.glob("*.damaged-*")) == []
    assert f"{path}: the verdict cache cannot be used" in capfd.readouterr().err


@pytest.mark.parametrize("name", ["verdicts", "verdicts.cache"])
def test_a_damaged_database_is_known_by_its_first_bytes(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    cut_off(path)
    assert SqliteStore(path).get("old-0") is None
    assert len(list(tmp_path.glob("*.damaged-*"))) == 1


def test_what_was_set_aside_takes_its_log_along(path: Path) -> None:
    filled(path, 3)
    keeper = sqlite3.connect(path)  # the log stays as long as somebody has the file open
    keeper.execute("UPDATE verdicts SET at = 1")
    keeper.commit()
    log = path.with_name("cache.sqlite-wal")
    assert log.stat().st_size > 0
    store = SqliteStore(path)
    store._open()
    store._set_aside("told so")
    keeper.close()
    names = sorted(
        file.name.split(".damaged-")[-1].lstrip("0123456789")
        for file in path.parent.glob("cache.sqlite*")
    )
    assert names == ["", "-shm", "-wal"]


def test_an_empty_file_is_a_fresh_store(path: Path) -> None:
    path.touch()
    store = SqliteStore(path)
    store.put("a", RECORD)
    assert store.get("a") == RECORD
    assert not store.away


def a_folder(path: Path) -> None:
    path.mkdir()


def below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("a file")


def another_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE verdicts (a, b)")
    connection.close()


@pytest.mark.parametrize("in_its_place", [a_folder, below_a_file, another_database])
def test_a_place_that_cannot_be_used_is_gone_without(
    serve: Serve,
    tmp_path: Path,
    in_its_place: Callable[[Path], None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "folder").mkdir()
    path = tmp_path / "folder" / "cache.sqlite"
    in_its_place(path)
    server = serve(reply(text(GOOD)))
    outcome = asked(server.url, tmp_path, str(path))
    assert (outcome.outcome, outcome.cache) == ("pass", "miss")
    said = capfd.readouterr().err
    assert said.count("voirdire: ") == said.count("\n") == 1
    assert str(path) in said
    assert list(tmp_path.rglob("*.damaged-*")) == []


READ_ONLY = """
import os, sys
from pathlib import Path
from voirdire.cache.local import SqliteStore
if os.getuid() == 0:
    os.setuid(65534)  # root may write anywhere
store = SqliteStore(Path(sys.argv[1]))
store.put("b", {})
print(store.get("a"), store.away)
"""


def test_a_read_only_folder_is_gone_without() -> None:
    # Not one of pytest's folders: they are closed to other users.
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR", "/tmp")) as name:
        folder = Path(name)
        filled(folder / "cache.sqlite", 1)
        folder.chmod(0o555)
        command = [sys.executable, "-c", READ_ONLY, str(folder / "cache.sqlite")]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "None True\n"
    assert done.stderr.count("voirdire: ") == done.stderr.count("\n") == 1


def test_a_locked_file_is_waited_for_once_and_then_gone_without(
    serve: Serve, path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(local, "_WAIT_S", 0.3)
    monkeypatch.setattr(local, "_WAIT_AGAIN_S", 0.01)
    filled(path, 1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    server = serve(reply(text(GOOD)))
    outcome = asked(server.url, path.parent)
    other.execute("ROLLBACK")
    other.close()
    assert (outcome.outcome, outcome.cache) == ("pass", "miss")
    said = capfd.readouterr().err
    assert said.count("voirdire: ") == said.count("\n") == 1
    assert "locked" in said
    assert len(list(SqliteStore(path).items())) == 1  # the file was sound, and is


def test_a_verdict_is_kept_where_the_lock_is_gone_when_it_comes(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local, "_WAIT_S", 0.05)
    filled(path, 1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    store = SqliteStore(path)
    assert store.get("old-0") is None
    other.execute("ROLLBACK")
    other.close()
    store.replace("a", RECORD)
    assert SqliteStore(path).get("a") == RECORD
    assert store.away  # it was, once


def test_a_file_that_another_has_open_is_left_where_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(local, "_SET_ASIDE_WAIT_S", 0.05)
    half_overwritten(path)
    other = SqliteStore(path)
    other._open()
    store = SqliteStore(path)
    assert store.get("old-150") is None
    assert store.away
    assert "going without" in capfd.readouterr().err
    assert list(path.parent.glob("*.damaged-*")) == []
    other._close()
    assert SqliteStore(path).get("old-150") is None
    assert len(list(path.parent.glob("*.damaged-*"))) == 1


def test_the_file_that_took_a_damaged_ones_place_is_left_alone(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overwritten(path)
    real = InUse.try_alone

    def late(self: InUse) -> bool:
        """Two others were faster: one set it aside, one began anew, and both are gone."""
        monkeypatch.undo()
        path.rename(path.with_name("elsewhere"))
        filled(path, 1)
        return real(self)

    monkeypatch.setattr(InUse, "try_alone", late)
    store = SqliteStore(path)
    assert store.get("old-0") is not None
    assert list(path.parent.glob("*.damaged-*")) == []


def test_a_lock_while_a_file_is_begun_is_waited_for(path: Path) -> None:
    """The switch to WAL, which SQLite itself does not always wait for."""
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE other (a)")
    other.execute("BEGIN IMMEDIATE")
    freed = threading.Timer(0.3, lambda: other.execute("COMMIT"))
    freed.start()
    store = SqliteStore(path)
    store.put("a", RECORD)
    freed.join()
    other.close()
    assert not store.away
    assert store.get("a") == RECORD


def test_threads_share_a_store(path: Path) -> None:
    store = SqliteStore(path)

    def work(name: int) -> bool:
        for number in range(50):
            store.put(f"{name}-{number}", RECORD)
        return all(store.get(f"{name}-{number}") == RECORD for number in range(50))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))
    assert len(list(store.items())) == 400


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc here to count files in")
def test_a_store_that_is_no_longer_used_holds_no_file(path: Path) -> None:
    def opened() -> list[str]:
        links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
        targets = [str(link.readlink()) for link in links if link.exists()]
        return [target for target in targets if target.startswith(str(path.parent))]

    for _ in range(3):
        SqliteStore(path).put("a", RECORD)
    assert opened() == []


def test_the_first_put_stays_and_a_replaced_record_goes(path: Path) -> None:
    store = SqliteStore(path)
    store.put("a", {"n": 1})
    store.put("a", {"n": 2})
    assert store.get("a") == {"n": 1}
    store.replace("a", {"n": 3})
    assert store.get("a") == {"n": 3}


def test_pruning_drops_what_is_older_and_says_how_much(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(path)
    now = time.time()
    for key, age in (("a", 100), ("b", 50), ("c", 0)):
        monkeypatch.setattr(time, "time", lambda age=age: now - age)
        store.put(key, RECORD)
    monkeypatch.setattr(time, "time", lambda: now)
    assert [key for key, _ in store.items()] == ["a", "b", "c"]
    assert store.prune(60) == 1
    assert [key for key, _ in store.items()] == ["b", "c"]
    assert store.prune(0) == 1


def test_a_local_store_imports_no_redis(path: Path) -> None:
    code = (
        "import sys\n"
        "from voirdire.cache.store import open_store\n"
        "open_store(sys.argv[1]).put('a', {})\n"
        "assert not [name for name in sys.modules if name.startswith(('redis', 'requests'))]\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], cwd=ROOT, check=False)
    assert done.returncode == 0
    assert path.exists()
