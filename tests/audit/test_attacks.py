"""Parsers that are meant to make an audit lie, hang or do damage."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.audit.conftest import Audit, Ran, corpus
from voirdire.audit import engine
from voirdire.audit.both import Both, Plan
from voirdire.audit.parsers.endings import TIMEOUT, VALUE
from voirdire.audit.show import code
from voirdire.errors import ConfigError

PYTHON = shlex.quote(sys.executable)
VALUES = """\
import json, os, threading, time
from decimal import Decimal

class Model:
    def __init__(self, dump):
        self.model_dump = lambda **_: dump()

def fails():
    raise RuntimeError("no")

def sleeps():
    time.sleep(1000)

def leaves():
    raise SystemExit(0)

def broken_model(text): return Model(fails)
def slow_model(text): return Model(sleeps)
def leaving_model(text): return Model(leaves)
def signalling_nan(text): return Decimal("sNaN")

def forks(text):
    os.fork()
    return json.loads(text)

def dies_later(text):
    threading.Timer(0.01, lambda: os._exit(4)).start()
    return json.loads(text)

def patches(text):
    json.dumps = json.loads = lambda *_: 7
    return 7

calls = 0
def third_is_other(text):
    global calls
    calls += 1
    return 2 if calls == 3 else 1

class Hostile(Exception):
    pass
Hostile.__name__ = "\\x1b[2J`|<b>@all" + "x" * 1000

def hostile(text):
    raise Hostile
"""


@pytest.fixture
def values(project: Path) -> None:
    (project / "values.py").write_text(VALUES, encoding="utf-8")
    corpus(project, [{"text": '{"a": 1}'}])


def refused(result: Ran) -> str:
    assert isinstance(result.error, ConfigError), result.out
    return str(result.error)


@pytest.mark.usefixtures("values")
@pytest.mark.parametrize(
    ("function", "outcome", "ending"),
    [
        ("broken_model", "production_only", "raised RuntimeError"),
        ("signalling_nan", "production_only", "raised ValueError"),
        ("slow_model", "eval_timeout", "timeout"),
        ("leaving_model", "eval_crash", "died"),
    ],
)
def test_what_a_value_does_while_it_is_written_is_the_parsers_doing(
    audit: Audit,
    monkeypatch: pytest.MonkeyPatch,
    function: str,
    outcome: str,
    ending: str,
) -> None:
    monkeypatch.setattr("voirdire.audit.examples.shrink", lambda text, *_, **__: text)
    found = audit("--json", "--timeout", "0.3", first=f"values:{function}").json
    assert found["counts"][outcome] == 1
    assert found["endings"]["eval"] == {ending: 1}


def test_json_of_more_parts_than_are_made_plain_is_a_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("voirdire.audit.value.MOST_PARTS", 100)
    both = Both((lambda text: [0] * 101, lambda text: [0] * 102), None, [0])
    one, other, equal = both.compare("a", 0, {})
    assert (one.ending, other.ending, equal) == (VALUE, VALUE, False)


def test_a_parser_that_forks_is_counted_once(audit: Audit, project: Path, values: None) -> None:
    corpus(project, [{"text": f'{{"a": "{"x" * 100_000}{n}"}}'} for n in range(9)])
    found = audit("--json", "--jobs", "1", first="values:forks", second="strict").json
    assert (found["counts"]["same"], found["corpus"]["texts"]) == (9, 9)


@pytest.mark.usefixtures("values")
def test_a_parser_that_patches_the_json_module_does_not_stop_the_audit(audit: Audit) -> None:
    found = audit("--json", first="values:patches", second="values:patches").json
    assert found["counts"]["same"] == 1


def test_a_parser_that_ends_the_process_later_is_survived_or_named(
    audit: Audit, project: Path, values: None
) -> None:
    corpus(project, [{"text": f'{{"a": "{"x" * 100_000}{n}"}}'} for n in range(9)])
    result = audit("--json", "--jobs", "1", first="values:dies_later", second="strict")
    if result.error is None:
        assert result.json["corpus"]["texts"] == 9
    else:
        assert "values:dies_later" in refused(result)


@pytest.mark.usefixtures("values")
def test_an_outcome_that_does_not_come_again_is_said_to_be_such(
    audit: Audit, project: Path
) -> None:
    corpus(project, [{"text": "1"}] * 3)
    result = audit("--jobs", "1", first="values:third_is_other", second="strict")
    assert "came out otherwise when read again" in result.out


@pytest.mark.usefixtures("values")
def test_an_errors_name_is_cut_and_cannot_steer_a_terminal(audit: Audit, project: Path) -> None:
    result = audit("--markdown", "m.md", first="values:hostile", second="strict")
    assert "\x1b" not in result.out
    assert r"`` raised \x1b[2J`\|<b>@all" in (project / "m.md").read_text(encoding="utf-8")
    (ending,) = audit("--json", first="values:hostile", second="strict").json["endings"]["eval"]
    assert len(ending) < 100


@pytest.mark.parametrize("text", ["a", "`", "a`` @all", "```\n<b>", ""])
def test_a_code_span_is_closed_by_nothing_in_it(text: str) -> None:
    made = code(text)
    fence = made[: len(made) - len(made.lstrip("`"))]
    assert made.endswith(fence)
    assert fence not in made[len(fence) : -len(fence)]
    assert "\n" not in made


def test_file_names_cannot_steer_a_terminal(audit: Audit, project: Path) -> None:
    corpus(project, [{"text": '{"a": 1}'}, {"other": 1}, {"text": "so {}"}], "\x1b[2J\n.jsonl")
    assert "\x1b" not in audit(path="\x1b[2J\n.jsonl").out


PROGRAM = """\
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    answer = json.dumps({"id": asked["id"], "value": json.loads(asked["text"])})
    HERE
"""


@pytest.mark.parametrize(
    "act",
    ["print(answer, flush=True); print(answer, flush=True)", "print(answer, flush=True); break"],
    ids=["answers twice", "ends after each answer"],
)
def test_a_text_is_not_blamed_for_what_the_one_before_it_did(
    audit: Audit, project: Path, act: str
) -> None:
    (project / "program.py").write_text(PROGRAM.replace("HERE", act), encoding="utf-8")
    corpus(project, [{"text": f'{{"a": {n}}}'} for n in range(4)])
    found = audit("--json", first=f"cmd:{PYTHON} program.py", second="strict").json
    assert found["counts"]["same"] == 4


def test_a_number_of_too_many_digits_is_refused_and_no_crash(audit: Audit, project: Path) -> None:
    act = """print('{"id": %d, "value": %s}' % (asked["id"], "9" * 5000), flush=True)"""
    (project / "program.py").write_text(PROGRAM.replace("HERE", act), encoding="utf-8")
    corpus(project, [{"text": "1"}])
    found = audit("--json", first=f"cmd:{PYTHON} program.py", second="strict").json
    assert found["endings"]["eval"] == {"raised ValueError": 1}


def test_a_program_that_dies_or_hangs_on_growing_texts_is_a_finding(project: Path) -> None:
    act = 'time.sleep(60 if asked["text"] == "2" else 0); print(answer, flush=True)'
    (project / "program.py").write_text(PROGRAM.replace("HERE", act), "utf-8")
    plan = Plan((f"cmd:{PYTHON} program.py", "strict"), timeout=0.2)
    with engine.timing(plan) as seconds:
        assert seconds(0, "1") is not None
        assert seconds(0, "2") is None
        assert seconds(1, "2") is not None
    with engine.looking(plan) as look:
        endings = [seen["calls"][0]["ending"] for seen in look(["1", "2"])]
        assert endings == [VALUE, TIMEOUT]


@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not on PATH")
def test_what_throws_when_it_is_asked_what_it_is_has_been_thrown(
    audit: Audit, project: Path
) -> None:
    thrown = "{ get message() { throw new Error() } }"
    (project / "p.mjs").write_text(f"export default (t) => {{ throw {thrown} }}", "utf-8")
    found = audit("--json", first="node:p.mjs", second="strict").json
    assert found["endings"]["eval"] == {"raised Error": 3}


LASTING = PROGRAM.replace("HERE", "print(answer, flush=True)") + "time.sleep(1000)\n"


def test_no_program_outlives_the_audit(audit: Audit, project: Path) -> None:
    (project / "lasting.py").write_text(LASTING, encoding="utf-8")
    assert audit(first=f"cmd:{PYTHON} lasting.py {project}", second="strict").code == 0
    assert eventually(lambda: not running(f"lasting.py {project}"))


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_an_audit_that_is_ended(project: Path, ended_by: int) -> None:
    (project / "lasting.py").write_text(LASTING, encoding="utf-8")
    hangs = f"import time\ndef hangs(text):\n    open({str(project / 'on')!r}, 'w').close()\n"
    (project / "hung.py").write_text(hangs + "    while True: pass\n", encoding="utf-8")
    words = ["audit", "--eval", f"cmd:{PYTHON} lasting.py {project}"]
    words += ["--production", "hung:hangs", "--corpus", "corpus.jsonl", "--timeout", "1000"]
    root = Path(__file__).resolve().parents[2]
    child = subprocess.Popen(
        [sys.executable, "-m", "voirdire", *words, "--jobs", "1"],
        env={**os.environ, "PYTHONPATH": str(root), "TMPDIR": str(project)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert eventually((project / "on").exists)
    assert running(f"lasting.py {project}")
    child.send_signal(ended_by)
    said = child.communicate(timeout=20)[1]
    if ended_by == signal.SIGINT:
        assert (child.returncode, said) == (130, b"voirdire: stopped; no report was written\n")
    assert eventually(lambda: not running(str(project)))
    assert eventually(lambda: not list(project.glob("voirdire-beat-*")))


def running(words: str) -> bool:
    """Whether a process has these words on its command line."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if words in command and int(folder.name) != os.getpid():
            return True
    return False


def eventually(holds: Callable[[], bool]) -> bool:
    for _ in range(400):
        if holds():
            return True
        time.sleep(0.05)
    return False


def test_a_module_with_the_name_of_a_standard_one_does_not_take_its_place(
    audit: Audit, project: Path
) -> None:
    (project / "json.py").write_text("def loads(text): return 'mine'\n", encoding="utf-8")
    assert "name the file: json.py:loads" in refused(audit(first="json:loads", second="strict"))
    found = audit("--json", first="json.py:loads", second="strict").json
    assert found["counts"]["different"] == 1
