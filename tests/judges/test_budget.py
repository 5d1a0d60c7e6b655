"""What a run may use holds over all its processes, and never ends in silence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.judges.conftest import Serve
from tests.judges.judge_server import HANG, body, reply, status
from voirdire.errors import ConfigError, JudgeCallError
from voirdire.judges.base import Ask
from voirdire.judges.budget import process_start, run_name
from voirdire.judges.model import ModelJudge
from voirdire.judges.spec import make_judge

ROOT = Path(__file__).parents[2]
PRICES = {"input": 1000, "output": 3000}  # a reply of the server costs 700 × 1000 + 100 × 3000
COST = 1.0

ASKER = """
import sys
from voirdire.errors import JudgeCallError
from voirdire.judges.base import Ask
from voirdire.judges.spec import make_judge
from voirdire.prompt import Prompt
from voirdire.source import Source
url, most, asks, of_parent = sys.argv[1], *map(int, sys.argv[2:])
limits = {"max_calls": most, "in_flight": 64}
judge = make_judge(f"openai:m@{url}/v1", limits, of_parent=bool(of_parent))
ask = Ask(Prompt("s", "u", ()), {"type": "object"}, (), (Source("s", "t"),), "", "a")
print("ready", flush=True)
sys.stdin.readline()
for _ in range(asks):
    try:
        judge.ask(ask)
        print("answered", flush=True)
    except JudgeCallError as error:
        print(error.kind, error.detail, flush=True)
"""

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where runs are counted; the run is this test's."""
    monkeypatch.setenv("VOIRDIRE_JOURNAL", str(tmp_path / "state" / "journal.jsonl"))
    monkeypatch.setenv("VOIRDIRE_RUN", str(tmp_path))
    return tmp_path / "state" / "runs"


@pytest.fixture
def start() -> Any:
    """Starts processes that ask, and ends them with the test."""
    started: list[subprocess.Popen[str]] = []

    def run(
        url: str, most: int, asks: int = 1, *, of_parent: bool = False
    ) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", ASKER, url, *map(str, (most, asks, int(of_parent)))]
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


def begin(processes: list[subprocess.Popen[str]]) -> None:
    """Let all ask at once, once each of them is ready."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def let_go(processes: list[subprocess.Popen[str]]) -> list[str]:
    """What all of them say, once they are let go together."""
    begin(processes)
    return [line for process in processes for line in process.communicate()[0].splitlines()]


def judge_at(url: str, **settings: Any) -> ModelJudge:
    judge = make_judge(f"openai:m@{url}/v1", {"retries": 0, **settings})
    assert isinstance(judge, ModelJudge)
    return judge


def count(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("*.json")
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def refused(judge: ModelJudge, ask: Ask) -> str:
    with pytest.raises(JudgeCallError) as caught:
        judge.ask(ask)
    assert caught.value.kind == "budget"
    return caught.value.detail


def test_sixteen_processes_at_once_do_not_pass_max_calls(serve: Serve, start: Start) -> None:
    server = serve(reply("{}"))
    said = let_go([start(server.url, 21, 3) for _ in range(16)])

    assert said.count("answered") == 21
    assert len(server.requests) == 21
    others = [line for line in said if line != "answered"]
    assert len(others) == 16 * 3 - 21
    assert all(line.startswith("budget max_calls 21 is reached in this run") for line in others)


def test_threads_of_one_process_do_not_pass_it_either(serve: Serve, ask: Ask) -> None:
    server = serve(reply("{}"), hold_s=0.05)
    judge = judge_at(server.url, max_calls=5, in_flight=64)

    def asked(_: int) -> str:
        try:
            return judge.ask(ask).text or ""
        except JudgeCallError as error:
            return error.kind

    with ThreadPoolExecutor(12) as pool:
        said = list(pool.map(asked, range(12)))
    assert (said.count("{}"), said.count("budget")) == (5, 7)
    assert len(server.requests) == 5


def test_a_call_counts_once_however_many_attempts_it_took(
    serve: Serve, ask: Ask, folder: Path
) -> None:
    server = serve(status(429, Retry_After="0"), status(429, Retry_After="0"), reply("{}"))
    judge = judge_at(server.url, max_calls=1, retries=4)
    assert judge.ask(ask).attempts == 3
    assert count(folder) == {"calls": 1, "tokens": 800, "cost": 0.0, "open": []}
    assert "(1 made)" in refused(judge, ask)


@pytest.mark.parametrize("step", [status(401), status(500), HANG])
def test_a_call_without_an_answer_is_not_counted(
    serve: Serve, ask: Ask, folder: Path, step: Any
) -> None:
    server = serve(step, reply("{}"))
    judge = judge_at(server.url, max_calls=1, timeout_s=0.3)
    with pytest.raises(JudgeCallError, match="no reply"):
        judge.ask(ask)
    assert count(folder)["calls"] == 0
    assert judge.ask(ask).text == "{}"
    assert count(folder)["calls"] == 1


def test_an_answer_that_is_no_reply_is_counted(serve: Serve, ask: Ask, folder: Path) -> None:
    judge = judge_at(serve(body("<html>")).url, max_calls=2)
    with pytest.raises(JudgeCallError, match="no usable reply"):
        judge.ask(ask)
    assert count(folder)["calls"] == 1


def test_a_refused_call_asks_nobody(serve: Serve, ask: Ask) -> None:
    server = serve(reply("{}"))
    judge = judge_at(server.url, max_calls=1)
    judge.ask(ask)
    assert refused(judge, ask) == "max_calls 1 is reached in this run (1 made)"
    assert len(server.requests) == 1


def test_tokens_end_a_run(serve: Serve, ask: Ask) -> None:
    judge = judge_at(serve(reply("{}")).url, max_tokens_total=1601)
    for _ in range(3):
        judge.ask(ask)
    assert refused(judge, ask) == "max_tokens_total 1601 is reached in this run (2400 tokens used)"


def test_tokens_that_the_api_does_not_say_are_estimated(
    serve: Serve, ask: Ask, folder: Path
) -> None:
    text = "{" + " " * 398 + "}"
    judge = judge_at(serve(reply(text, usage=None)).url, max_tokens_total=10_000)
    long = ask._replace(turns=({"role": "user", "content": "x" * 4000},))
    judge.ask(long)
    assert 1100 <= count(folder)["tokens"] <= 1200


def test_cost_ends_a_run(serve: Serve, ask: Ask, folder: Path) -> None:
    judge = judge_at(serve(reply("{}")).url, max_cost=2 * COST, prices=PRICES)
    judge.ask(ask)
    judge.ask(ask)
    assert refused(judge, ask) == "max_cost 2 USD is reached in this run (2.0000 USD spent)"
    assert count(folder)["cost"] == 2 * COST


def test_what_is_under_way_counts_as_the_mean_call_so_far(
    serve: Serve, ask: Ask, folder: Path
) -> None:
    quick = judge_at(serve(reply("{}")).url, max_tokens_total=3000)
    quick.ask(ask)
    server = serve(reply("{}"), hold_s=30)
    slow = judge_at(server.url, max_tokens_total=3000)
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(slow.ask, ask) for _ in range(3)]
        wait_until(lambda: len(count(folder)["open"]) == 3)
        said = refused(quick, ask)
        server.closing.set()
    assert said.endswith("reached in this run (800 tokens used, 3 calls under way)")
    assert [future.result().text for future in waiting] == ["{}"] * 3


def wait_until(is_so: Callable[[], bool]) -> None:
    for _ in range(1000):
        if is_so():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to be")


def test_a_killed_process_leaves_its_place(
    serve: Serve, ask: Ask, start: Start, folder: Path
) -> None:
    server = serve(HANG, reply("{}"))
    holder = start(server.url, 1)
    begin([holder])
    wait_until(lambda: folder.exists() and bool(server.requests))
    judge = judge_at(server.url, max_calls=1)
    assert refused(judge, ask) == ("max_calls 1 is reached in this run (0 made, 1 calls under way)")
    holder.kill()
    holder.wait()
    assert judge.ask(ask).text == "{}"
    assert count(folder)["open"] == []


def test_a_number_that_is_used_again_is_another_process(
    serve: Serve, ask: Ask, folder: Path
) -> None:
    judge = judge_at(serve(reply("{}")).url, max_calls=2)
    judge.ask(ask)
    (path,) = folder.glob("*.json")
    left = {"id": "x", "pid": os.getpid(), "start": "0", "at": 0, "tokens": 0, "cost": 0}
    path.write_text(json.dumps({**count(folder), "open": [left]}))
    assert judge.ask(ask).text == "{}"


def test_processes_of_one_parent_are_one_run(
    serve: Serve, start: Start, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.delenv("VOIRDIRE_RUN")
    server = serve(reply("{}"))
    said = let_go([start(server.url, 2, of_parent=True) for _ in range(3)])
    assert sorted(line.split()[0] for line in said) == ["answered", "answered", "budget"]
    assert count(folder)["calls"] == 2
    assert next(folder.glob("*.json")).stem == f"{os.getpid()}-{process_start(os.getpid())}"


def test_a_command_line_is_a_run_of_its_own(
    serve: Serve, start: Start, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.delenv("VOIRDIRE_RUN")
    server = serve(reply("{}"))
    said = let_go([start(server.url, 1, 2) for _ in range(2)])
    assert sorted(line.split()[0] for line in said) == ["answered", "answered", "budget", "budget"]
    assert len(list(folder.glob("*.json"))) == 2


def test_a_run_can_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VOIRDIRE_RUN", "../../nightly build")
    name = run_name(of_parent=True)
    assert name == run_name(of_parent=False)
    assert "/" not in name
    monkeypatch.setenv("VOIRDIRE_RUN", "another")
    assert run_name(of_parent=True) != name


def test_a_parent_that_cannot_be_told_apart_is_asked_to_be_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("VOIRDIRE_RUN")
    monkeypatch.setattr("voirdire.judges.budget.process_start", lambda pid: None)
    with pytest.raises(ConfigError, match="set the environment variable VOIRDIRE_RUN"):
        run_name(of_parent=True)


def test_the_start_of_a_process_tells_it_from_another() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        seen = process_start(process.pid)
        assert seen is not None
        assert seen == process_start(process.pid)
    assert process_start(process.pid) != seen


def test_old_runs_are_removed_and_young_ones_are_not(serve: Serve, ask: Ask, folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, days in (("old", 8), ("young", 6)):
        (folder / f"{name}.json").write_text("{}")
        os.utime(folder / f"{name}.json", (time.time() - days * 86_400,) * 2)
    judge_at(serve(reply("{}")).url, max_calls=1).ask(ask)
    assert not (folder / "old.json").exists()
    assert (folder / "young.json").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"calls": 1}',
        "\xff",
        '{"calls": "1", "tokens": 0, "cost": 0, "open": []}',
        '{"calls": -1, "tokens": 0, "cost": 0, "open": []}',
        '{"calls": 1, "tokens": NaN, "cost": 0, "open": []}',
        '{"calls": 1, "tokens": 0, "cost": null, "open": []}',
        '{"calls": 1, "tokens": 0, "cost": 0, "open": {}}',
        '{"calls": 1, "tokens": 0, "cost": 0, "open": [{"id": "a"}]}',
    ],
)
def test_a_count_that_is_none_is_named_and_spends_nothing(
    serve: Serve, ask: Ask, folder: Path, text: str
) -> None:
    server = serve(reply("{}"))
    judge = judge_at(server.url, max_calls=5)
    judge.ask(ask)
    (path,) = folder.glob("*.json")
    path.write_text(text, encoding="latin-1")
    with pytest.raises(ConfigError, match="not a run's count of calls; delete it"):
        judge.ask(ask)
    assert len(server.requests) == 1


def test_a_folder_that_cannot_hold_the_count_is_a_configuration_error(
    serve: Serve, ask: Ask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VOIRDIRE_JOURNAL", str(tmp_path / "file" / "journal.jsonl"))
    server = serve(reply("{}"))
    with pytest.raises(ConfigError, match="cannot be counted"):
        judge_at(server.url, max_calls=5).ask(ask)
    assert server.requests == []


def test_without_a_limit_nothing_is_counted(serve: Serve, ask: Ask, folder: Path) -> None:
    judge_at(serve(reply("{}")).url).ask(ask)
    assert not folder.exists()


def test_rules_and_recorded_replies_are_free(ask: Ask, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text('{"id": "a", "reply": "{}"}\n')
    limits = {"max_calls": 1, "max_tokens_total": 1, "max_cost": 0.01}
    for spec in ("rules", f"replay:{tmp_path}/replies.jsonl"):
        judge = make_judge(spec, limits)
        for _ in range(3):
            judge.ask(ask._replace(case_id="a"))
    assert not folder.exists()


def test_a_limit_of_cost_needs_a_price() -> None:
    with pytest.raises(ConfigError) as caught:
        make_judge("openai:m@http://127.0.0.1:1/v1", {"max_cost": 1})
    assert "prices: {input: …, output: …}" in str(caught.value)
    make_judge("openai:gpt-4.1-2025-04-14", {"max_cost": 1})
    make_judge("openai:m@http://127.0.0.1:1/v1", {"max_cost": 1, "prices": PRICES})


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"max_calls": 0}, "max_calls must be a whole number from 1"),
        ({"max_calls": 1.5}, "max_calls must be a whole number"),
        ({"max_calls": "50"}, "max_calls must be a whole number"),
        ({"max_tokens_total": 0}, "max_tokens_total must be a whole number from 1"),
        ({"max_cost": 0}, "max_cost must be more than 0 US dollars"),
        ({"max_cost": -1}, "max_cost must be a number from 0"),
        ({"max_cost": float("nan")}, "max_cost must be a number"),
    ],
)
def test_a_limit_that_is_none_is_named(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make_judge("rules", settings)


def test_limits_and_prices_make_no_other_judge() -> None:
    limits = {"max_calls": 1, "max_tokens_total": 1, "max_cost": 1, "prices": PRICES}
    spec = "openai:gpt-4.1-2025-04-14"
    assert make_judge(spec, limits).identity == make_judge(spec).identity
