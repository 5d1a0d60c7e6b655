"""An audit on a Dask cluster gives the report of one machine, whatever becomes of its workers."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.audit.conftest import voirdire
from voirdire.audit import cluster
from voirdire.audit.both import Plan
from voirdire.audit.code import identity
from voirdire.audit.corpus.item import Form
from voirdire.audit.run import Request, audit
from voirdire.audit.worker import receive, send
from voirdire.errors import ConfigError

pytest.importorskip("distributed", reason="Dask is not installed: pip install 'voirdire[dask]'")
pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'voirdire[dask]'")
psutil = pytest.importorskip("psutil")  # Dask brings it

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 120
READERS = """\
import json, os, time
from pathlib import Path

def waits(text):
    if text == "WAIT":
        Path("beginning").write_text(str(os.getpid()))
        Path("beginning").rename("begun-" + os.environ.get("WORKER", "here"))
        while not Path("go").exists():
            time.sleep(0.02)
    return json.loads(text[text.rindex("{"):])
"""
TEXTS = [
    "{}",
    'draft {"v": "SKIP"} final: {"v": "APPLY"}',
    'thinking of {name}\n{"a": 1}',
    '{"a": 1} and so on',
    "no JSON at all",
    '```json\n{"a": [1, 2]}\n```',
    'half a character \ud83d {"a": 1}',
    '{"a": "of the wrong type"}',
]
SCHEMA = {"type": "object", "properties": {"a": {"not": {"type": "string"}}}}


class Dask:
    """A scheduler on loopback, and workers whose folder is not the user's."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._running: list[subprocess.Popen[bytes]] = []
        found = folder / "scheduler.json"
        options = "--port 0 --host 127.0.0.1 --no-dashboard --scheduler-file".split()
        scheduler = self._start("scheduler", [*options, str(found)])
        wait_for(lambda: found.exists() and found.read_text().endswith("}"), scheduler)
        self.address: str = json.loads(found.read_text())["address"]
        self._scheduler = self._running.pop()

    def worker(self, name: str, first: str = "", **env: str) -> subprocess.Popen[bytes]:
        """Start a worker with one thread, which runs some code ``first``."""
        options = [self.address, *"--host 127.0.0.1 --no-dashboard --no-nanny --nthreads 1".split()]
        return self._start("worker", options, first, WORKER=name, **env)

    def _start(
        self, what: str, options: list[str], first: str = "", **env: str
    ) -> subprocess.Popen[bytes]:
        code = f"{first}\nfrom distributed.cli.dask_{what} import main; main()"
        env = {"PYTHONPATH": str(ROOT), "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"} | env
        with (self._folder / f"{what}.log").open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", code, *options],
                cwd=self._folder,
                env=os.environ | env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        self._running.append(process)
        return process

    def end_workers(self) -> None:
        """Kill those that still run."""
        for process in self._running:
            process.kill()
            process.wait()
        self._running.clear()

    def end(self) -> None:
        """Kill everything."""
        self.end_workers()
        self._scheduler.kill()
        self._scheduler.wait()


def wait_for(holds: Callable[[], object], alive: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until something holds, while what should bring it about is alive."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end
        assert alive is None or alive.poll() is None
        time.sleep(0.02)


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dask]:
    started = Dask(tmp_path_factory.mktemp("dask"))
    yield started
    started.end()


@pytest.fixture
def dask(scheduler: Dask) -> Iterator[Dask]:
    """The scheduler, without workers."""
    yield scheduler
    scheduler.end_workers()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's folder: parsers, a schema, and a corpus of JSON lines and Parquet partitions."""
    from pyarrow import parquet

    (tmp_path / "readers.py").write_text(READERS)
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    folder = tmp_path / "corpus"
    (folder / "more").mkdir(parents=True)
    for number in range(3):
        rows = [
            {"text": TEXTS[(number * 3 + n) % 8] + " " * (n % 3), "kind": "ab"[n % 2]}
            for n in range(40)
        ]
        if number == 1:
            rows[7] = {"text": "WAIT", "kind": "a"}
        lines = [*map(json.dumps, rows), "a damaged line"]
        (folder / f"{number}.jsonl").write_text("\n".join(lines))
        columns = {
            "text": [TEXTS[(number + n) % 6] for n in range(30)],
            "intended": ['{"a": 1}' if n % 2 else None for n in range(30)],
        }
        parquet.write_table(pyarrow.table(columns), folder / "more" / f"{number}.parquet")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def request(address: str | None, **options: Any) -> Request:
    """An audit of the project's corpus."""
    given = {
        "plan": Plan(("readers.py:waits", "forward"), SCHEMA, timeout=PATIENCE_S),
        "paths": ("corpus",),
        "schema": Path("schema.json"),
        "growth": False,
        "scheduler": address,
    }
    return Request(**{**given, **options})


def run_until_it_waits(
    asked: Request, pool: ThreadPoolExecutor
) -> tuple[Future[dict[str, Any]], list[int]]:
    """Start an audit, and return when a parser waits and a file is done."""
    done: list[int] = []
    running = pool.submit(audit, asked, lambda texts, read, total: done.append(texts))
    wait_for(lambda: (begun() and done) or running.done())
    assert not running.done(), running.result()
    return running, done


def begun() -> set[str]:
    """The workers whose parser has come to the text that it waits at."""
    return {path.name.removeprefix("begun-") for path in Path().glob("begun-*")}


def runs(pid: int) -> bool:
    """Whether there is such a process, and more than an entry that nobody has asked about."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def test_a_worker_killed_in_the_middle_leaves_the_report_as_it_is(
    dask: Dask, project: Path
) -> None:
    workers = {name: dask.worker(name) for name in ("one", "two")}
    with ThreadPoolExecutor(1) as pool:
        running, done = run_until_it_waits(request(dask.address, mutate=5, seed=5), pool)
        (name,) = begun()
        pid = int((project / f"begun-{name}").read_text())
        workers[name].kill()
        wait_for(lambda: begun() == {"one", "two"})
        assert len(done) < 6
        wait_for(lambda: not runs(pid))  # the parser does not outlive its worker
        (project / "go").touch()
        found = running.result(PATIENCE_S)
    assert len(done) == 6
    assert [file["name"] for file in found["corpus"]["files"]][1:4] == [
        "corpus/1.jsonl",
        "corpus/2.jsonl",
        "corpus/more/0.parquet",
    ]
    assert found["counts"]["different"] > 0
    assert found["corpus"]["damaged"] == 3
    here = audit(request(None, mutate=5, seed=5))
    assert json.dumps(found, indent=1) == json.dumps(here, indent=1)


def test_the_command_writes_the_same_file_with_either_engine(dask: Dask, project: Path) -> None:
    dask.worker("one")
    dask.worker("two")
    options = "--eval strict --production forward-first --schema schema.json --no-growth"
    common = ["audit", *options.split()]
    common += ["--corpus", "corpus/2.jsonl", "--corpus", "corpus/more/0.parquet"]
    on_dask = [*common, "--engine", "dask", "--scheduler", dask.address, "--out", "dask.json"]
    assert voirdire(*on_dask).code == 0
    assert voirdire(*common, "--out", "local.json").code == 0
    assert (project / "dask.json").read_bytes() == (project / "local.json").read_bytes()


def test_a_file_whose_workers_all_die_is_an_error_and_no_report(dask: Dask, project: Path) -> None:
    workers = {name: dask.worker(name) for name in ("one", "two")}
    files = ("corpus/0.jsonl", "corpus/1.jsonl")
    with ThreadPoolExecutor(1) as pool:
        running, _ = run_until_it_waits(request(dask.address, paths=files), pool)
        (first,) = begun()
        workers.pop(first).kill()
        wait_for(lambda: len(begun()) == 2)
        workers.popitem()[1].kill()
        with pytest.raises(ConfigError, match=r"^corpus/1\.jsonl: 2 Dask workers died"):
            running.result(PATIENCE_S)


def test_a_worker_with_another_version_is_named(dask: Dask, project: Path) -> None:
    dask.worker("old", "import voirdire; voirdire.__version__ = '0.0.1'")
    with pytest.raises(ConfigError, match=r"worker at tcp://\S+ has voirdire 0\.0\.1, and this"):
        audit(request(dask.address))


def test_a_worker_without_voirdire_is_an_error_and_is_left_alive(dask: Dask, project: Path) -> None:
    worker = dask.worker("bare", "import sys; sys.modules['voirdire'] = None")
    with pytest.raises(ConfigError, match=r"has no voirdire; pip install 'voirdire\[dask\]=="):
        audit(request(dask.address))
    assert worker.poll() is None


def test_a_worker_with_other_code_of_a_parser_is_named_with_the_side(
    dask: Dask,
    project: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here, there = (tmp_path_factory.mktemp(name) for name in ("here", "there"))
    (here / "deployed.py").write_text("import json\nread = json.loads\n")
    (there / "deployed.py").write_text("import json\n\ndef read(text): return None\n")
    monkeypatch.syspath_prepend(str(here))
    dask.worker("other", PYTHONPATH=os.pathsep.join((str(there), str(ROOT))))
    plan = Plan(("forward", "deployed:read"))
    with pytest.raises(ConfigError, match=r"the parser of production \(deployed:read\) is other"):
        audit(request(dask.address, plan=plan))


def test_a_cluster_that_stays_without_workers_is_an_error(
    dask: Dask, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "PATIENCE_S", 0.5)
    with pytest.raises(ConfigError, match=r"has had no worker .* start one: dask worker tcp://"):
        audit(request(dask.address))


def test_no_scheduler_at_the_address_is_an_error(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_S", 0.5)
    with closing(socket.socket()) as taken:  # bound, but nobody listens
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ConfigError, match=rf"--scheduler {address}: no Dask scheduler answers"):
            audit(request(address))
    with pytest.raises(ConfigError, match=r"--scheduler nonsense: .*missing port"):
        audit(request("nonsense"))


def test_without_dask_the_extra_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ConfigError, match=r"pip install 'voirdire\[dask\]'"):
        audit(request("tcp://127.0.0.1:1"))


def test_what_only_this_machine_can_read_is_refused(project: Path) -> None:
    with pytest.raises(ConfigError, match=r"^standard input: .* write it to a file"):
        audit(request("tcp://127.0.0.1:1", paths=("corpus", "-")))
    Path("promptfoo.db").write_bytes(b"SQLite format 3\x00")
    with pytest.raises(ConfigError, match=r"^promptfoo\.db: .* leave out --engine dask"):
        audit(request("tcp://127.0.0.1:1", paths=("promptfoo.db",)))


@pytest.fixture
def elsewhere(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """What a machine answers to an order that does not have the user's folder."""

    def answer(parser: str, path: str) -> Any:
        order = {
            "plan": Plan((parser, "forward"))._asdict(),
            "parsers": {"eval": identity(parser), "production": identity("forward")},
            "folder": "/no/such",
            "file": {"name": "shown", "path": str(project / path), "size": 1, "format": "jsonl"},
            "number": 3,
            "form": Form(),
            "eval_id": None,
            "sample_size": 0,
            "seed": 0,
        }
        with subprocess.Popen(
            [sys.executable, "-c", "from voirdire.audit.partition import main; main()"],
            cwd=tmp_path_factory.mktemp("elsewhere"),
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as child:
            assert child.stdin is not None
            assert child.stdout is not None
            send(child.stdin, order)
            frame = receive(child.stdout)
            assert frame is not None
            return frame[0]

    return answer


def test_a_machine_without_the_users_folder_audits_with_what_is_installed(
    elsewhere: Callable[..., Any],
) -> None:
    found = elsewhere("backward", "corpus/0.jsonl")
    assert found["tally"]["all"]["texts"] == 40
    assert found["file"]["name"] == "shown"
    assert found["tally"]["damages"] == [[3, 41, ["shown:41", "not JSON (Expecting value)"]]]


def test_a_machine_without_the_users_folder_says_so_of_a_parser_in_it(
    elsewhere: Callable[..., Any],
) -> None:
    said = elsewhere("readers.py:waits", "corpus/0.jsonl")["refused"]
    assert said.startswith("the parser of eval: ")
    assert said.endswith("; it has no folder /no/such")


def test_a_file_that_a_worker_cannot_read_is_named_with_its_path(
    elsewhere: Callable[..., Any], project: Path
) -> None:
    said = elsewhere("forward", "corpus/gone.jsonl")["refused"]
    assert said.startswith(f"shown: cannot be read as {project / 'corpus/gone.jsonl'}; ")
