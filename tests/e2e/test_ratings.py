"""Thumbs given to the real promptfoo's viewer, read back as labelled cases."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e import suites
from tests.e2e.conftest import Promptfoo, Run, Toolchain
from voirdire.calibration.cases import LoadedCases, load_cases
from voirdire.promptfoo.ratings import Answered, answers

pytestmark = pytest.mark.e2e

MANUAL = "Manual result (overrides all other grading results)"
WAIT_S = 60.0


def environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PROMPTFOO_CONFIG_DIR": str(folder / "home"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_SHARING": "1",
        "NO_PROXY": "*",
    }


@contextmanager
def viewer(toolchain: Toolchain, folder: Path) -> Iterator[str]:
    """``promptfoo view`` on the folder's database; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [toolchain.node, toolchain.promptfoo_main, "view", "-n", "-p", str(port)]
    log = folder / "viewer.log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            command, cwd=folder, env=environment(folder), stdout=file, stderr=file
        )
    try:
        address = f"http://127.0.0.1:{port}"
        until = time.monotonic() + WAIT_S
        while not answering(address):
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(WAIT_S)


def answering(address: str) -> bool:
    try:
        with opened(f"{address}/health"):
            return True
    except OSError:
        return False


def opened(request: Any) -> Any:
    """Loopback only: whatever proxy there is stays out of it."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10)


def rate(address: str, eval_id: str, row: dict[str, Any], up: bool | None, comment: str) -> None:
    """What the viewer's own page sends for a thumb, and for a comment alone (``None``)."""
    grading = {**row["gradingResult"], "comment": comment}
    if up is not None:
        grade = {"pass": up, "score": int(up), "reason": MANUAL, "comment": comment}
        grades = [*grading["componentResults"], {**grade, "assertion": {"type": "human"}}]
        grading |= {"pass": up, "score": int(up), "reason": MANUAL, "componentResults": grades}
    request = urllib.request.Request(
        f"{address}/api/eval/{eval_id}/results/{row['id']}/rating",
        json.dumps(grading).encode(),
        {"Content-Type": "application/json"},
    )
    with opened(request) as response:
        assert response.status == 200


@pytest.fixture(scope="module")
def run(toolchain: Toolchain, promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Run:
    folder = folders("rated answers")
    replies = [suites.record(name, suites.verdict()) for name in ("up", "down", "said", "unrated")]
    suites.write_files(folder, replies)
    config = suites.door_config(source=None, vars={"source": "truth"})
    tests = [
        suites.case(name, [suites.explicit(config)], vars={"truth": "file://source.md"})
        for name in ("up", "down", "said", "unrated")
    ]
    done = promptfoo(folder, suites.suite(tests))
    assert done.code == 0, done.printed
    eval_id = done.results["evalId"]
    with viewer(toolchain, folder) as address:
        rate(address, eval_id, done.rows["up"], True, "")
        rate(address, eval_id, done.rows["down"], False, "!highlight That is the old link.")
        rate(address, eval_id, done.rows["said"], None, "A comment is no rating.")
    command = [toolchain.node, toolchain.promptfoo_main, "export", "eval", eval_id]
    command += ["-o", str(folder / "exported.json")]
    subprocess.run(command, cwd=folder, env=environment(folder), check=True, timeout=WAIT_S)
    return done


@pytest.mark.parametrize("name", ["home/promptfoo.db", "exported.json"])
def test_thumbs_become_labels(run: Run, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run.folder)  # a database does not tell where its suite lies
    loaded: LoadedCases = load_cases(run.folder / name, sources=None)
    assert loaded.damaged == []
    found = {str(case.case.id): case for case in loaded.cases}
    assert sorted(found) == ["down", "up"]
    assert (found["up"].label, found["up"].note) == ("pass", "")
    assert (found["down"].label, found["down"].note) == ("fail", "That is the old link.")
    for case in found.values():
        assert (case.case.question, case.case.answer) == ("How long?", suites.ANSWER)
        assert [source.text for source in case.case.sources] == [suites.SOURCE]
        assert case.model == "echo"


@pytest.mark.parametrize("name", ["home/promptfoo.db", "exported.json", "results.json"])
def test_the_judges_verdict_stays_beside_the_persons(
    run: Run, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(run.folder)
    found = answers(run.folder / name, [run.folder])
    said = {(item.outcome, item.confidence) for item in found if isinstance(item, Answered)}
    assert len(found) == 4
    assert said == {("pass", 0.95)}
