"""The shared store, against a real Redis server."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cache.asking import CASE, GOOD, asked, text
from tests.cache.conftest import Serve
from tests.cache.test_processes import ASK, finished, start
from tests.judges.judge_server import reply
from voirdire.cache import shared
from voirdire.cache.shared import EXPIRY_S, PREFIX, RedisStore
from voirdire.cache.store import open_store
from voirdire.errors import ConfigError

SERVER = shutil.which("redis-server")
PASSWORD = "horse-battery-7421"
RECORD = {"text": "x"}

pytest.importorskip("redis", reason="the Redis client is not installed: pip install redis")
pytestmark = pytest.mark.skipif(
    SERVER is None, reason="redis-server is not installed: apt-get install redis-server"
)


@dataclass
class Redis:
    """A server of the test's own."""

    process: subprocess.Popen[bytes]
    port: int

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def url_with_password(self) -> str:
        return f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[Callable[..., Redis]]:
    started: list[Redis] = []

    def run(*options: str) -> Redis:
        assert SERVER is not None
        port = free_port()
        command = [SERVER, "--port", str(port), "--bind", "127.0.0.1", "--save", ""]
        command += ["--dir", str(tmp_path), "--daemonize", "no", *options]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        started.append(Redis(process, port))
        until = time.monotonic() + 20
        while time.monotonic() < until:
            assert process.poll() is None
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return started[-1]
            except OSError:
                time.sleep(0.02)
        raise AssertionError("redis-server does not answer")

    yield run
    for server in started:
        server.stop()


def test_what_is_put_is_got_and_the_first_stays(redis_server: Callable[..., Redis]) -> None:
    store = RedisStore(redis_server().url)
    assert store.get("a") is None
    store.put("a", RECORD)
    store.put("a", {"text": "y"})
    assert store.get("a") == RECORD
    store.replace("a", {"text": "z"})
    assert store.get("a") == {"text": "z"}
    assert dict(store.items()) == {"a": {"text": "z"}}
    assert not store.away


def test_a_verdict_expires(redis_server: Callable[..., Redis]) -> None:
    server = redis_server()
    RedisStore(server.url, expiry_s=1).put("a", RECORD)
    long = RedisStore(server.url)
    long.put("b", RECORD)
    long.replace("c", RECORD)
    assert [0 < long._client.ttl(PREFIX + key) <= EXPIRY_S for key in "abc"] == [True] * 3
    assert long._client.ttl(PREFIX + "b") > EXPIRY_S - 60
    until = time.monotonic() + 20
    while long.get("a") is not None:
        assert time.monotonic() < until
        time.sleep(0.05)
    assert long.get("b") == RECORD


def test_a_hit_is_shared_and_makes_no_call(
    redis_server: Callable[..., Redis], serve: Serve, tmp_path: Path
) -> None:
    place = redis_server().url
    server = serve(reply(text(GOOD)))
    folders = [tmp_path / "one", tmp_path / "two"]
    outcomes = [asked(server.url, folder, place) for folder in folders]
    assert [outcome.cache for outcome in outcomes] == ["miss", "hit"]
    assert outcomes[0].verdict == outcomes[1].verdict
    assert len(server.requests) == 1


@pytest.mark.parametrize("damage", [b"{", b"[1]", b"\xff", b""])
def test_a_record_that_cannot_be_read_is_a_miss_and_is_replaced(
    redis_server: Callable[..., Redis], serve: Serve, tmp_path: Path, damage: bytes
) -> None:
    place = redis_server().url
    server = serve(reply(text(GOOD)))
    asked(server.url, tmp_path, place)
    client = RedisStore(place)._client
    (key,) = client.keys(PREFIX + "*")
    client.set(key, damage)
    assert [asked(server.url, tmp_path, place).cache for _ in range(2)] == ["miss", "hit"]


def test_a_key_that_many_processes_ask_for_at_once_costs_one_call(
    redis_server: Callable[..., Redis], serve: Serve, tmp_path: Path
) -> None:
    server = serve(reply(text(GOOD)), hold_s=0.3)
    given = (server.url, tmp_path, redis_server().url)
    printed = finished([start(ASK, *given, name, 20, 5) for name in range(12)])
    said = "".join(printed).split()
    assert len(said) == 12 * 20
    assert said.count("miss") == len(server.requests) == 5


def test_a_flight_outlasts_its_hold_while_its_holder_lives(
    redis_server: Callable[..., Redis],
    serve: Serve,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared, "_HOLD_MS", 300)
    server = serve(reply(text(GOOD)), hold_s=1.5)
    place = redis_server().url
    other = start(ASK, server.url, tmp_path, place, 1, 1, 1)
    case = CASE._replace(answer="It lasts 30 minutes. (0)")
    with RedisStore(place).flight("unused"):
        outcome = asked(server.url, tmp_path, place, case=case, settings={"in_flight": 64})
    (said,) = finished([other])
    assert sorted([outcome.cache, said.strip()]) == ["hit", "miss"]
    assert len(server.requests) == 1


def test_a_flight_is_let_go_after_its_holder_died(
    redis_server: Callable[..., Redis], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "_HOLD_MS", 300)
    store = RedisStore(redis_server().url)
    store._client.set("voirdire:flight:a", "of a dead process", px=300)
    with store.flight("a"):
        assert store._client.get("voirdire:flight:a") not in (None, b"of a dead process")
    assert store._client.get("voirdire:flight:a") is None


def test_a_flight_of_another_is_not_let_go(redis_server: Callable[..., Redis]) -> None:
    store = RedisStore(redis_server().url)
    with store.flight("a"):
        store._client.set("voirdire:flight:a", "of another")
    assert store._client.get("voirdire:flight:a") == b"of another"


def went_without(said: str, *secrets: str) -> bool:
    assert said.startswith("voirdire: the shared verdict cache is away (")
    assert not any(secret in said for secret in secrets)
    return said.count("voirdire: ") == said.count("\n") == 1


def test_a_server_that_is_away_is_gone_without(
    serve: Serve, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    server = serve(reply(text(GOOD)))
    place = f"redis://:{PASSWORD}@127.0.0.1:{free_port()}/0"
    began = time.monotonic()
    store = open_store(place)
    outcomes = [asked(server.url, tmp_path, store) for _ in range(2)]
    assert time.monotonic() - began < 10
    assert [outcome.outcome for outcome in outcomes] == ["pass", "pass"]
    assert [outcome.cache for outcome in outcomes] == ["miss", "miss"]
    assert went_without(capfd.readouterr().err, PASSWORD)


def test_a_server_that_dies_during_a_call_costs_no_verdict(
    redis_server: Callable[..., Redis],
    serve: Serve,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    redis = redis_server()
    server = serve(reply(text(GOOD)))
    next_step = server.next_step

    def dying(request: object) -> object:
        redis.stop()
        return next_step(request)  # type: ignore[arg-type]

    monkeypatch.setattr(server, "next_step", dying)
    outcome = asked(server.url, tmp_path, redis.url)
    assert (outcome.outcome, outcome.cache) == ("pass", "miss")
    assert went_without(capfd.readouterr().err)


def test_a_server_that_hangs_is_waited_for_once(
    redis_server: Callable[..., Redis], capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        store = RedisStore(f"redis://127.0.0.1:{mute.getsockname()[1]}/0")
        assert store.get("a") is None
        with store.flight("a"):
            store.put("a", RECORD)
    assert store.away
    assert went_without(capfd.readouterr().err)


@pytest.mark.parametrize("given", [f":{PASSWORD}x@", f"somebody:{PASSWORD}@", ""])
def test_a_wrong_password_is_gone_without_and_not_shown(
    redis_server: Callable[..., Redis],
    serve: Serve,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    given: str,
) -> None:
    redis = redis_server("--requirepass", PASSWORD)
    server = serve(reply(text(GOOD)))
    place = redis.url.replace("redis://", f"redis://{given}")
    assert asked(server.url, tmp_path, place).outcome == "pass"
    assert went_without(capfd.readouterr().err, PASSWORD)


def test_a_password_is_shown_nowhere(
    redis_server: Callable[..., Redis], serve: Serve, tmp_path: Path
) -> None:
    redis = redis_server("--requirepass", PASSWORD)
    server = serve(reply(text(GOOD)))
    place = redis.url_with_password
    outcomes = [asked(server.url, tmp_path, place) for _ in range(2)]
    assert [outcome.cache for outcome in outcomes] == ["miss", "hit"]
    store = RedisStore(place)
    assert PASSWORD not in repr(outcomes) + repr(store) + str(dict(store.items()))
    assert PASSWORD not in (tmp_path / "journal.jsonl").read_text("utf-8")


@pytest.mark.parametrize(
    "url",
    [
        f"redis://:{PASSWORD}@127.0.0.1:port/0",
        f"redis://:{PASSWORD}@127.0.0.1:99999/0",
        f"redis://:{PASSWORD}@127.0.0.1/0?surprise=1",
        f"redis://:{PASSWORD}@127.0.0.1/0?db=x",
        f"redis://:{PASSWORD}@[127.0.0.1/0",
        f"rediss://:{PASSWORD}@127.0.0.1/0?surprise=1",
        f"memcached://:{PASSWORD}@127.0.0.1/0",
        f"REDIS://:{PASSWORD}@127.0.0.1/0",
    ],
)
def test_a_url_that_is_none_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(ConfigError) as caught:
        open_store(url)
    assert PASSWORD not in str(caught.value)


def test_without_the_client_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ConfigError, match=r"voirdire\[redis\]"):
        open_store(f"redis://:{PASSWORD}@127.0.0.1/0")
