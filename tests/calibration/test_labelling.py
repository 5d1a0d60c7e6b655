"""``voirdire label``: what is drawn, what is shown, and what is kept of what is typed."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Done, command, environment, write_lines
from tests.promptfoo.test_ratings import graded, row, write
from voirdire.calibration.cases import load_cases
from voirdire.calibration.labelling import Candidate, candidates, draw
from voirdire.errors import ConfigError
from voirdire.grade import Case, grade
from voirdire.journal import Journal
from voirdire.judges.spec import make_judge
from voirdire.rubric import Rubric
from voirdire.source import Source

SOURCE = "The link lasts 30 minutes."
SOURCES = (Source("s", SOURCE),)
RUBRIC = Rubric("r", {"grounded": "Is it in the source?"})
Label = Callable[..., Done]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six answers and the source beside them."""
    answers = [
        {"id": f"a{n}", "question": "How long?", "answer": f"{n}0 minutes.", "model": "quillon-4"}
        for n in range(1, 7)
    ]
    write_lines(tmp_path / "answers.jsonl", answers)
    (tmp_path / "source.md").write_text(SOURCE)
    return tmp_path


@pytest.fixture
def label(folder: Path) -> Label:
    """Runs ``voirdire label`` with what is typed."""

    def run(*arguments: str, typed: str = "", origin: str = "answers.jsonl") -> Done:
        done = subprocess.run(
            command("label", origin, "--out", "cases.jsonl", *arguments),
            cwd=folder,
            env={**environment(folder), "COLUMNS": "80", "LINES": "24"},
            input=typed.encode(),
            capture_output=True,
            check=False,
            timeout=60,
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        assert "Traceback" not in err
        return Done(done.returncode, out, err)

    return run


def lines(folder: Path) -> list[dict[str, Any]]:
    text = (folder / "cases.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def ids_shown(out: str) -> list[str]:
    heads = (line.partition(" of ")[2].partition(": ")[2] for line in out.splitlines())
    return [identity for identity in heads if identity]


def test_what_is_typed_becomes_labelled_cases(label: Label, folder: Path) -> None:
    done = label("--n", "3", typed="p\nf  the period is wrong \nFail\n")
    assert (done.code, done.err) == (0, "")
    shown = ids_shown(done.out)
    found = lines(folder)
    assert [case["id"] for case in found] == shown
    assert [(case["label"], case["note"]) for case in found] == [
        ("pass", ""),
        ("fail", "the period is wrong"),
        ("fail", ""),
    ]
    assert done.out.endswith("cases.jsonl: 3 labels more; 0 of 3 drawn are left\n")
    loaded = load_cases(folder / "cases.jsonl", sources=None)
    assert [case.label for case in loaded.cases] == ["pass", "fail", "fail"]
    assert loaded.cases[0].model == "quillon-4"
    assert loaded.cases[0].case.question == "How long?"
    assert "source" not in found[0]  # all share the one beside


def test_question_source_and_answer_are_shown_and_what_to_type(label: Label) -> None:
    out = label("--n", "1", typed="q\n").out
    (identity,) = ids_shown(out)
    parts = [f"1 of 1: {identity}", "Question", "How long?", "Source", SOURCE, "Answer"]
    places = [out.index(part) for part in parts]
    assert places == sorted(places)
    assert f"{identity[1]}0 minutes." in out
    assert "p pass, f fail (a note may follow), m more of the source, s skip, b back, q quit" in out


def test_who_stops_goes_on_with_the_rest_of_the_same_draw(label: Label, folder: Path) -> None:
    whole = ids_shown(label("--n", "4", typed="s\ns\ns\ns\n").out)
    assert not (folder / "cases.jsonl").exists()
    first = label("--n", "4", typed="p\nq\n")
    assert first.out.endswith("cases.jsonl: 1 labels more; 3 of 4 drawn are left\n")
    again = label("--n", "4", typed="f\nf\n")  # and then the end of the input
    assert ids_shown(again.out) == whole[1:]
    assert [(case["id"], case["label"]) for case in lines(folder)] == [
        (whole[0], "pass"),
        (whole[1], "fail"),
        (whole[2], "fail"),
    ]
    last = label("--n", "4", typed="p\np\n")
    assert ids_shown(last.out) == whole[3:]
    assert ids_shown(label("--n", "4", typed="p\n").out) == []


def test_back_shows_the_one_before_and_takes_another_label_for_it(
    label: Label, folder: Path
) -> None:
    done = label("--n", "2", typed="b\np\nb\nf after all\np\n")
    first, second = dict.fromkeys(ids_shown(done.out))
    assert ids_shown(done.out) == [first, first, second, first, second]
    assert "You said: pass" in done.out
    assert [(case["id"], case["label"], case["note"]) for case in lines(folder)] == [
        (first, "fail", "after all"),
        (second, "pass", ""),
    ]


def test_skipping_keeps_a_label_that_was_given(label: Label, folder: Path) -> None:
    label("--n", "2", typed="p\nb\ns\ns\n")
    assert [case["label"] for case in lines(folder)] == ["pass"]


def test_whatever_else_is_typed_is_asked_again(label: Label, folder: Path) -> None:
    done = label("--n", "1", typed="\nx\npp\n\x1b[A\ny\np\n")
    assert [case["label"] for case in lines(folder)] == ["pass"]
    assert done.out.count("is none of these") == 4
    assert "\x1b" not in done.out


def test_criteria_are_asked_one_by_one(label: Label, folder: Path) -> None:
    (folder / "rubric.yaml").write_text(
        "name: r\ncriteria: {grounded: Is it in the source?, answers: Does it answer?}\n"
    )
    typed = "y\nb\nn not there\nyes so it does\n" + "y\ny\n" + "y\nq\n"
    done = label("--n", "3", "--rubric", "rubric.yaml", typed=typed)
    assert "grounded: Is it in the source?" in done.out
    assert [(case["label"], case["criteria"], case["note"]) for case in lines(folder)] == [
        ("fail", {"grounded": False, "answers": True}, "not there; so it does"),
        ("pass", {"grounded": True, "answers": True}, ""),
    ]
    assert len(load_cases(folder / "cases.jsonl", sources=None).cases) == 2


def test_back_at_the_first_criterion_is_the_case_before(label: Label, folder: Path) -> None:
    (folder / "rubric.yaml").write_text("name: r\ncriteria: {grounded: Is it in the source?}\n")
    done = label("--n", "2", "--rubric", "rubric.yaml", typed="y\nb\nn\nn\n")
    first, second = dict.fromkeys(ids_shown(done.out))
    assert ids_shown(done.out) == [first, second, first, second]
    assert [case["label"] for case in lines(folder)] == ["fail", "fail"]


def test_a_long_source_is_shown_a_page_at_a_time(label: Label, folder: Path) -> None:
    (folder / "source.md").write_text("\n".join(f"Line {n} of the source." for n in range(30)))
    done = label("--n", "1", typed="m\nm\nm\np\n")
    first, second, third, last, _ = done.out.split("> ")
    assert "Line 10 of" in first
    assert "Line 11 of" not in first
    assert "(m shows more)" in first
    assert "Line 11 of" in second
    assert "Line 22 of" in second
    assert "Line 29 of" in third
    assert "(m shows more)" not in third
    assert "(that was all of the source)" in last


def test_what_could_steer_the_terminal_is_shown_as_escapes(label: Label, folder: Path) -> None:
    hostile = "a\x1b[2Jb\x07c\x9bd\u202ee\u200bf\rg\ud800h\x00"
    case = {"id": hostile, "question": hostile, "answer": hostile, "source": hostile}
    write_lines(folder / "answers.jsonl", [case])
    done = label("--n", "1", typed=f"f {hostile}\n".replace("\ud800", "").replace("\r", ""))
    assert done.code == 0
    escaped = r"a\x1b[2Jb\x07c\x9bd\u202ee\u200bf\rg\ud800h\x00"
    assert done.out.count(escaped) == 4
    assert not any(char in done.out for char in "\x1b\x07\x9b\u202e\u200b\r\ud800\x00")
    (kept,) = load_cases(folder / "cases.jsonl", sources=None).cases
    assert kept.case.answer == hostile


def test_spaces_and_letters_of_all_languages_are_shown_as_they_are(
    label: Label, folder: Path
) -> None:
    text = "Dauer : 30\u00a0min · 三十分 · né\tà"
    write_lines(folder / "answers.jsonl", [{"id": "a", "answer": text}])
    assert text.expandtabs(4) in label("--n", "1", typed="q\n").out


def test_what_the_file_held_is_never_lost(label: Label, folder: Path) -> None:
    before = b'{"id": "a1", "answer": "x", "label": "pass", "mine": 1}\ndamaged \xc3\xa9'
    (folder / "cases.jsonl").write_bytes(before)
    done = label("--n", "6", typed="p\nf\nq\n")
    assert "a1" not in ids_shown(done.out)
    after = (folder / "cases.jsonl").read_bytes()
    assert after.startswith(before + b"\n")
    assert len(after.splitlines()) == 4


def test_what_somebody_else_writes_meanwhile_is_not_overwritten(folder: Path) -> None:
    process = started(folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    output = process.stdout.fileno()
    process.stdin.write(b"p\n")
    process.stdin.flush()
    read_until(lambda: os.read(output, 4096), b"2 of 6")
    other = '{"id": "x", "answer": "x", "label": "fail"}\n'
    with (folder / "cases.jsonl").open("a") as file:
        file.write(other)
    _, err = process.communicate(b"p\n", timeout=60)
    assert process.returncode == 2
    assert b"cases.jsonl: was written by somebody else; the last label is not kept" in err
    assert len(lines(folder)) == 2


@pytest.mark.parametrize(
    ("arguments", "origin", "words"),
    [
        ((), "gone.jsonl", "gone.jsonl: no such file"),
        ((), "empty.jsonl", "no answer can be labelled: there are none"),
        (("--of", "passes"), "answers.jsonl", "nobody judged these answers"),
        (("--of", "passes", "--stratify", "verdict"), "answers.jsonl", "give one of the two"),
        (("--rubric", "gone.yaml"), "answers.jsonl", "gone.yaml: no such file"),
        (("--out", "cases.yaml"), "answers.jsonl", "cases.yaml: labelled cases are written as"),
        (("--out", "no/cases.jsonl"), "answers.jsonl", "no/cases.jsonl: there is no such folder"),
    ],
)
def test_bad_input_is_one_sentence(
    label: Label, folder: Path, arguments: tuple[str, ...], origin: str, words: str
) -> None:
    (folder / "empty.jsonl").touch()
    done = label(*arguments, typed="p\n", origin=origin)
    assert done.code == 2
    assert words in done.err
    assert len(done.err.splitlines()) == 1


def test_answers_without_any_source_cannot_be_labelled(label: Label, folder: Path) -> None:
    (folder / "source.md").unlink()
    done = label(typed="p\n")
    assert done.code == 2
    assert "they name no source of truth; add --source FILE" in done.err
    (folder / "help.md").write_text(SOURCE)
    assert label("--n", "1", "--source", "help.md", typed="p\n").code == 0


def test_damaged_answers_are_named_and_left_out(label: Label, folder: Path) -> None:
    with (folder / "answers.jsonl").open("a") as file:
        file.write('{"id": "x"}\n')
    done = label("--n", "9", typed="q\n")
    assert done.err == "answers.jsonl:7: has no `answer`; left out\n"
    assert done.out.endswith("6 of 6 drawn are left\n")


# A terminal


def started(folder: Path, **streams: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command("label", "answers.jsonl", "--out", "cases.jsonl"),
        cwd=folder,
        env={**environment(folder), "TERM": "xterm", "PYTHONUNBUFFERED": "1"},
        stderr=subprocess.PIPE,
        **streams,
    )


def read_until(read: Callable[[], bytes], words: bytes) -> bytes:
    """What comes until these words have come."""
    seen, until = b"", time.monotonic() + 60
    while words not in seen:
        assert time.monotonic() < until, seen
        more = read()
        assert more, seen
        seen += more
    return seen


ASKED = b"q quit\r\n> "


class Terminal:
    """A person at a pseudo-terminal."""

    def __init__(self, folder: Path) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.handle, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 60, 0, 0))
        self.process = started(folder, stdin=other, stdout=other, start_new_session=True)
        os.close(other)

    def type(self, keys: bytes) -> None:
        os.write(self.handle, keys)

    def says_something(self, seconds: float) -> bool:
        return bool(select.select([self.handle], [], [], seconds)[0])

    def read_until(self, words: bytes) -> bytes:
        return read_until(self._read, words)

    def _read(self) -> bytes:
        assert self.says_something(60)
        return os.read(self.handle, 4096)

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()
        os.close(self.handle)


@pytest.fixture
def terminal(folder: Path) -> Iterator[Terminal]:
    if sys.platform == "win32":
        pytest.skip("there are no pseudo-terminals")
    opened = Terminal(folder)
    yield opened
    opened.close()


def test_a_person_at_a_terminal(terminal: Terminal, folder: Path) -> None:
    first = terminal.read_until(ASKED)
    assert b"\x1b[1m" in first  # headings are bold there
    terminal.type(b"px\x7f\r")  # a slip of the finger, and backspace
    terminal.read_until(ASKED)
    assert [case["label"] for case in lines(folder)] == ["pass"]
    terminal.type("f zu früh\r".encode())
    terminal.read_until(ASKED)
    assert lines(folder)[1]["note"] == "zu früh"
    terminal.type(b"q\r")
    terminal.read_until(b"2 labels more; 4 of 6 drawn are left")
    assert terminal.process.wait(60) == 0


def test_an_interrupt_keeps_what_was_said(terminal: Terminal, folder: Path) -> None:
    terminal.read_until(ASKED)
    terminal.type(b"p\r")
    terminal.read_until(ASKED)
    terminal.process.send_signal(signal.SIGINT)
    if not terminal.says_something(5):
        # It came between the prompt and the read, which Python takes up before it looks for
        # signals. A person would press the keys once more.
        terminal.process.send_signal(signal.SIGINT)
    terminal.read_until(b"1 labels more; 5 of 6 drawn are left")
    assert terminal.process.wait(60) == 0
    assert len(lines(folder)) == 1


def test_the_end_of_the_input_is_the_end(terminal: Terminal) -> None:
    terminal.read_until(ASKED)
    terminal.type(b"\x04")
    terminal.read_until(b"0 labels more; 6 of 6 drawn are left")
    assert terminal.process.wait(60) == 0


# Where answers come from


def test_answers_of_a_run_come_with_their_sources_and_without_the_verdict(
    label: Label, folder: Path
) -> None:
    write(
        folder / "results.json",
        row(graded("pass", 0.95), vars={"case_id": "x", "source": "The reset link."}),
        row(graded("fail", 0.2), vars={"case_id": "y"}, response={"output": "No."}),
    )
    done = label(typed="p\np\n", origin="results.json")
    assert sorted(ids_shown(done.out)) == ["x", "y"]
    assert "The reset link." in done.out
    for words in ("0.95", "0.2", "canned", "verdict"):
        assert words not in done.out
    found = {case["id"]: case for case in lines(folder)}
    assert found["x"]["source"] == [{"id": "source", "text": "The reset link."}]
    assert "source" not in found["y"]
    assert found["x"]["model"] == "echo"


def test_only_what_the_judge_passed_or_failed(label: Label, folder: Path) -> None:
    outcomes = ["pass", "fail", "undecided", "judge_error", "pass"]
    rows = [
        row(graded(outcome), vars={"case_id": f"{outcome}-{n}"}, response={"output": f"{n}."})
        for n, outcome in enumerate(outcomes)
    ]
    write(folder / "results.json", *rows)
    passes = label("--of", "passes", typed="s\ns\ns\n", origin="results.json").out
    assert sorted(ids_shown(passes)) == ["pass-0", "pass-4"]
    fails = label("--of", "fails", typed="s\ns\ns\n", origin="results.json").out
    assert ids_shown(fails) == ["fail-1"]


def test_a_journals_calls_are_answers_each_once(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.jsonl")
    verdict = {
        "critique": "So it says.",
        "criteria": {"grounded": True},
        "evidence": [SOURCE],
        "verdict": "pass",
        "confidence": 0.9,
    }
    replies = [
        {"id": "a", "reply": json.dumps(verdict)},
        {"id": "a", "reply": json.dumps(verdict), "order": "answer_first"},
        {"id": "b", "reply": json.dumps({**verdict, "verdict": "cannot_decide"})},
        {"id": "c", "reply": "no verdict"},
    ]
    write_lines(tmp_path / "replies.jsonl", replies)
    judge = make_judge(f"replay:{tmp_path / 'replies.jsonl'}")
    cases = [
        Case(SOURCES, "How long?", "30 minutes.", "a"),
        Case(SOURCES, None, "A while.", "b"),
        Case(SOURCES, None, "For ever.", "c"),
        Case(SOURCES, None, "Another answer.", "a"),
    ]
    for case in cases:
        grade(case, RUBRIC, judge, journal, order="both")
    grade(Case(SOURCES, None, "Nameless."), RUBRIC, make_judge("rules"), journal)
    found, damaged = candidates(journal.path)
    assert damaged == []
    assert found[0] == Candidate("a", "How long?", "30 minutes.", SOURCES, "", "pass", 0.9)
    assert [(item.outcome, item.answer) for item in found[1:4]] == [
        ("undecided", "A while."),
        ("judge_error", "For ever."),
        ("pass", "Another answer."),
    ]
    other, nameless = found[3].id, found[4].id
    assert other.startswith("a-")
    assert len(nameless) == 12
    # What is written later changes no name.
    grade(Case(SOURCES, None, "A third one.", "a"), RUBRIC, judge, journal)
    assert [item.id for item in candidates(journal.path)[0]][:5] == ["a", "b", "c", other, nameless]


def test_answers_may_bring_source_verdict_and_confidence(tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text("Own.")
    write_lines(
        tmp_path / "answers.jsonl",
        [
            {"id": "a", "answer": "x", "source": "S.", "outcome": "fail", "confidence": 0.5},
            {"id": 2, "answer": "y", "source_file": "own.md", "confidence": "high"},
            {"id": "a", "answer": "z"},
        ],
    )
    found, damaged = candidates(tmp_path / "answers.jsonl")
    assert damaged == []
    first, second, third = found
    assert first == Candidate("a", None, "x", (Source("source", "S."),), "", "fail", 0.5)
    assert (second.id, second.own[0].text, second.confidence) == ("2", "Own.", None)
    assert third.id.startswith("a-")


# The draw


def pool(*groups: tuple[str, float | None, int]) -> list[Candidate]:
    return [
        Candidate(f"{outcome}-{confidence}-{n}", None, f"{n}", (), "", outcome, confidence)
        for outcome, confidence, count in groups
        for n in range(count)
    ]


def test_a_seed_draws_the_same_for_ever() -> None:
    drawn = draw(pool(("", None, 100)), 5, 7)
    assert [item.answer for item in drawn] == ["94", "49", "50", "4", "96"]
    assert draw(list(reversed(pool(("", None, 100)))), 5, 7) == drawn
    assert draw(pool(("", None, 100)), 5, 8) != drawn


@settings(deadline=None)
@given(st.integers(0, 30), st.integers(1, 40), st.integers())
def test_a_draw_has_each_answer_once_and_as_many_as_there_are(
    count: int, n: int, seed: int
) -> None:
    found = pool(("", None, count))
    drawn = draw(found, n, seed)
    assert len(drawn) == len(set(drawn)) == min(n, count)
    assert set(drawn) <= set(found)


def test_every_answer_is_drawn_as_often_as_any_other() -> None:
    found = pool(("", None, 10))
    counts = Counter(item for seed in range(1000) for item in draw(found, 3, seed))
    # 300 each; five standard deviations of a binomial are 72.
    assert all(228 <= counts[item] <= 372 for item in found)


def test_strata_are_drawn_in_equal_numbers_as_far_as_they_go() -> None:
    found = pool(("pass", None, 90), ("fail", None, 9), ("undecided", None, 2))
    counts = Counter(item.outcome for item in draw(found, 20, 1, by="verdict"))
    assert counts == {"pass": 9, "fail": 9, "undecided": 2}


def test_bands_of_confidence_are_drawn_within_each_verdict() -> None:
    levels = (0.2, 0.5, 0.7, 0.9, None)
    found = pool(*(("pass", level, 20) for level in levels), ("fail", 0.95, 20))
    counts = Counter(
        (item.outcome, item.confidence) for item in draw(found, 18, 1, by="confidence")
    )
    assert set(counts.values()) == {3}
    assert len(counts) == 6


def test_the_order_does_not_tell_the_verdict() -> None:
    found = pool(("pass", None, 90), ("fail", None, 10))
    firsts = Counter(draw(found, 20, seed, by="verdict")[0].outcome for seed in range(400))
    # 200 each; five standard deviations are 50. In the order of the strata it would be 0 or 400.
    assert 150 <= firsts["fail"] <= 250
    halves = Counter(
        item.outcome for seed in range(200) for item in draw(found, 20, seed, by="verdict")[:10]
    )
    assert 850 <= halves["fail"] <= 1150


def test_a_draw_by_verdict_needs_verdicts() -> None:
    found = pool(("", None, 3))
    for how in ({"only": "pass"}, {"by": "verdict"}):
        with pytest.raises(ConfigError, match="nobody judged these answers"):
            draw(found, 1, 0, **how)
    assert draw(pool(("fail", None, 3)), 1, 0, only="pass") == []
