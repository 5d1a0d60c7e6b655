"""``voirdire cache``, and the options by which ``voirdire judge`` uses it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import VERDICT, Run, write_lines
from tests.judges.judge_server import JudgeServer, reply
from voirdire.cache.local import SqliteStore

DEFAULT = Path(".voirdire") / "cache.sqlite"
FAIL = {**VERDICT, "criteria": {"grounded": False}, "verdict": "fail"}
OF_THE_CALL = {"cache", "tokens", "cost", "latency_ms", "attempts"}


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer([reply(json.dumps(VERDICT)), reply(json.dumps(FAIL))]) as running:
        yield running


Judge = Callable[..., dict[str, Any]]


@pytest.fixture
def judge(run: Run, server: JudgeServer) -> Judge:
    """Judges one answer; the record."""

    def one(*extra: str, code: int = 0, **env: str) -> dict[str, Any]:
        spec = f"openai:pinned-1@{server.url}/v1"
        question = ("--rubric", "rubric.yaml", "--source", "source.md", "--judge", spec)
        answer = ("--answer", "It lasts 30 minutes.", "--json")
        done = run("judge", *question, *answer, *extra, **env)
        assert done.code == code, done.err
        record: dict[str, Any] = done.json[0]
        return record

    return one


def test_a_rerun_is_byte_for_byte_the_same_and_free(
    judge: Judge, server: JudgeServer, folder: Path
) -> None:
    first, second, third = judge(), judge(), judge()
    assert json.dumps(second) == json.dumps(third)
    assert {k: v for k, v in first.items() if k not in OF_THE_CALL} == {
        k: v for k, v in second.items() if k not in OF_THE_CALL
    }
    assert [first["cache"], second["cache"]] == ["miss", "hit"]
    assert [first["tokens"]["total"], second["tokens"]["total"]] == [800, 0]
    assert len(server.requests) == 1
    assert (folder / DEFAULT).exists()


@pytest.mark.parametrize(
    ("extra", "env"),
    [
        (("--no-cache",), {}),
        (("--cache", "off"), {}),
        ((), {"VOIRDIRE_CACHE": "off"}),
        (("--no-cache", "--cache", "mine.sqlite"), {}),
    ],
)
def test_without_a_cache_nothing_is_kept(
    judge: Judge, server: JudgeServer, folder: Path, extra: tuple[str, ...], env: dict[str, str]
) -> None:
    assert [judge(*extra, **env)["cache"] for _ in range(2)] == ["off", "off"]
    assert len(server.requests) == 2
    assert list(folder.rglob("*.sqlite")) == []


def test_without_the_cache_what_is_kept_is_not_used(judge: Judge) -> None:
    assert judge()["outcome"] == "pass"
    assert judge("--no-cache")["outcome"] == "fail"
    assert judge()["outcome"] == "pass"


def test_refresh_asks_again_and_keeps_the_new_verdict(judge: Judge) -> None:
    assert judge()["outcome"] == "pass"
    again = judge("--refresh")
    assert (again["outcome"], again["cache"]) == ("fail", "miss")
    kept = judge()
    assert (kept["outcome"], kept["cache"]) == ("fail", "hit")


@pytest.mark.parametrize(
    ("extra", "env", "file"),
    [
        (("--cache", "mine.sqlite"), {}, "mine.sqlite"),
        ((), {"VOIRDIRE_CACHE": "theirs/c.sqlite"}, "theirs/c.sqlite"),
        (("--cache", "mine.sqlite"), {"VOIRDIRE_CACHE": "theirs.sqlite"}, "mine.sqlite"),
    ],
)
def test_a_cache_elsewhere(
    judge: Judge, folder: Path, extra: tuple[str, ...], env: dict[str, str], file: str
) -> None:
    assert [judge(*extra, **env)["cache"] for _ in range(2)] == ["miss", "hit"]
    assert list(folder.rglob("*.sqlite")) == [folder / file]


def test_a_damaged_cache_costs_a_warning_and_no_verdict(
    run: Run, server: JudgeServer, folder: Path
) -> None:
    (folder / "damaged.sqlite").write_text("no database" * 100)
    spec = f"openai:pinned-1@{server.url}/v1"
    given = ("--rubric", "rubric.yaml", "--source", "source.md", "--judge", spec)
    for warnings in (1, 0):
        done = run("judge", *given, "--answer", "It lasts.", "--cache", "damaged.sqlite")
        assert done.code == 0
        assert done.out.startswith("pass")
        assert done.err.count("set aside as damaged.sqlite.damaged-") == warnings
        assert done.err.count("\n") == warnings
    assert len(server.requests) == 1


def test_samples_and_order(judge: Judge, server: JudgeServer) -> None:
    record = judge("--samples", "3")
    assert (record["outcome"], len(record["samples"])) == ("fail", 3)
    both = judge("--order", "both")
    assert both["kind"] == "order_sensitive"
    assert len(server.requests) == 4  # the first sample's verdict is kept already


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        (("--samples", "0"), "--samples: must be"),
        (("--quorum", "2"), "--quorum: must be"),
        (("--samples", "4", "--quorum", "2"), "--quorum: must be"),
    ],
)
def test_a_quorum_that_cannot_be(run: Run, extra: tuple[str, ...], said: str) -> None:
    given = ("--rubric", "rubric.yaml", "--source", "source.md", "--judge", "rules")
    done = run("judge", *given, "--answer", "x", *extra)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def filled(path: Path, count: int = 3) -> list[str]:
    keys = [f"{number:064x}" for number in range(count)]
    store = SqliteStore(path)
    for number, key in enumerate(keys):
        store.put(key, {"model": "m-1" if number else "m-2", "text": "三十 \ud800"})
    store._close()
    return keys


def test_stats(run: Run, folder: Path) -> None:
    filled(folder / DEFAULT)
    done = run("cache", "stats")
    assert done.code == 0
    assert [line.split() for line in done.out.splitlines()] == [
        ["3", "verdicts"],
        ["2", "m-1"],
        ["1", "m-2"],
    ]
    assert run("cache", "stats", "--json").json == [{"verdicts": 3, "models": {"m-1": 2, "m-2": 1}}]
    assert run("cache", "stats", "--cache", "other.sqlite").out == "0 verdicts\n"


def test_an_export_is_imported_whole_and_what_is_there_stays(run: Run, folder: Path) -> None:
    keys = filled(folder / DEFAULT)
    assert run("cache", "export", "--out", "verdicts.jsonl").code == 0
    other = folder / "other.sqlite"
    store = SqliteStore(other)
    store.put(keys[0], {"model": "there already"})
    store._close()
    done = run("cache", "import", "verdicts.jsonl", "--cache", other)
    assert done.code == 0, done.err
    kept, came = dict(store.items()), dict(SqliteStore(folder / DEFAULT).items())
    assert kept == {**came, keys[0]: {"model": "there already"}}
    assert len(kept) == 3


def test_verdicts_are_hits_where_they_were_imported(run: Run, judge: Judge) -> None:
    judge()
    run("cache", "export", "--out", "verdicts.jsonl")
    run("cache", "import", "verdicts.jsonl", "--cache", "other.sqlite")
    assert judge("--cache", "other.sqlite")["cache"] == "hit"


@pytest.mark.parametrize(
    "line",
    [
        {"key": "a" * 64},
        {"key": 1, "record": {}},
        {"key": "\ud800" * 64, "record": {}},
        {"key": "A" * 64, "record": {}},
        {"key": "a" * 64, "record": "x"},
    ],
)
def test_what_is_no_export_is_refused_whole(run: Run, folder: Path, line: Any) -> None:
    write_lines(folder / "verdicts.jsonl", [{"key": "b" * 64, "record": {}}, line])
    done = run("cache", "import", "verdicts.jsonl")
    assert done.code == 2
    assert "verdicts.jsonl:2: is no line of `voirdire cache export`" in done.err
    assert run("cache", "stats").out == "0 verdicts\n"


def test_prune(run: Run, folder: Path) -> None:
    filled(folder / DEFAULT)
    connection = sqlite3.connect(folder / DEFAULT)
    connection.execute("UPDATE verdicts SET at = at - 7200 WHERE key LIKE '%1'")
    connection.commit()
    connection.close()
    assert run("cache", "prune", "--older-than", "3h").err == "0 verdicts dropped\n"
    assert run("cache", "prune", "--older-than", "90m").err == "1 verdicts dropped\n"
    assert run("cache", "stats").out.startswith("2 verdicts\n")


@pytest.mark.parametrize("age", ["", "3", "3w", "-3d", "3.5d", "d", "9" * 400 + "d"])
def test_an_age_that_is_none(run: Run, age: str) -> None:
    done = run("cache", "prune", f"--older-than={age}")
    assert done.code == 2
    assert "write a number with s, m, h or d" in done.err


@pytest.mark.parametrize(
    "arguments",
    [("stats",), ("export", "--out", "x"), ("prune", "--older-than", "1d"), ("import", "in.jsonl")],
)
def test_a_cache_that_cannot_be_used_is_no_success(
    run: Run, folder: Path, arguments: tuple[str, ...]
) -> None:
    write_lines(folder / "in.jsonl", [{"key": "a" * 64, "record": {}}])
    done = run("cache", *arguments, "--cache", "source.md/cache.sqlite")
    assert (done.code, done.out) == (2, "")
    assert "the verdict cache cannot be used" in done.err
    assert not (folder / "x").exists()


def test_a_cache_that_is_off_and_one_of_another_kind(run: Run) -> None:
    for place, said in (("off", "the cache is off"), ("ftp://x", "a file, a redis:// URL, or off")):
        done = run("cache", "stats", "--cache", place)
        assert done.code == 2
        assert said in done.err
    assert run("cache", "stats", VOIRDIRE_CACHE="off").code == 2


def test_an_export_that_cannot_be_written_leaves_nothing_behind(run: Run, folder: Path) -> None:
    (folder / "taken").mkdir()
    for out in ("nowhere/x.jsonl", "taken"):
        done = run("cache", "export", "--out", out)
        assert done.code == 2
        assert "cannot be written" in done.err
    assert list(folder.glob(".voirdire-*")) == []
