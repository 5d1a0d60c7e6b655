"""``voirdire journal``."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import VERDICT, Run, command, environment, write_lines

JUDGE = ("judge", "--rubric", "rubric.yaml", "--source", "source.md")
REPLAY = (*JUDGE, "--judge", "replay:replies.jsonl")


@pytest.fixture
def judged(run: Run) -> list[dict[str, Any]]:
    """The records of four answers that were judged."""
    return run(*REPLAY, "--jsonl", "cases.jsonl", "--set", "in_flight=1", "--json").json


def test_the_calls_are_listed(run: Run, judged: list[dict[str, Any]]) -> None:
    done = run("journal", "list", "--json")
    assert done.code == 0
    assert [line["id"] for line in done.json] == [record["journal_id"] for record in judged]
    assert [line["case_id"] for line in done.json] == ["good", "bad", "unsure", "unread"]
    assert [line["case_id"] for line in run("journal", "list", "--json", "--last", "2").json] == [
        "unsure",
        "unread",
    ]
    (unread,) = run("journal", "list", "--unreadable", "--json").json
    assert (unread["case_id"], unread["reading"]) == ("unread", "silent")
    people = run("journal", "list").out.splitlines()
    assert len(people) == 4
    assert people[0].startswith(judged[0]["journal_id"])
    assert people[0].endswith("case good")


def test_a_call_is_shown_whole(run: Run, judged: list[dict[str, Any]]) -> None:
    identity = judged[0]["journal_id"]
    shown = run("journal", "show", identity).out
    assert "[system]" in shown
    assert "[user]" in shown
    assert f"[reply]\n{judged[0]['raw']}" in shown
    (whole,) = run("journal", "show", identity, "--json").json
    assert whole["call"]["id"] == identity
    assert whole["reading"]["reading"] == "verdict"
    assert run("journal", "show", identity[:-1]).code == 0
    none = run("journal", "show", "zzz")
    assert (none.code, none.err) == (
        2,
        "voirdire: no call with an id that begins with 'zzz'; see `journal list`\n",
    )
    assert "4 calls with an id that begins with ''" in run("journal", "show", "").err


def test_an_export_is_judged_again_to_the_same_outcomes(
    run: Run, folder: Path, judged: list[dict[str, Any]]
) -> None:
    done = run("journal", "export", "--replay", "--out", "again.jsonl")
    # The two answers that are alike apart from their id have one prompt only if asked alike.
    assert done.err == "again.jsonl: 4 lines, 0 calls left out\n"
    again = run(
        *(*JUDGE, "--judge", "replay:again.jsonl", "--jsonl", "cases.jsonl", "--json"),
        *("--journal", "second.jsonl"),
    ).json
    compared = ("id", "outcome", "kind", "raw", "verdict", "tokens", "prompt_sha256")
    assert [[line[key] for key in compared] for line in again] == [
        [line[key] for key in compared] for line in judged
    ]


def test_every_sample_of_a_quorum_is_exported_and_judged_again(run: Run, folder: Path) -> None:
    verdicts = [{**VERDICT, "critique": f"Sample {n}."} for n in range(3)]
    verdicts[1] |= {"criteria": {"grounded": False}, "verdict": "fail"}
    write_lines(
        folder / "samples.jsonl",
        [{"id": "x", "sample": n, "reply": json.dumps(one)} for n, one in enumerate(verdicts)],
    )
    asked = (*JUDGE, "--answer", "It lasts 30 minutes.", "--samples", "3", "--quorum", "2")
    first = run(*asked, "--judge", "replay:samples.jsonl", "--case-id", "x", "--json").json[0]
    assert run("journal", "export", "--replay", "--out", "again.jsonl").code == 0
    again = run(*asked, "--judge", "replay:again.jsonl", "--json").json[0]
    assert [sample["raw"] for sample in again["samples"]] == [
        sample["raw"] for sample in first["samples"]
    ]
    assert (again["outcome"], len(again["samples"])) == ("pass", 3)


def test_an_export_leaves_out_what_brought_no_reply_and_says_so(run: Run, folder: Path) -> None:
    run(*REPLAY, "--answer", "x", "--case-id", "nobody")
    run(*REPLAY, "--answer", "x", "--case-id", "good")
    run(*REPLAY, "--answer", "x", "--case-id", "good")
    done = run("journal", "export", "--replay", "--out", "again.jsonl")
    assert done.err == "again.jsonl: 1 lines, 2 calls left out\n"
    (line,) = [json.loads(text) for text in (folder / "again.jsonl").read_text().splitlines()]
    assert line["case_id"] == "good"
    assert line["origin"].startswith("recorded from replay:replies.jsonl at 20")


def test_an_export_of_all_holds_calls_and_readings(
    run: Run, folder: Path, judged: list[dict[str, Any]]
) -> None:
    assert run("journal", "export", "--out", "all.jsonl").err == "all.jsonl: 4 lines\n"
    lines = [json.loads(text) for text in (folder / "all.jsonl").read_text().splitlines()]
    assert [line["call"]["id"] for line in lines] == [record["journal_id"] for record in judged]
    assert all(line["reading"] for line in lines)


def test_an_export_that_cannot_be_written_leaves_nothing(
    run: Run, folder: Path, judged: list[dict[str, Any]]
) -> None:
    before = set(folder.iterdir())
    for place in (".", "none/out.jsonl", "rubric.yaml/out.jsonl"):
        done = run("journal", "export", "--out", place)
        assert (done.code, done.out) == (2, "")
        assert "cannot be written" in done.err
    assert set(folder.iterdir()) == before


def test_damage_is_named_and_the_rest_is_listed(
    run: Run, folder: Path, judged: list[dict[str, Any]]
) -> None:
    with (folder / "journal.jsonl").open("a") as file:
        file.write('{"type": "call", "id"')
    done = run("journal", "list")
    assert done.code == 0
    assert len(done.out.splitlines()) == 4
    assert "journal.jsonl:9: not JSON (a write was cut off); left out" in done.err


def test_lines_that_say_little_are_shown_all_the_same(run: Run, folder: Path) -> None:
    write_lines(folder / "journal.jsonl", [{"type": "call", "id": "bare"}])
    assert run("journal", "list").code == 0
    assert run("journal", "list", "--json").json[0]["reading"] == "not read"
    assert run("journal", "show", "bare").code == 0
    assert run("journal", "export", "--replay", "--out", "out.jsonl").code == 0
    write_lines(
        folder / "journal.jsonl",
        [{"type": "call", "id": "odd", "request": 7, "judge": 7, "at": None, "reply": "\ud800"}],
    )
    for arguments in (["list"], ["show", "odd"], ["export", "--replay", "--out", "out.jsonl"]):
        assert run("journal", *arguments).code == 0


def test_without_a_journal_it_says_where_one_may_be_named(run: Run) -> None:
    for arguments in (["list"], ["show", "x"], ["export", "--out", "x"]):
        done = run("journal", *arguments)
        assert done.code == 2
        assert "no journal here yet; give its path with --journal" in done.err


def test_a_reader_that_has_seen_enough_ends_it_quietly(folder: Path) -> None:
    line = {"type": "call", "id": "x" * 2000, "at": "now", "judge": "rules"}
    write_lines(folder / "journal.jsonl", [{**line, "id": f"{n}-{line['id']}"} for n in range(500)])
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        command("journal", "list"),
        cwd=folder,
        env=environment(folder),
        stdout=write,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["--help"], ["journal", "--help"], ["read", "--help"]])
def test_a_full_disk_is_told(folder: Path, arguments: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            command(*arguments),
            env=environment(folder),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "voirdire: the output cannot be written (No space left on device)\n"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    ("arguments", "code"), [("read --rubric rubric.yaml", 0), ("journal list", 2)]
)
def test_a_closed_stream_is_no_traceback(
    folder: Path, closed: str, arguments: str, code: int
) -> None:
    line = f"{shlex.join(command())} {arguments} {closed}"
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env=environment(folder),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
