"""``voirdire judge``."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.conftest import VERDICT, Run, command, environment, write_lines
from tests.judges.judge_server import HANG, JudgeServer, reply, status
from voirdire.journal import entries

JUDGE = ("judge", "--rubric", "rubric.yaml", "--source", "source.md")
REPLAY = (*JUDGE, "--judge", "replay:replies.jsonl")


@pytest.mark.parametrize(
    ("case_id", "outcome", "kind", "code"),
    [
        ("good", "pass", "pass", 0),
        ("bad", "fail", "fail", 0),
        ("unsure", "undecided", "cannot_decide", 0),
        ("unread", "judge_error", "silent", 1),
        ("nobody", "judge_error", "no_record", 1),
    ],
)
def test_one_answer(run: Run, case_id: str, outcome: str, kind: str, code: int) -> None:
    done = run(*REPLAY, "--case-id", case_id, "--answer", "It lasts 30 minutes.", "--json")
    assert done.code == code
    assert done.err == ""
    (record,) = done.json
    promised = "outcome kind reason raw tokens fingerprint cache journal_id"
    assert set(promised.split()) <= set(record)
    assert (record["outcome"], record["kind"]) == (outcome, kind)
    people = run(*REPLAY, "--case-id", case_id, "--answer", "It lasts 30 minutes.")
    assert people.code == code
    first, second = people.out.splitlines()
    assert first.split()[0] == outcome
    assert record["reason"] in first
    assert second.startswith("journal id: ")


@pytest.mark.parametrize("extra", [(), ("--set", "in_flight=1"), ("--set", "in_flight=8")])
def test_many_answers_in_their_order(run: Run, extra: tuple[str, ...]) -> None:
    done = run(*REPLAY, "--jsonl", "cases.jsonl", "--json", *extra)
    assert done.code == 1
    assert [(line["id"], line["outcome"]) for line in done.json] == [
        ("good", "pass"),
        ("bad", "fail"),
        ("unsure", "undecided"),
        ("unread", "judge_error"),
    ]


def test_many_answers_for_people_end_in_a_summary(run: Run) -> None:
    done = run(*REPLAY, "--jsonl", "cases.jsonl")
    assert done.code == 1
    assert done.out.splitlines()[-1] == (
        "1/2 decided cases pass · coverage 2/4 · undecided 1 · judge errors 1 (silent 1)"
    )


def test_answers_come_from_standard_input(run: Run, folder: Path) -> None:
    one = run(*JUDGE, "--judge", "rules", "--answer", "-", "--json", stdin=b"It lasts 45 minutes.")
    assert one.json[0]["outcome"] == "fail"
    lines = (folder / "cases.jsonl").read_bytes()
    many = run(*REPLAY, "--jsonl", "-", "--json", stdin=lines)
    assert [line["id"] for line in many.json] == ["good", "bad", "unsure", "unread"]


def test_a_line_may_bring_its_own_source(run: Run, folder: Path) -> None:
    lines = [
        {"id": "text", "answer": "It lasts 9 days.", "source": "The link lasts 9 days."},
        {"id": "list", "answer": "9 days.", "source": [{"id": "x", "text": "It lasts 8 days."}]},
        {"id": "shared", "answer": "30 minutes."},
    ]
    write_lines(folder / "own.jsonl", lines)
    done = run(*JUDGE, "--judge", "rules", "--jsonl", "own.jsonl", "--json")
    assert [line["outcome"] for line in done.json] == ["pass", "fail", "pass"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*JUDGE, "--answer", "x"), "no judge was given; add --judge SPEC"),
        ((*JUDGE, "--judge", "rules"), "give the answer with --answer, or many with --jsonl"),
        (
            (*JUDGE, "--judge", "rules", "--answer", "x", "--jsonl", "cases.jsonl"),
            "give the answer with --answer",
        ),
        (
            (*JUDGE, "--judge", "rules", "--jsonl", "cases.jsonl", "--question", "q"),
            "with --jsonl the question and the id stand in each line",
        ),
        (("judge", "--rubric", "rubric.yaml", "--answer", "x", "--judge", "rules"), "add --source"),
        (
            ("judge", "--rubric", "none.yaml", "--answer", "x", "--judge", "rules"),
            "none.yaml: no such file; give the path of the rubric",
        ),
        ((*JUDGE, "--source", "source.md", "--answer", "x", "--judge", "rules"), "stands twice"),
        ((*JUDGE, "--answer", "x", "--judge", "oracle:x"), "unknown judge 'oracle'"),
        ((*JUDGE, "--answer", "x", "--judge", "openai:m@localhost:1"), "must begin with http://"),
        ((*JUDGE, "--answer", "x", "--judge", "replay:none"), "none: cannot be read"),
        ((*JUDGE, "--answer", "x", "--judge", "rules", "--set", "seed"), "write NAME=VALUE"),
        (
            (*JUDGE, "--answer", "x", "--judge", "rules", "--set", "seeds=1"),
            "unknown judge setting",
        ),
        ((*JUDGE, "--answer", "x", "--judge", "rules", "--set", "seed=[1"), "cannot be read"),
        ((*JUDGE, "--answer", "x", "--judge", "rules", "--policy", "lax"), "Invalid value"),
        ((*JUDGE, "--answer", "x", "--judge", "rules", "--journal", "."), "cannot be written"),
        ((*JUDGE, "--answer", "x", "--judge", "openai:gpt-4.1-2025-04-14"), "OPENAI_API_KEY"),
        (("judge",), "Missing option '--rubric'"),
    ],
)
def test_bad_input_is_one_sentence_and_2(
    run: Run, arguments: tuple[str, ...], message: str
) -> None:
    done = run(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"not json", "lines.jsonl:2: not valid JSON"),
        (b"[1]", "lines.jsonl:2: must be a JSON object"),
        (b'{"id": "x"}', "lines.jsonl:2: `answer` must be text"),
        (b'{"id": "x", "answer": 7}', "lines.jsonl:2: `answer` must be text"),
        (b'{"id": 7, "answer": "x"}', "lines.jsonl:2: `id` must be text"),
        (b'{"id": "good", "answer": "x"}', "lines.jsonl:2: the id 'good' stands twice"),
        (b'{"id": "x", "answer": "x", "source": ""}', "lines.jsonl:2: `source` must be text"),
        (b'{"id": "x", "answer": "x", "source": [7]}', "lines.jsonl:2: excerpt 1: must be an obj"),
        (b'{"id": "\xff"}', "lines.jsonl:2: not UTF-8"),
        (b"[" * 100_000, "lines.jsonl:2: not valid JSON"),
        (b'{"n": ' + b"9" * 5000 + b"}", "lines.jsonl:2: "),
    ],
)
def test_a_damaged_line_is_named_before_anything_is_asked(
    run: Run, folder: Path, line: bytes, message: str
) -> None:
    (folder / "lines.jsonl").write_bytes(b'{"id": "good", "answer": "x"}\n' + line + b"\n")
    done = run(*REPLAY, "--jsonl", "lines.jsonl")
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not (folder / "journal.jsonl").exists()


def test_any_text_is_judged_and_shown(run: Run, folder: Path) -> None:
    write_lines(folder / "odd.jsonl", [{"id": "\ud800", "answer": "\ud800 \u2028 30 minutes \x1b"}])
    people = run(*JUDGE, "--judge", "rules", "--jsonl", "odd.jsonl")
    assert people.code == 0
    assert "\\ud800" in people.out
    machine = run(*JUDGE, "--judge", "rules", "--jsonl", "odd.jsonl", "--json")
    assert machine.json[0]["id"] == "\ud800"
    done = run(*JUDGE, "--judge", "rules", "--answer", "-", stdin=b"\xff 30 minutes")
    assert done.code == 2
    assert done.err == "voirdire: standard input: not UTF-8 text (byte 0)\n"


def test_colours_are_for_terminals_that_want_them(run: Run) -> None:
    done = run(*JUDGE, "--judge", "rules", "--answer", "30 minutes", NO_COLOR="1")
    assert "\x1b" not in done.out
    assert "\x1b" not in run(*JUDGE, "--judge", "rules", "--answer", "30 minutes").out


def test_the_judge_may_come_from_the_environment(run: Run) -> None:
    done = run(*JUDGE, "--answer", "It lasts 45 minutes.", "--json", VOIRDIRE_JUDGE="rules")
    assert done.json[0]["outcome"] == "fail"


def test_the_rules_may_go_first(run: Run, folder: Path) -> None:
    done = run(*REPLAY, "--jsonl", "cases.jsonl", "--precheck", "rules", "--json")
    assert [line["judge"].partition(":")[0] for line in done.json] == [
        "replay",
        "rules",
        "replay",
        "replay",
    ]


def test_a_real_judge_is_asked_with_its_settings_and_its_key_stays_secret(
    run: Run, folder: Path
) -> None:
    key = "sk-live-0123456789abcdef"
    with JudgeServer([reply(json.dumps(VERDICT))]) as server:
        done = run(
            *(*JUDGE, "--answer", "It lasts 30 minutes.", "--json"),
            *("--judge", f"openai:m@{server.url}/v1", "--set", "seed=7", "--set", "max_tokens=99"),
            *("--set", "api_key_env=VOIRDIRE_TEST_KEY"),
            VOIRDIRE_TEST_KEY=key,
        )
        (request,) = server.requests
    assert done.json[0]["outcome"] == "pass"
    assert done.json[0]["tokens"]["total"] == 800
    assert (request.json["seed"], request.json["max_tokens"]) == (7, 99)
    assert key in request.headers["Authorization"]
    assert key not in done.out + done.err
    assert key not in (folder / "journal.jsonl").read_text("utf-8")


def test_an_unreachable_judge_is_a_judge_error(run: Run) -> None:
    with JudgeServer([status(500)]) as server:
        done = run(
            *(*JUDGE, "--answer", "x", "--json", "--judge", f"openai:m@{server.url}/v1"),
            *("--set", "retries=0"),
        )
    assert done.code == 1
    assert done.json[0]["kind"] == "unreachable"


def test_what_was_judged_before_an_interruption_is_in_the_journal(folder: Path) -> None:
    """The second question hangs; the user gives up."""
    with JudgeServer([reply(json.dumps(VERDICT)), HANG]) as server:
        arguments = (*JUDGE, "--jsonl", "cases.jsonl", "--judge", f"openai:m@{server.url}/v1")
        settings = ("--set", "in_flight=1", "--set", "retries=0", "--set", "timeout_s=2")
        process = subprocess.Popen(
            command(*arguments, *settings),
            cwd=folder,
            env=environment(folder),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        deadline = time.monotonic() + 30
        while len(server.requests) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert (
        err.decode().strip() == "voirdire: stopped; what judges were asked so far is in the journal"
    )
    assert out.decode().startswith("pass ")
    found, damages = entries(folder / "journal.jsonl")
    assert found[0].call["reply"] == json.dumps(VERDICT)
    assert found[0].call["case_id"] == "good"
    assert damages == []
    assert len(server.requests) == 2  # those that were waiting are not asked any more
