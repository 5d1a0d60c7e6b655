"""Slots hold across threads and processes, and a crash frees them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.judges.conftest import Serve
from tests.judges.judge_server import reply
from voirdire.errors import ConfigError
from voirdire.judges.base import Ask
from voirdire.judges.slots import NoSlotError, slot
from voirdire.judges.spec import make_judge

HOLDER = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from voirdire.judges.slots import slot
with slot("host", 1, 10):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the only slot for ``host``."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_no_more_than_the_given_number_are_held_at_once() -> None:
    with ExitStack() as held:
        for _ in range(3):
            held.enter_context(slot("host", 3, 0))
        with pytest.raises(NoSlotError), slot("host", 3, 0):
            pass


def test_a_slot_is_free_again_after_use() -> None:
    for _ in range(3):
        with slot("host", 1, 0):
            pass


def test_a_slot_is_free_again_after_an_error() -> None:
    with pytest.raises(KeyError), slot("host", 1, 0):
        raise KeyError
    with slot("host", 1, 0):
        pass


def test_hosts_do_not_wait_for_each_other() -> None:
    with slot("one", 1, 0), slot("other", 1, 0):
        pass


@pytest.mark.usefixtures("holder")
def test_another_process_holds_its_slot_against_this_one() -> None:
    with pytest.raises(NoSlotError), slot("host", 1, 0.1):
        pass


def test_a_killed_process_leaves_its_slot(holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    with slot("host", 1, 5):
        pass


def test_calls_in_flight_are_bounded_over_judges(serve: Serve, ask: Ask) -> None:
    server = serve(reply("{}"), hold_s=0.1)

    def judge(_: int) -> str | None:
        spec = f"openai:m@{server.url}/v1"
        return make_judge(spec, {"in_flight": 2}).ask(ask).text

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(judge, range(8))) == ["{}"] * 8
    assert server.most_in_flight == 2


def test_a_directory_that_cannot_hold_locks_is_a_configuration_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setattr("tempfile.tempdir", str(blocked))
    with pytest.raises(ConfigError, match="set TMPDIR"), slot("host", 1, 0):
        pass


@pytest.mark.skipif(sys.platform == "win32", reason="no owners of files")
def test_a_lock_directory_of_another_user_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    owner = os.getuid()
    (tmp_path / f"voirdire-{owner + 1}").mkdir()
    monkeypatch.setattr("os.getuid", lambda: owner + 1)
    with pytest.raises(ConfigError, match="belongs to another user"), slot("host", 1, 0):
        pass
