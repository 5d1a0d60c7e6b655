"""Both doors before a judge that is asked over HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Promptfoo, Run
from tests.e2e.suites import (
    ANSWER,
    QUOTE,
    ROOT,
    case,
    door_config,
    drop_in,
    explicit,
    suite,
    verdict,
    write_files,
)
from tests.judges.judge_server import refuse, reply, status
from voirdire.journal import entries

pytestmark = pytest.mark.e2e

KEY = "sk-live-0123456789abcdefTHISISSECRET"
GOOD = json.dumps(verdict())

# What the judge's API plays, and the outcome, kind and number of requests it must come to.
SCRIPTS: dict[str, tuple[list[Any], str, str, int]] = {
    "normal": ([reply(GOOD)], "pass", "pass", 1),
    "fail": ([reply(json.dumps(verdict("fail")))], "fail", "fail", 1),
    "prose, then a verdict": ([reply("Looks fine."), reply(GOOD)], "pass", "pass", 2),
    "prose twice": ([reply("Looks fine.")], "judge_error", "prose", 2),
    "429, then ok": ([status(429, Retry_After="0"), reply(GOOD)], "pass", "pass", 2),
    "500 always": ([status(500)], "judge_error", "unreachable", 2),
    "401": ([{"kind": "echo_key", "status": 401}], "judge_error", "unreachable", 1),
    "reasoning field": ([reply(GOOD, reasoning='{"verdict": "fail"}')], "pass", "pass", 1),
    "content filter": (
        [reply(GOOD, finish_reason="content_filter")],
        "judge_error",
        "refused",
        1,
    ),
    "length": ([reply(GOOD[:30], finish_reason="length")], "judge_error", "truncated", 1),
    "echoes the key": ([{"kind": "echo_key", "status": 200}], "judge_error", "prose", 2),
    "structured output refused": (
        [refuse("response_format", "response_format: no")],
        "judge_error",
        "schema",
        3,
    ),
    "anthropic": ([reply(GOOD)], "pass", "pass", 1),
}
DOORS = {"explicit": explicit, "drop-in": drop_in}


@contextmanager
def judge_process(folder: Path, name: str, script: list[Any]) -> Iterator[str]:
    """The judge's API as a process of its own; yields its URL."""
    file = folder / f"{name}.json"
    file.write_text(json.dumps(script))
    server = ROOT / "tests" / "judges" / "judge_server.py"
    command = [sys.executable, str(server), "--reply-file", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.terminate()


def requests_to(url: str) -> list[dict[str, Any]]:
    """What a judge was sent."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"{url}/requests") as response:
        sent: list[dict[str, Any]] = json.load(response)
        return sent


class Judged:
    """A run, and what each judge was sent in it."""

    def __init__(self, run: Run, sent: dict[tuple[str, str], list[dict[str, Any]]]) -> None:
        self.run = run
        self.sent = sent

    def record(self, door: str, name: str) -> dict[str, Any]:
        """The record of a case that came through a door."""
        (grade,) = self.run.grades(f"{door}: {name}")
        found: dict[str, Any] = grade["metadata"]["voirdire"]
        return found


@pytest.fixture(scope="session")
def judged(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Iterator[Judged]:
    """Every script behind both doors, eight tests at once, and a crowd before one judge."""
    folder = folders("real judges")
    write_files(folder, [])
    with ExitStack() as stack:
        urls = {}
        tests = []
        for door, assertion in DOORS.items():
            for name, (script, *_) in SCRIPTS.items():
                url = stack.enter_context(judge_process(folder, f"{door} {name}", script))
                urls[door, name] = url
                scheme = "anthropic" if name == "anthropic" else "openai"
                spec = {
                    "spec": f"{scheme}:pinned-1@{url}{'' if name == 'anthropic' else '/v1'}",
                    "retries": 1,
                    "api_key_env": "VOIRDIRE_TEST_KEY",
                }
                tests.append(case(f"{door}: {name}", [assertion(door_config(judge=spec))]))
        crowd = stack.enter_context(judge_process(folder, "crowd", [reply(GOOD)]))
        spec = {"spec": f"openai:pinned-1@{crowd}/v1", "api_key_env": "VOIRDIRE_TEST_KEY"}
        config = door_config(judge=spec)
        # Different questions, so that none is answered by the verdict kept of another.
        tests += [
            case(name, [assertion(config)], vars={"question": name})
            for door, assertion in DOORS.items()
            for name in (f"crowd {door} {number}" for number in range(8))
        ]
        urls["both", "crowd"] = crowd
        run = promptfoo(
            folder,
            suite(tests),
            "-j",
            "8",
            env={"VOIRDIRE_TEST_KEY": KEY, "PROMPTFOO_PYTHON_WORKERS": "2"},
        )
        yield Judged(run, {key: requests_to(url) for key, url in urls.items()})


def test_eight_at_a_time_each_get_their_own_verdict(judged: Judged) -> None:
    found = [
        grade["metadata"]["voirdire"]
        for door in DOORS
        for number in range(8)
        for grade in judged.run.grades(f"crowd {door} {number}")
    ]
    assert [record["outcome"] for record in found] == ["pass"] * 16
    assert len({record["journal_id"] for record in found}) == 16
    assert len(judged.sent["both", "crowd"]) == 16


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_each_script_comes_to_its_outcome(judged: Judged, door: str, name: str) -> None:
    _, outcome, kind, asked = SCRIPTS[name]
    found = judged.record(door, name)
    assert (found["outcome"], found["kind"]) == (outcome, kind), found["reason"]
    assert len(judged.sent[door, name]) == asked


@pytest.mark.parametrize("name", SCRIPTS)
def test_both_doors_say_the_same(judged: Judged, name: str) -> None:
    def lasting(door: str) -> str:
        found = judged.record(door, name)
        url = f"127.0.0.1:{port(found['judge'])}"
        kept = {
            key: value
            for key, value in found.items()
            # The two judges listen on different ports, which are a part of who they are.
            if key not in ("journal_id", "latency_ms", "fingerprint", "setup")
        }
        return json.dumps(kept).replace(url, "JUDGE")

    assert lasting("explicit") == lasting("drop-in")


def port(spec: str) -> str:
    return spec.rpartition("127.0.0.1:")[2].partition("/")[0]


@pytest.mark.parametrize("door", DOORS)
def test_the_judge_is_sent_the_source_and_what_the_result_says_it_was_sent(
    judged: Judged, door: str
) -> None:
    (request,) = judged.sent[door, "normal"]
    system, user = json.loads(request["body"])["messages"]
    assert QUOTE in user["content"]
    assert ANSWER in user["content"]
    found = judged.record(door, "normal")
    assert found["prompt"] == f"[system]\n{system['content']}\n[user]\n{user['content']}"
    assert request["headers"]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("door", DOORS)
def test_an_unreadable_reply_is_shown_back_and_kept(judged: Judged, door: str) -> None:
    found = judged.record(door, "prose, then a verdict")
    assert found["first_reply"] == "Looks fine."
    assert found["tokens"] == {"prompt": 1400, "completion": 200, "reasoning": 60, "total": 1600}
    again = json.loads(judged.sent[door, "prose, then a verdict"][1]["body"])["messages"]
    assert again[2] == {"role": "assistant", "content": "Looks fine."}


@pytest.mark.parametrize("door", DOORS)
def test_thinking_is_kept_apart(judged: Judged, door: str) -> None:
    found = judged.record(door, "reasoning field")
    assert found["reasoning"] == '{"verdict": "fail"}'
    assert found["raw"] == GOOD
    assert found["normalisations"] == ["reasoning_field"]


@pytest.mark.parametrize("door", DOORS)
def test_what_a_failing_server_said_is_kept(judged: Judged, door: str) -> None:
    found = judged.record(door, "500 always")
    assert "2 attempts" in found["reason"]
    assert "told to fail" in found["payload"]


def test_the_journal_holds_every_call_with_its_raw_body(judged: Judged) -> None:
    found, damages = entries(judged.run.journal)
    assert damages == []
    calls = {entry.call["id"]: entry.call for entry in found}
    for door in DOORS:
        call = calls[judged.record(door, "normal")["journal_id"]]
        assert json.loads(call["raw"])["choices"][0]["message"]["content"] == GOOD
        assert call["usage"] == {"prompt": 700, "completion": 100, "reasoning": 30}


def test_the_key_is_nowhere(judged: Judged) -> None:
    assert judged.sent["explicit", "normal"][0]["headers"]["Authorization"].endswith(KEY)
    folder = judged.run.folder
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {"results.json", "journal.jsonl"} <= {path.name for path in files}
    with_key = [path.name for path in files if KEY.encode() in path.read_bytes()]
    assert with_key == []
    assert KEY not in judged.run.printed
