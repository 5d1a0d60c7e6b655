"""``voirdire label``: what is shown, and what is kept of what is typed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.calibration.label_command import (
    SOURCE,
    Label,
    folder,
    ids_shown,
    label,
    lines,
    read_until,
    started,
)
from tests.cli.conftest import write_lines
from voirdire.calibration.cases import load_cases

__all__ = ["folder", "label"]


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
