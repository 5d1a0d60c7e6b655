"""A real small language model as the judge, behind llama.cpp's own OpenAI-compatible server.

It is far too small to judge anything. What is held here is what surrounds a verdict: that
structured output is accepted, that whatever comes back gets a reading, that every call is in the
journal, raw, and that both doors of promptfoo say the same of it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from voirdire.grade import Case, Outcome, grade
from voirdire.journal import Entry, Journal, entries
from voirdire.judges.spec import make_judge
from voirdire.reading import UNREADABLE
from voirdire.rubric import rubric_from_mapping
from voirdire.source import Source

pytestmark = pytest.mark.model

ROOT = Path(__file__).resolve().parents[2]
SLOTS = 3  # requests that the server works on at once

QUESTION = "How long does the link last?"
ANSWER = "The link expires after 30 minutes."
EXCERPTS = [
    {"id": "reset", "text": "A reset link works once and expires after 30 minutes."},
    {"id": "plan", "text": "The Team plan costs 12 dollars a month."},
]
RUBRIC = {"name": "small", "criteria": {"grounded": "Is every statement in the source?"}}

# A verdict's schema with so few values that even this model comes to its end.
BOUNDED = {
    "type": "object",
    "properties": {
        "critique": {"enum": ["looked at both"]},
        "criteria": {
            "type": "object",
            "properties": {"grounded": {"type": "boolean"}},
            "required": ["grounded"],
            "additionalProperties": False,
        },
        "evidence": {
            "type": "array",
            "items": {"enum": ["expires after 30 minutes"]},
            "minItems": 1,
            "maxItems": 1,
        },
        "verdict": {"enum": ["pass", "fail", "cannot_decide"]},
        "confidence": {"enum": [0.5, 0.95]},
    },
    "required": ["critique", "criteria", "evidence", "verdict", "confidence"],
    "additionalProperties": False,
}
WHOLE = {
    "max_tokens": 300,
    "extra": {
        "cache_prompt": False,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "verdict", "strict": True, "schema": BOUNDED},
        },
    },
}
CUT = {"max_tokens": 8, "extra": {"cache_prompt": False}}


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server with the model in it."""
    model = os.environ.get("VOIRDIRE_TEST_MODEL", "")
    if not Path(model).is_file():
        pytest.skip("VOIRDIRE_TEST_MODEL names no model; run `npm run test:model`, which gets one")
    xllamacpp = pytest.importorskip(
        "xllamacpp", reason="xllamacpp is not installed; run `npm run test:model`, which does it"
    )
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = 1536 * SLOTS
    params.n_parallel = SLOTS
    params.warmup = False
    params.verbosity = 0
    # Several threads wait for each other at every layer; on a busy machine, for very long.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    running = xllamacpp.Server(params)
    yield str(running.listening_address)
    del running


@pytest.fixture
def spec(server: str) -> str:
    """The spec of the judge that the server is."""
    return f"openai:smollm2@{server}/v1"


def graded(spec: str, settings: Mapping[str, Any], journal: Path) -> Outcome:
    """One answer's outcome."""
    sources = tuple(Source(item["id"], item["text"]) for item in EXCERPTS)
    rubric = rubric_from_mapping(RUBRIC, "here")
    judge = make_judge(spec, settings)
    return grade(Case(sources, QUESTION, ANSWER), rubric, judge, Journal(journal))


def calls(journal: Path) -> list[Entry]:
    """The journal's calls, none of them damaged, each written whole before its reading."""
    found, damaged = entries(journal)
    assert damaged == []
    kinds = [
        (line["type"], line["id"])
        for line in map(json.loads, journal.read_text(encoding="utf-8").splitlines())
    ]
    for entry in found:
        assert entry.reading is not None
        identity = entry.call["id"]
        assert kinds.index(("call", identity)) < kinds.index(("reading", identity))
        assert entry.reading["reading"] in ("verdict", *UNREADABLE)
        body = json.loads(entry.call["raw"])
        assert body["choices"][0]["message"]["content"] == entry.call["reply"]
        assert body["choices"][0]["finish_reason"] == entry.call["finish_reason"]
        assert entry.call["usage"]["prompt"] == body["usage"]["prompt_tokens"] > 0
        assert entry.call["usage"]["completion"] == body["usage"]["completion_tokens"] > 0
    return found


def test_a_reply_that_runs_out_of_tokens_is_truncated(spec: str, tmp_path: Path) -> None:
    outcome = graded(spec, CUT, tmp_path / "journal.jsonl")
    assert (outcome.outcome, outcome.kind) == ("judge_error", "truncated")
    assert outcome.usage.completion == 8
    (entry,) = calls(tmp_path / "journal.jsonl")
    assert entry.call["finish_reason"] == "length"
    assert entry.call["reply"] == outcome.raw
    assert entry.call["raw"] == outcome.payload
    # The setting `extra` arrived: nothing of the prompt came from the server's cache.
    body = json.loads(entry.call["raw"])
    assert body["usage"]["prompt_tokens_details"]["cached_tokens"] == 0


def test_our_schema_is_accepted_and_binds_the_reply(spec: str, tmp_path: Path) -> None:
    settings = {"max_tokens": 40, "extra": {"cache_prompt": False}}
    outcome = graded(spec, settings, tmp_path / "journal.jsonl")
    assert outcome.reply is not None
    assert outcome.reply.notes == ()  # structured output was not refused and left out
    assert re.match(r'\s*\{\s*"critique"\s*:\s*"', outcome.reply.text or "")
    assert len(calls(tmp_path / "journal.jsonl")) == 1


def test_a_reply_that_comes_to_its_end_is_a_verdict(spec: str, tmp_path: Path) -> None:
    outcome = graded(spec, WHOLE, tmp_path / "journal.jsonl")
    assert outcome.verdict is not None
    assert outcome.outcome in ("pass", "fail", "undecided")
    assert list(json.loads(outcome.raw or "")) == BOUNDED["required"]
    (entry,) = calls(tmp_path / "journal.jsonl")
    assert entry.call["finish_reason"] == "stop"
    assert entry.reading is not None
    assert entry.reading["verdict"] == outcome.verdict.to_json()


def test_what_it_says_without_a_schema_gets_a_reading(spec: str, tmp_path: Path) -> None:
    extra = {"cache_prompt": False, "response_format": {"type": "text"}}
    outcome = graded(spec, {"max_tokens": 60, "extra": extra}, tmp_path / "journal.jsonl")
    found = calls(tmp_path / "journal.jsonl")
    assert (outcome.outcome == "judge_error") == (outcome.verdict is None)
    last = found[-1].reading
    assert last is not None
    assert last["reading"] == (outcome.kind if outcome.verdict is None else "verdict")
    # A reply that could be mended was shown back once, with both calls written down.
    assert len(found) == (1 if outcome.first_reply is None else 2)


def test_no_more_than_in_flight_are_asked_at_once(server: str, spec: str, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    settings = {**CUT, "in_flight": 2, "timeout_s": 120}
    done = threading.Event()

    def busiest() -> int:
        most = 0
        while not done.wait(0.02):
            slots = requests.get(f"{server}/slots", timeout=60).json()
            most = max(most, sum(slot["is_processing"] for slot in slots))
        return most

    with ThreadPoolExecutor(6) as pool:
        watch = pool.submit(busiest)
        asked = [pool.submit(graded, spec, settings, journal) for _ in range(5)]
        outcomes = [future.result() for future in asked]
        done.set()
    assert {outcome.kind for outcome in outcomes} == {"truncated"}
    assert 1 <= watch.result() <= 2
    assert {entry.call["id"] for entry in calls(journal)} == {o.journal_id for o in outcomes}
    assert len({outcome.journal_id for outcome in outcomes}) == 5


def test_the_command_line_judges_many_answers_at_once(spec: str, tmp_path: Path) -> None:
    (tmp_path / "rubric.yaml").write_text(json.dumps(RUBRIC), encoding="utf-8")
    (tmp_path / "source.json").write_text(json.dumps(EXCERPTS), encoding="utf-8")
    ids = ["one", "two", "three"]
    (tmp_path / "cases.jsonl").write_text(
        "".join(
            json.dumps({"id": name, "question": QUESTION, "answer": ANSWER}) + "\n" for name in ids
        ),
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "voirdire", "judge", "--json", "--rubric", "rubric.yaml"]
    command += ["--source", "source.json", "--jsonl", "cases.jsonl", "--judge", spec]
    command += ["--journal", "journal.jsonl", "--set", "in_flight=3"]
    for name, value in WHOLE.items():
        command += ["--set", f"{name}={json.dumps(value)}"]
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=170,
    )
    assert ended.returncode == 0, ended.stderr
    results = [json.loads(line) for line in ended.stdout.splitlines()]
    assert [result["id"] for result in results] == ids
    by_id = {entry.call["id"]: entry for entry in calls(tmp_path / "journal.jsonl")}
    assert set(by_id) == {result["journal_id"] for result in results}
    for result in results:
        call = by_id[result["journal_id"]].call
        assert (result["raw"], result["canned"]) == (call["reply"], False)
        assert result["tokens"]["completion"] == call["usage"]["completion"]
        assert result["outcome"] in ("pass", "fail", "undecided")


@pytest.mark.parametrize("settings", [WHOLE, CUT], ids=["whole", "cut"])
def test_both_doors_say_the_same(spec: str, tmp_path: Path, settings: dict[str, Any]) -> None:
    toolchains = json.loads(os.environ.get("VOIRDIRE_TEST_TOOLCHAINS", "[]"))
    if not toolchains:
        pytest.skip("VOIRDIRE_TEST_TOOLCHAINS names no promptfoo; run `npm run test:model`")
    # One call at a time: the same numbers in the server, whatever the other door does.
    judge = {"spec": spec, "in_flight": 1, "timeout_s": 120, **settings}
    config = {"rubric": RUBRIC, "source": EXCERPTS, "judge": judge}
    (tmp_path / "suite.json").write_text(json.dumps(suite(config)), encoding="utf-8")
    tools = toolchains[0]
    command = [tools["node"], tools["promptfoo_main"], "eval", "-c", "suite.json"]
    command += ["-o", "results.json", "--no-table", "--no-progress-bar", "--no-write"]
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=170,
    )
    assert (tmp_path / "results.json").exists(), ended.stdout + ended.stderr
    results = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    (row,) = results["results"]["results"]
    explicit, drop_in = row["gradingResult"]["componentResults"]
    found = [item["metadata"]["voirdire"] for item in (explicit, drop_in)]
    for name in ("outcome", "kind", "reason", "raw", "tokens", "fingerprint", "prompt_sha256"):
        assert found[0][name] == found[1][name], name
    if settings is CUT:
        assert (found[0]["outcome"], found[0]["kind"]) == ("judge_error", "truncated")
    else:
        assert found[0]["outcome"] in ("pass", "fail", "undecided")
        assert found[0]["verdict"] is not None
    asked = {entry.call["id"] for entry in calls(tmp_path / ".voirdire" / "journal.jsonl")}
    assert asked == {record["journal_id"] for record in found}


def suite(config: Mapping[str, Any]) -> dict[str, Any]:
    """One test whose answer both doors grade."""
    explicit = {
        "type": "python",
        "value": f"file://{ROOT / 'assertions' / 'grounded.py'}",
        "config": config,
    }
    drop_in = {
        "type": "llm-rubric",
        "value": "grounded",
        "provider": {"id": f"file://{ROOT / 'providers' / 'judge.py'}", "config": config},
    }
    return {
        "prompts": ["{{question}}"],
        "providers": ["echo"],
        "defaultTest": {"options": {"transform": "context.vars.answer"}},
        "tests": [
            {"vars": {"question": QUESTION, "answer": ANSWER}, "assert": [explicit, drop_in]}
        ],
    }


def environment(folder: Path) -> dict[str, str]:
    """This environment, with promptfoo and the journal kept to a folder."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VOIRDIRE_")}
    return {
        **kept,
        "PYTHONPATH": str(ROOT),
        "VOIRDIRE_CACHE": "off",  # the answers are all the same, and each is to be asked for
        "PROMPTFOO_CONFIG_DIR": str(folder / ".promptfoo"),
        "PROMPTFOO_PYTHON": sys.executable,
        "PROMPTFOO_DISABLE_TELEMETRY": "1",
        "PROMPTFOO_DISABLE_UPDATE": "1",
        "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    }
