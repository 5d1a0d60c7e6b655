"""promptfoo's own viewer in a real Chromium: what a reader finds there of a judge's verdicts."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.chromium import PATIENCE, Browser, Tab, chromium_path, running
from tests.e2e.conftest import Promptfoo, Toolchain
from tests.e2e.suites import (
    HOOK,
    ROOT,
    SOURCE,
    case,
    door_config,
    drop_in,
    explicit,
    record,
    suite,
    verdict,
    write_files,
)

pytestmark = pytest.mark.e2e

SCREENSHOT = ROOT / "docs" / "viewer-judge-error.png"
# Longer than a reason quotes, so that its end is found nowhere but in the whole reply.
CUT = (
    '{"critique": "'
    + "".join(
        f"Sentence {number} of the answer stands in the source, word for word. "
        for number in range(1, 15)
    )
    + "But the last wo"
)
# Kept once nothing has changed on the page for a second.
QUIET = """new Promise((done) => {
  let timer = setTimeout(done, 1000);
  const again = () => { clearTimeout(timer); timer = setTimeout(done, 1000); };
  new MutationObserver(again).observe(document.body, { childList: true, subtree: true });
})"""
DIALOG = "document.querySelector('[role=dialog]')"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        pytest.skip("no Chromium on the path, and VOIRDIRE_CHROMIUM names none")
    with running(path) as found:
        yield found


@pytest.fixture(scope="session")
def viewer(
    toolchain: Toolchain, promptfoo: Promptfoo, folders: Callable[[str], Path]
) -> Iterator[str]:
    """The address of the viewer on a suite of one verdict and a judge error at each door."""
    folder = folders("the viewer")
    cut = {"reply": CUT, "finish_reason": "length"}
    write_files(folder, [record("sound", verdict()), record("cut", **cut), record("asked", **cut)])
    tests = [
        case("sound", [explicit(door_config(), metric="grounded")]),
        case("cut", [explicit(door_config(), metric="grounded")]),
        case("asked", [drop_in(door_config(), metric="grounded")]),
    ]
    run = promptfoo(folder, suite(tests, extensions=[HOOK]))
    assert len(run.rows) == 3, run.printed
    with viewing(toolchain, folder) as address:
        yield address


@contextmanager
def viewing(toolchain: Toolchain, folder: Path) -> Iterator[str]:
    """Runs ``promptfoo view`` on the evals of a folder that a run has left."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    environment = {
        **os.environ,
        "PROMPTFOO_CONFIG_DIR": str(folder / "home"),
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
        "NO_PROXY": "*",
    }
    command = [toolchain.node, toolchain.promptfoo_main, "view", "-n", "-p", str(port)]
    with (
        (folder / "viewer.log").open("wb") as log,
        subprocess.Popen(
            command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
        ) as process,
    ):
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(f"{address}/health", folder / "viewer.log")
            yield address
        finally:
            process.terminate()


def _wait_for(address: str, log: Path) -> None:
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    end = time.monotonic() + PATIENCE
    while True:
        try:
            with direct.open(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            assert time.monotonic() < end, log.read_text(encoding="utf-8", errors="replace")
            time.sleep(0.1)


@pytest.fixture
def tab(browser: Browser, viewer: str) -> Iterator[Tab]:
    """The viewer on its newest eval, the table drawn and drawn again: it loads it twice."""
    tab = browser.tab(1500, 900)
    tab.open(f"{viewer}/eval")
    tab.until("document.querySelectorAll('tbody tr').length >= 3")
    tab.run(QUIET)
    yield tab
    tab.close()


def row(name: str) -> str:
    """The row of a test in the viewer's table, as an expression in the page."""
    return (
        "[...document.querySelectorAll('tbody tr')]"
        f".find((one) => one.innerText.trim().startsWith({json.dumps(name)}))"
    )


def opened(tab: Tab, name: str, part: str) -> None:
    """Open a test's details on one of their tabs.

    The viewer draws its table anew while it loads, which can swallow a click: like a reader, click
    once more.
    """
    button = f"{row(name)}.querySelector('[aria-label=\"View output and test details\"]')"
    wanted = (
        f"[...({DIALOG}?.querySelectorAll('[role=tab]') ?? [])]"
        f".find((one) => one.innerText.startsWith({json.dumps(part)}))"
    )
    end = time.monotonic() + PATIENCE
    while tab.run(f"{wanted}?.ariaSelected") != "true":
        assert time.monotonic() < end, f"the details of {name} do not open"
        if tab.run(f"Boolean({wanted})"):
            tab.tried(wanted)
        elif tab.tried(button):
            time.sleep(1)


def test_the_reason_is_read_in_the_cell(tab: Tab) -> None:
    for name in ("cut", "asked"):
        cell = str(tab.run(f"{row(name)}.innerText"))
        assert "judge error (truncated)" in cell
        assert "raw reply:" in cell
    assert "judge error" not in str(tab.run(f"{row('sound')}.innerText"))


def test_outcomes_are_named_scores_over_the_column_and_in_each_cell(tab: Tab) -> None:
    head = str(tab.run("document.querySelector('thead').innerText"))
    for name, share in (("judge_pass", "33.33%"), ("judge_error", "66.67%"), ("judge_fail", "0.")):
        assert share in head.split(name)[1].split("\n")[1]
    cell = str(tab.run(f"{row('asked')}.innerText"))
    assert cell.split("judge_error")[1].split()[0] == "1.00"
    assert cell.split("judge_pass")[1].split()[0] == "0.00"


def test_the_prompt_that_the_judge_was_sent_is_in_its_panel(tab: Tab) -> None:
    opened(tab, "sound", "Evaluation")
    tab.click(
        f"[...{DIALOG}.querySelectorAll('button')]"
        ".find((one) => one.innerText.includes('Full Grading Prompt'))"
    )
    tab.until(f"{DIALOG}.innerText.includes({json.dumps(SOURCE)})")


@pytest.mark.parametrize("name", ["cut", "asked"])
def test_a_judge_error_has_its_whole_reply_in_the_details(tab: Tab, name: str) -> None:
    assert "But the last wo" not in str(tab.run(f"{row(name)}.innerText"))
    opened(tab, name, "Metadata")
    tab.click(
        f"[...{DIALOG}.querySelectorAll('tr')]"
        ".find((one) => one.innerText.startsWith('raw reply (grounded)'))?.cells[1]"
    )
    tab.until(f"{DIALOG}.innerText.includes('But the last wo')")
    if name == "cut" and os.environ.get("VOIRDIRE_SCREENSHOTS"):
        tab.screenshot(SCREENSHOT)
