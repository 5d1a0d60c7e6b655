"""Many processes at one store, and processes that are killed."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cache.asking import GOOD, text
from tests.cache.conftest import Serve
from tests.judges.judge_server import reply
from voirdire.cache.local import SqliteStore
from voirdire.journal import entries

ROOT = Path(__file__).resolve().parent.parent.parent
PROCESSES = 32
VERDICTS = 200


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finished(processes: Sequence[subprocess.Popen[str]]) -> list[str]:
    """What each printed; none may have failed or complained."""
    printed = []
    for process in processes:
        out, complaint = process.communicate(timeout=120)
        assert (process.returncode, complaint) == (0, "")
        printed.append(out)
    return printed


def rows(path: Path) -> int:
    connection = sqlite3.connect(path)
    (count,) = connection.execute("SELECT count(*) FROM verdicts").fetchone()
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    return int(count)


WRITE = """
import sys
from pathlib import Path
from voirdire.cache.local import SqliteStore
path, name, count = sys.argv[1:]
store = SqliteStore(Path(path))
for number in range(int(count)):
    store.put(f"{name}-{number}", {"text": "x" * 1000, "by": name})
assert all(store.get(f"{name}-{number}")["by"] == name for number in range(int(count)))
assert not store.away
"""


def test_no_write_of_many_processes_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    finished([start(WRITE, path, name, VERDICTS) for name in range(PROCESSES)])
    assert rows(path) == PROCESSES * VERDICTS


ASK = """
import random, sys, tempfile
from pathlib import Path
from tests.cache.asking import CASE, asked
from voirdire.cache.store import open_store
url, folder, place, name, asks, distinct = sys.argv[1:]
tempfile.tempdir = folder
store = open_store(place)
draw = random.Random(int(name))
for _ in range(int(asks)):
    case = CASE._replace(answer=f"It lasts 30 minutes. ({draw.randrange(int(distinct))})")
    outcome = asked(url, Path(folder), store, case=case, settings={"in_flight": 64})
    assert outcome.outcome == "pass", outcome.reason
    print(outcome.cache)
"""


def test_a_key_that_many_processes_ask_for_at_once_costs_one_call(
    serve: Serve, tmp_path: Path
) -> None:
    server = serve(reply(text(GOOD)), hold_s=0.3)
    path = tmp_path / "cache.sqlite"
    given = (server.url, tmp_path, path)
    printed = finished([start(ASK, *given, name, VERDICTS, 20) for name in range(PROCESSES)])
    said = "".join(printed).split()
    assert len(said) == PROCESSES * VERDICTS
    assert said.count("miss") == len(server.requests) == rows(path) == 20
    assert len(entries(tmp_path / "journal.jsonl")[0]) == 20


def test_whoever_waits_for_a_process_that_is_killed_asks_itself(
    serve: Serve, tmp_path: Path
) -> None:
    server = serve({"kind": "hang"}, reply(text(GOOD)))
    given = (server.url, tmp_path, tmp_path / "cache.sqlite")
    first = start(ASK, *given, 1, 1, 1)
    while not server.requests:
        assert first.poll() is None
        time.sleep(0.01)
    second = start(ASK, *given, 2, 1, 1)
    first.kill()
    first.communicate()
    assert finished([second]) == ["miss\n"]
    assert len(server.requests) == 2


KEEP_WRITING = """
import os, sys
from pathlib import Path
from voirdire.cache.local import SqliteStore
path, name = sys.argv[1:]
store = SqliteStore(Path(path))
for number in range(100_000):
    key = f"{name}-{number}"
    store.put(key, {"text": "x" * 1000})
    assert not store.away
    os.write(1, f"{key}\\n".encode())
"""


def test_nothing_that_was_acknowledged_is_gone_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    draw = random.Random(20261201)
    acknowledged: list[str] = []
    for rounds in range(25):
        pair = [start(KEEP_WRITING, path, f"{rounds}-{name}") for name in range(2)]
        assert pair[0].stdout is not None
        acknowledged.append(pair[0].stdout.readline().strip())
        time.sleep(draw.random() * 0.05)
        for process in pair:
            process.send_signal(signal.SIGKILL)
        for process in pair:
            out, complaint = process.communicate()
            assert (process.returncode, complaint) == (-signal.SIGKILL, "")
            acknowledged += out.split()
        if rounds % 5 == 0:
            assert kept(path) >= set(acknowledged)
    assert len(acknowledged) > 100
    assert kept(path) >= set(acknowledged)
    assert rows(path) >= len(acknowledged)
    assert list(tmp_path.glob("*.damaged-*")) == []


def kept(path: Path) -> set[str]:
    store = SqliteStore(path)
    keys = {key for key, _ in store.items()}
    assert not store.away
    return keys


BEGIN = """
import sys, time
from pathlib import Path
from voirdire.cache.local import SqliteStore
path, name, count = sys.argv[1:]
store = SqliteStore(Path(path))
while not Path(path).with_name("go").exists():
    time.sleep(0.001)
for number in range(int(count)):
    store.put(f"{name}-{number}", {"text": "x"})
assert not store.away
"""


@pytest.mark.parametrize("damaged", [False, True], ids=["no file", "a damaged file"])
def test_many_that_begin_a_file_at_once_begin_one(tmp_path: Path, damaged: bool) -> None:
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "cache.sqlite"
        if damaged:
            path.write_bytes(b"no database at all" * 500)
        processes = [start(BEGIN, path, name, 20) for name in range(8)]
        time.sleep(0.5)
        (folder / "go").touch()
        complaints = ""
        for process in processes:
            _, complaint = process.communicate(timeout=60)
            assert process.returncode == 0, complaint
            complaints += complaint
        assert rows(path) == 8 * 20
        assert len(list(folder.glob("*.damaged-*"))) == complaints.count("voirdire: ") == damaged
