"""A kept verdict: when it is used, and that it is the same verdict."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.cache.asking import BAD, CASE, GOOD, RUBRIC, SOURCE, asked, text
from tests.cache.conftest import Serve
from tests.judges.judge_server import reply, status
from voirdire import grade as grading
from voirdire.cache.local import SqliteStore
from voirdire.grade import Outcome
from voirdire.journal import Journal, entries
from voirdire.judges.spec import make_judge
from voirdire.record import as_record
from voirdire.source import Source

OF_THE_CALL = {"cache", "tokens", "cost", "latency_ms", "attempts"}


def stable(outcome: Outcome) -> str:
    """A record as it is written, but for what tells how it was come by."""
    return json.dumps({k: v for k, v in as_record(outcome).items() if k not in OF_THE_CALL})


@pytest.mark.parametrize(
    ("steps", "more"),
    [
        ([reply(text(GOOD))], {}),
        ([reply(text(BAD))], {}),
        ([reply(text({**GOOD, "confidence": 0.2}))], {}),
        ([reply(text({**GOOD, "verdict": "cannot_decide"}))], {}),
        ([reply(text({**GOOD, "evidence": ["It lasts for ever."]}))], {}),
        ([reply(f"```json\n{text(GOOD)}\n```", reasoning="Hm.")], {}),
        ([reply(f"Here: {text(GOOD)}")], {"policy": "tolerant"}),
        ([reply("Looks fine."), reply(text(GOOD))], {}),
        ([reply(text(GOOD))], {"scheme": "anthropic:pinned-1"}),
    ],
    ids="pass fail unsure undecided quote fence prose asked-twice anthropic".split(),
)
def test_a_hit_is_the_same_outcome_without_a_call(
    serve: Serve, tmp_path: Path, steps: list[Any], more: dict[str, Any]
) -> None:
    server = serve(*steps)
    first, second, third = (asked(server.url, tmp_path, **more) for _ in range(3))
    assert len(server.requests) == len(steps)
    assert [first.cache, second.cache, third.cache] == ["miss", "hit", "hit"]
    assert stable(first) == stable(second)
    assert json.dumps(as_record(second)) == json.dumps(as_record(third))
    assert as_record(first)["tokens"]["total"] == 800 * len(steps)
    assert as_record(second)["tokens"]["total"] == 0
    assert second.verdict == first.verdict
    assert second.prompt == first.prompt


def test_a_hit_names_the_call_that_was_made(serve: Serve, tmp_path: Path) -> None:
    server = serve(reply(text(GOOD)))
    asked(server.url, tmp_path)
    hit = asked(server.url, tmp_path)
    (entry,), _ = entries(tmp_path / "journal.jsonl")
    assert entry.call["id"] == hit.journal_id


@pytest.mark.parametrize(
    ("bad", "calls"),
    [
        (reply("..."), 1),
        (reply("Looks fine."), 2),
        (reply(text(GOOD)[:30], finish_reason="length"), 1),
        (reply(text(GOOD), finish_reason="content_filter"), 1),
        (reply(text(GOOD) * 2), 1),
        (reply(text({**GOOD, "extra": 1})), 2),
        (status(500), 1),
    ],
)
def test_an_error_is_never_kept(serve: Serve, tmp_path: Path, bad: Any, calls: int) -> None:
    server = serve(*[bad] * calls, reply(text(GOOD)))
    outcome = asked(server.url, tmp_path)
    assert (outcome.outcome, outcome.cache) == ("judge_error", "miss")
    assert list(SqliteStore(tmp_path / "cache.sqlite").items()) == []
    assert asked(server.url, tmp_path).outcome == "pass"
    assert len(server.requests) == calls + 1


VARIANTS: dict[str, dict[str, Any]] = {
    "rubric's name": {"rubric": RUBRIC._replace(name="other")},
    "rubric's rules": {"rubric": RUBRIC._replace(rules="Be kind.")},
    "rubric's threshold": {"rubric": RUBRIC._replace(threshold=0.5)},
    "rubric's question": {"rubric": RUBRIC._replace(criteria={"grounded": "Is it?"})},
    "rubric's mode": {"rubric": RUBRIC._replace(criteria={})},
    "rubric's ignored lines": {"rubric": RUBRIC._replace(criteria={}, ignore=("Hi!",))},
    "source's text": {"case": CASE._replace(sources=(Source("help", SOURCE + " "),))},
    "source's id": {"case": CASE._replace(sources=(Source("faq", SOURCE),))},
    "number of sources": {"case": CASE._replace(sources=(*CASE.sources, Source("b", "More.")))},
    "order of sources": {"case": CASE._replace(sources=(Source("b", "More."), *CASE.sources))},
    "question": {"case": CASE._replace(question="How long does it last?")},
    "no question": {"case": CASE._replace(question=None)},
    "answer": {"case": CASE._replace(answer="It lasts 30 minutes. ")},
    "model": {"scheme": "openai:pinned-2"},
    "API": {"scheme": "anthropic:pinned-1"},
    "temperature": {"settings": {"temperature": 1}},
    "no temperature": {"settings": {"temperature": None}},
    "seed": {"settings": {"seed": 1}},
    "max_tokens": {"settings": {"max_tokens": 100}},
    "reasoning": {"settings": {"reasoning": True}},
    "extra": {"settings": {"extra": {"top_p": 0.5}}},
    "policy": {"policy": "tolerant"},
}


@pytest.fixture
def keys(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The keys that an asking looks up."""
    server = serve(reply(text(GOOD)))

    def of(**variant: Any) -> list[str]:
        seen: list[str] = []

        def get(self: SqliteStore, key: str) -> None:
            seen.append(key)

        with monkeypatch.context() as patch:
            patch.setattr(SqliteStore, "get", get)
            asked(variant.pop("url", server.url), tmp_path, **variant)
        return list(dict.fromkeys(seen))

    return of


def test_the_key_depends_on_each_thing_that_a_verdict_depends_on(
    keys: Any, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {name: keys(**variant) for name, variant in VARIANTS.items()}
    found["nothing"] = keys()
    found["host"] = keys(url=serve(reply(text(GOOD))).url)
    with monkeypatch.context() as patch:
        patch.setattr(grading, "TEMPLATE_VERSION", "another wording")
        found["template"] = keys()
    assert {name: len(ones) for name, ones in found.items()} == dict.fromkeys(found, 1)
    assert len({one for (one,) in found.values()}) == len(found)
    assert keys() == found["nothing"]


def test_the_key_depends_on_the_sample_and_the_order(keys: Any) -> None:
    from voirdire.quorum import Quorum

    assert len(keys(quorum=Quorum(3, 3), order="both")) == 6


def test_the_key_does_not_depend_on_how_a_case_is_called_or_long_it_may_take(keys: Any) -> None:
    assert keys() == keys(case=CASE._replace(id="another"))
    assert keys() == keys(settings={"timeout_s": 5, "retries": 1, "budget_s": 9, "in_flight": 1})


def test_refreshing_asks_again_and_keeps_the_new_verdict(serve: Serve, tmp_path: Path) -> None:
    server = serve(reply(text(GOOD)), reply(text(BAD)))
    assert asked(server.url, tmp_path).outcome == "pass"
    again = asked(server.url, tmp_path, refresh=True)
    assert (again.outcome, again.cache) == ("fail", "miss")
    kept = asked(server.url, tmp_path)
    assert (kept.outcome, kept.cache) == ("fail", "hit")
    assert len(server.requests) == 2


def test_refreshing_keeps_the_old_verdict_where_no_new_one_comes(
    serve: Serve, tmp_path: Path
) -> None:
    server = serve(reply(text(GOOD)), reply("..."))
    asked(server.url, tmp_path)
    assert asked(server.url, tmp_path, refresh=True).kind == "silent"
    assert asked(server.url, tmp_path).outcome == "pass"


def test_a_cache_that_is_off_keeps_nothing(serve: Serve, tmp_path: Path) -> None:
    server = serve(reply(text(GOOD)))
    assert [asked(server.url, tmp_path, "off").cache for _ in range(2)] == ["off", "off"]
    assert len(server.requests) == 2
    assert not (tmp_path / "cache.sqlite").exists()


def test_a_judge_that_costs_nothing_is_always_asked(tmp_path: Path) -> None:
    from voirdire.cache.recall import Memory

    store = SqliteStore(tmp_path / "cache.sqlite")
    journal = Journal(tmp_path / "journal.jsonl")
    outcome = grading.grade(CASE, RUBRIC, make_judge("rules"), journal, memory=Memory(store))
    assert outcome.cache == "off"
    assert not store.path.exists()


def damaged_record(change: dict[str, Any]) -> Any:
    def write(record: dict[str, Any]) -> str:
        return json.dumps({**record, **change})

    return write


UNREADABLE = {
    "no JSON": lambda record: "{",
    "no object": lambda record: "[1]",
    "null": lambda record: "null",
    "empty": lambda record: "",
    "too deep": lambda record: "[" * 100_000,
    "no UTF-8": lambda record: b"\xff\xfe",
    "nothing in it": lambda record: "{}",
    "a field is missing": lambda record: json.dumps({**record, "raw": None}),
    "a field too many": damaged_record({"surprise": 1}),
    "text is a number": damaged_record({"text": 1}),
    "notes are text": damaged_record({"notes": "abc"}),
    "a note is a list": damaged_record({"notes": [[]]}),
    "the id is a list": damaged_record({"journal_id": []}),
    "the first reply is an object": damaged_record({"first_reply": {}}),
    "max_tokens is text": damaged_record({"max_tokens": "9"}),
    "an unreadable reply": damaged_record({"text": "Looks fine."}),
    "a verdict under another rubric": damaged_record(
        {"text": text({**GOOD, "criteria": {"x": True}})}
    ),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_record_that_cannot_be_read_is_a_miss_and_is_replaced(
    serve: Serve, tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    server = serve(reply(text(GOOD)))
    asked(server.url, tmp_path)
    connection = sqlite3.connect(tmp_path / "cache.sqlite")
    (kept,) = connection.execute("SELECT record FROM verdicts").fetchone()
    connection.execute("UPDATE verdicts SET record = ?", (UNREADABLE[name](json.loads(kept)),))
    connection.commit()
    connection.close()
    assert [asked(server.url, tmp_path).cache for _ in range(2)] == ["miss", "hit"]
    assert len(server.requests) == 2
    assert capfd.readouterr().err == ""
    assert len(list(tmp_path.glob("cache.sqlite.damaged*"))) == 0


def test_what_is_kept_holds_no_key(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = "sk-live-0123456789abcdefSECRET"
    monkeypatch.setenv("OPENAI_API_KEY", secret)
    monkeypatch.setenv("MY_KEY", secret)
    server = serve(reply(text({**GOOD, "critique": f"you sent {secret}"})))
    asked(server.url, tmp_path, settings={"api_key_env": "MY_KEY"})
    assert secret in server.requests[0].headers["Authorization"]
    for path in tmp_path.glob("cache.sqlite*"):
        assert secret.encode() not in path.read_bytes()
