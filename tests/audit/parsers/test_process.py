"""Parsers in processes of their own: real programs that answer, refuse, hang, die and babble."""

from __future__ import annotations

import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.audit.parsers.endings import DIED, MEMORY, TIMEOUT, Broken, RefusedError
from voirdire.audit.parsers.process import Program
from voirdire.audit.parsers.spec import open_parser
from voirdire.audit.value import Repeated
from voirdire.errors import ConfigError

MEGABYTE = 1 << 20
ANSWERING = """
import json, os, sys, time

def answer(number, text):
    {body}

for line in sys.stdin:
    asked = json.loads(line)
    said = answer(asked["id"], asked["text"])
    sys.stdout.write(said if isinstance(said, str) else json.dumps(said))
    sys.stdout.write("\\n")
    sys.stdout.flush()
"""

Open = Callable[..., Program]


@pytest.fixture
def program(tmp_path: Path) -> Iterator[Open]:
    """Makes parsers out of the body of a Python function ``answer(number, text)``."""
    with ExitStack() as stack:

        def make(body: str, *, timeout: float = 10, memory: int = 512 * MEGABYTE) -> Program:
            path = tmp_path / "a parser.py"
            path.write_text(ANSWERING.format(body=body), encoding="utf-8")
            words = shlex.join([sys.executable, str(path)])
            parser = open_parser(f"cmd:{words}", timeout=timeout, memory=memory)
            assert isinstance(parser, Program)
            return stack.enter_context(closing(parser))

        yield make


def broken(parser: Callable[[str], Any], text: str = "x") -> tuple[str, str]:
    with pytest.raises(Broken) as caught:
        parser(text)
    return caught.value.ending, caught.value.why


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ('{"id": 1, "value": {"a": [1, 2.5, "é"]}}', {"a": [1, 2.5, "é"]}),
        ('{"id": 1, "value": false, "error": null}', False),
        ('{"id": 1}', None),
        ('{"id": 1, "value": null}', None),
        ('{"value": 3, "id": 1}\\r', 3),
    ],
)
def test_an_answer_is_a_value_or_nothing(program: Open, answer: str, value: Any) -> None:
    assert program(f"return '{answer}'")("text") == value


def test_nan_and_repeated_keys_are_kept(program: Open) -> None:
    found = program("""return '{"id": 1, "value": {"n": NaN, "n": -Infinity}}'""")("text")
    assert isinstance(found, Repeated)
    assert math.isnan(found.members[0][1])
    assert found.members[1] == ("n", -math.inf)


def test_a_refusal_carries_the_name_and_the_message(program: Open) -> None:
    parser = program('return {"id": number, "error": "no brace", "name": "SyntaxError"}')
    with pytest.raises(RefusedError, match="no brace") as caught:
        parser("text")
    assert caught.value.name == "SyntaxError"


def test_a_refusal_may_say_that_memory_was_missing(program: Open) -> None:
    parser = program('return {"id": number, "error": "", "name": "MemoryError"}')
    assert broken(parser)[0] == MEMORY


@settings(max_examples=60, deadline=None)
@given(text=st.text(alphabet=st.characters(), max_size=30))
def test_any_text_arrives_whole(echo: Program, text: str) -> None:
    assert echo(text) == text


@pytest.fixture(scope="module")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    """Gives each text back."""
    path = tmp_path_factory.mktemp("echo") / "echo.py"
    path.write_text(ANSWERING.format(body='return {"id": number, "value": text}'))
    parser = Program([sys.executable, str(path)], "echo", timeout=10, memory=512 * MEGABYTE)
    with closing(parser):
        yield parser


def test_texts_and_answers_longer_than_a_pipe_holds_arrive_whole(echo: Program) -> None:
    text = "\u2028é\ud800x\x00" * 300_000
    assert echo(text) == text


def test_a_hanging_text_is_cut_off_and_the_next_is_read(program: Open) -> None:
    parser = program(
        'time.sleep(600 if text == "hang" else 0)\n    return {"id": number, "value": os.getpid()}',
        timeout=0.5,
    )
    first = parser("one")
    ending, why = broken(parser, "hang")
    assert ending == TIMEOUT
    assert "no answer" in why
    assert parser("two") != first
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)


def test_what_a_hanging_program_started_is_ended_with_it(program: Open, tmp_path: Path) -> None:
    parser = program(
        'if text == "one": return {"id": number}\n'
        "    import subprocess\n"
        '    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])\n'
        f"    open({str(tmp_path / 'child')!r}, 'w').write(str(child.pid))\n"
        "    time.sleep(600)",
        timeout=1,
    )
    assert parser("one") is None  # so that how long it takes to start is known
    assert broken(parser)[0] == TIMEOUT
    child = int((tmp_path / "child").read_text())
    assert ended(child)


def ended(process: int) -> bool:
    """Whether a process is no more, or only its entry is left for init to take."""
    for _ in range(200):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


def test_leaving_the_process_is_told_with_the_last_words(program: Open) -> None:
    parser = program(
        'print("lost it", file=sys.stderr)\n    sys.stderr.flush()\n'
        '    os._exit(7) if text == "die" else None\n    return {"id": number}'
    )
    assert parser("one") is None
    assert broken(parser, "die") == (DIED, "ended with exit code 7: lost it")
    assert parser("two") is None


def test_a_signal_is_told_by_its_name(program: Open) -> None:
    assert broken(program("os.kill(os.getpid(), 11)")) == (DIED, "was killed by SIGSEGV")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
def test_a_program_that_takes_too_much_memory_is_told_from_one_that_dies(program: Open) -> None:
    parser = program(
        'hog = bytearray(1 << 40 if text == "hog" else 1)\n    return {"id": number}',
        memory=200 * MEGABYTE,
    )
    assert parser("one") is None
    assert broken(parser, "hog") == (MEMORY, "ended with exit code 1, out of memory")
    assert parser("two") is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process's memory")
def test_the_limit_is_the_one_that_was_asked_for(program: Open) -> None:
    body = 'hog = b"x" * (300 << 20)\n    return {"id": number}'
    assert program(body, memory=2048 * MEGABYTE)("text") is None
    assert broken(program(body, memory=200 * MEGABYTE))[0] == MEMORY


@pytest.mark.parametrize(
    "said",
    ["ready.", "", "[1]", '{"id": 2, "value": 1}', '{"value": 1}', '{"id": 1, "id": 1}', "{"],
)
def test_a_line_of_another_kind_is_no_answer(program: Open, said: str) -> None:
    ending, why = broken(program(f"return {said!r}"))
    assert ending == DIED
    assert why.startswith("answered ")


def test_bytes_that_are_not_utf8_are_no_answer(program: Open) -> None:
    body = """sys.stdout.buffer.write(b'{"id": 1, "value": "\\xff\\xfe"}')\n    return ''"""
    ending, why = broken(program(body))
    assert (ending, "\\xff" in why) == (DIED, True)


def test_an_answer_without_end_is_cut_off(program: Open) -> None:
    body = "while True: sys.stdout.write('x' * 1000000)"
    ending, why = broken(program(body, timeout=60))
    assert (ending, why) == (MEMORY, "gave an answer of more than 64 MB")


def test_a_second_line_is_taken_for_no_other_text(program: Open) -> None:
    # The next text finds an answer that is not its own, and is asked about in a new process.
    parser = program("""return '{"id": %d}\\n{"id": 99, "value": 1}' % number""")
    assert [parser(text) for text in ("one", "two", "three")] == [None, None, None]


def test_chatter_on_the_error_output_blocks_nothing(program: Open) -> None:
    parser = program('sys.stderr.write("x" * 1000000)\n    return {"id": number, "value": 1}')
    assert [parser("text") for _ in range(3)] == [1, 1, 1]


def test_a_program_that_ends_at_once_dies_on_every_text(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text("import no_such_module\n")
    parser = Program([sys.executable, str(path)], "it", timeout=10, memory=512 * MEGABYTE)
    with closing(parser):
        for _ in range(2):
            ending, why = broken(parser)
            assert ending == DIED
            assert "No module named 'no_such_module'" in why


def test_a_value_nested_too_deep_for_python_is_a_refusal(program: Open) -> None:
    body = """return '{"id": %d, "value": %s}' % (number, "[" * 200000 + "]" * 200000)"""
    with pytest.raises(RefusedError) as caught:
        program(body)("text")
    assert caught.value.name == "RecursionError"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("cmd:no-such-program --fast", "no program 'no-such-program' on PATH"),
        ("cmd:", "names no program"),
        ("cmd:python3 'x.py", "No closing quotation"),
    ],
)
def test_a_command_that_cannot_be_started_is_refused(spec: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        open_parser(spec, timeout=1, memory=512 * MEGABYTE)


def test_a_file_that_is_no_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "program"
    path.write_bytes(b"\x00\x01")
    path.chmod(0o755)
    with pytest.raises(ConfigError, match="cannot be started"):
        open_parser(f"cmd:{path}", timeout=1, memory=512 * MEGABYTE)
