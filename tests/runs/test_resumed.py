"""A run that is stopped in the middle goes on where it was, counted at the server."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cli.conftest import command, environment
from tests.judges.judge_server import Step, reply, status
from tests.runs.conftest import CASES, MODELS, Arguments, Run, kept, rows
from tests.runs.models_server import JUDGE, Asked, ModelsServer, say

EVERY = {(model, case, "") for model in MODELS for case in CASES} | {
    (JUDGE, case, model) for model in MODELS for case in CASES
}


@contextmanager
def started(arguments: list[str], folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A run under way; what it says goes to ``err``."""
    with (folder / "err").open("w") as err:
        process = subprocess.Popen(
            command(*arguments),
            cwd=folder,
            env=environment(folder),
            stdout=subprocess.DEVNULL,
            stderr=err,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            process.wait(30)


def until_kept(folder: Path, count: int) -> None:
    """Wait until so many replies are on disk."""
    end = time.monotonic() + 30
    while len(kept(folder)) < count:
        assert time.monotonic() < end, kept(folder)
        time.sleep(0.01)


def until_told(folder: Path, text: str) -> None:
    """Wait until the command has said this."""
    end = time.monotonic() + 30
    while text not in (folder / "err").read_text():
        assert time.monotonic() < end, (folder / "err").read_text()
        time.sleep(0.01)


@pytest.mark.parametrize("count", [0, 1, 2, 5, 8, 11])
def test_nothing_that_was_replied_to_is_asked_again_after_a_kill(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run, count: int
) -> None:
    server.hold_after(count)
    with started(arguments("--in-flight", "2"), folder) as process:
        assert server.full.wait(30)
        until_kept(folder, count)
        process.kill()
        assert process.wait(30) == -signal.SIGKILL
    before = set(server.replied)
    assert len(before) == sum(server.replied.values()) == count
    assert not (folder / "results.json").exists()

    server.hold_after(float("inf"))
    done = run(arguments("--in-flight", "2"))

    assert done.code == 0, done.err
    assert set(server.replied) == EVERY
    assert {server.replied[who] for who in before} <= {1}
    # One or two were on their way when the process died; the server may come to them only now.
    assert 1 <= len(server.requests) - len(EVERY) <= 2
    assert {row["success"] for row in rows(folder).values()} == {True}
    assert len(rows(folder)) == len(MODELS) * len(CASES)


def test_a_line_that_a_kill_cut_off_costs_that_call_and_no_other(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    assert run(arguments("--in-flight", "1")).code == 0
    file = folder / "results.run" / "run.jsonl"
    file.write_bytes(file.read_bytes()[:-30])
    asked = len(server.requests)

    done = run(arguments("--in-flight", "1"))

    assert done.code == 0
    assert "damaged lines, left out: 1" in done.err
    assert len(server.requests) == asked + 1
    assert run(arguments()).code == 0
    assert len(server.requests) == asked + 1


@pytest.mark.parametrize("count", [0, 2])
def test_ctrl_c_waits_for_the_calls_under_way_and_keeps_them(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run, count: int
) -> None:
    server.hold_after(count)
    with started(arguments("--in-flight", "2"), folder) as process:
        assert server.full.wait(30)
        until_kept(folder, count)
        process.send_signal(signal.SIGINT)
        until_told(folder, "waits for the calls under way")
        assert process.poll() is None
        server.gate.set()
        assert process.wait(30) == 130
    told = (folder / "err").read_text()
    assert "stopped at" in told
    assert "Traceback" not in told
    # What was under way was answered and kept; nothing new was begun.
    assert len(kept(folder)) == len(server.requests) <= count + 2

    server.hold_after(float("inf"))
    assert run(arguments()).code == 0
    assert len(server.requests) == len(EVERY)


def test_a_second_ctrl_c_leaves_at_once(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    server.hold_after(0)
    with started(arguments("--in-flight", "2"), folder) as process:
        assert server.full.wait(30)
        process.send_signal(signal.SIGINT)
        until_told(folder, "waits for the calls under way")
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    told = (folder / "err").read_text()
    assert "left; the calls under way are asked again" in told
    assert "Traceback" not in told

    server.hold_after(float("inf"))
    server.gate.set()
    assert run(arguments()).code == 0


def test_a_run_that_was_done_asks_nothing_and_says_the_same(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    first = run(arguments("--json")).json[0]
    before = rows(folder)
    asked = len(server.requests)

    again = run(arguments("--json")).json[0]

    assert len(server.requests) == asked == len(EVERY) == first["asked"]
    assert again == {**first, "asked": 0}
    assert rows(folder) == before


@pytest.mark.parametrize("change", ["prompt", "setting", "question"])
def test_another_prompt_setting_or_question_is_asked_anew(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run, change: str
) -> None:
    assert run(arguments()).code == 0
    asked = len(server.requests)
    more: tuple[str, ...] = ()
    if change == "prompt":
        (folder / "prompt.txt").write_text("{{question}}")
    elif change == "setting":
        more = ("--model-set", "temperature=1")
    else:
        text = (folder / "cases.jsonl").read_text()
        (folder / "cases.jsonl").write_text(text.replace("how long", "how very long"))

    assert run(arguments(*more)).code == 0

    # The answers are the same words: of an unchanged question, the verdicts on them still stand.
    new = len(MODELS) * len(CASES) * (2 if change == "question" else 1)
    assert len(server.requests) == asked + new


def test_a_setting_of_one_model_asks_that_model_alone_anew(
    server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    assert run(arguments()).code == 0
    asked = len(server.requests)
    one = f"openai:beta@{server.url}/v1"
    assert run(arguments("--model-set", f"{one},max_tokens=99")).code == 0
    assert [sent["model"] for sent in server.told()[asked:]] == ["beta"] * len(CASES)
    assert {sent["max_tokens"] for sent in server.told()[asked:]} == {99}


def test_errors_are_asked_again_and_what_is_decided_is_not(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    def ill(who: Asked) -> Step:
        if who == ("beta", "two", ""):
            return status(500)
        return reply("I like it.") if who == (JUDGE, "one", "alpha") else say(who)

    server.script = ill
    assert run(arguments()).code == 1
    assert rows(folder)["beta", "two"]["failureReason"] == 2
    before = len(server.requests)
    server.script = say

    assert run(arguments()).code == 0

    # The model's answer and its verdict, and the verdict that could not be read.
    assert len(server.requests) == before + 3
    assert {row["success"] for row in rows(folder).values()} == {True}


def test_an_answer_without_words_was_paid_for_and_is_not_asked_again(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    server.script = lambda who: (
        reply("", finish_reason="length") if who[:2] == ("beta", "two") else say(who)
    )
    assert run(arguments()).code == 1
    row = rows(folder)["beta", "two"]
    assert row["response"]["metadata"]["voirdire"]["model_error"] == "no_answer"
    assert "length" in row["error"]
    asked = len(server.requests)
    assert run(arguments()).code == 1
    assert len(server.requests) == asked


def test_two_runs_never_share_a_folder(
    folder: Path, server: ModelsServer, arguments: Arguments, run: Run
) -> None:
    server.hold_after(0)
    with started(arguments(), folder) as process:
        assert server.full.wait(30)
        second = run(arguments())
        assert second.code == 2
        assert "another run is at work in this folder" in second.err
        server.gate.set()
        assert process.wait(30) == 0
