"""``voirdire report``: what it prints and writes, and how it ends."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from tests.report.made import made, ours, row, rubric, write
from voirdire.cli import cli
from voirdire.cli.report import command
from voirdire.errors import ConfigError
from voirdire.report.flags import KINDS
from voirdire.report.junit import junit
from voirdire.report.markdown import markdown, plain
from voirdire.report.terminal import terminal

ROWS = [
    row("c1", ours()),
    row("c2", ours("fail")),
    row("c3", ours("undecided", "low_confidence", reason="undecided: too unsure")),
    row("c4", ours("judge_error", "truncated", reason="judge error (truncated): cut off")),
]
HOSTILE = (
    "</system-out>\x1b[31m\x00]]> | `x` <img src=x onerror=alert(1)> @team #1 \ud800 *b*\n- [a](b)"
)


def report(*words: str | Path) -> Result:
    return CliRunner().invoke(cli, ["report", *map(str, words)], standalone_mode=False)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return write(tmp_path / "results.json", ROWS)


def test_red_flags_stand_before_the_leaderboard(results: Path) -> None:
    done = report(results)
    assert done.return_value == 0
    assert done.output.index("! coverage") < done.output.index("50.0% [")
    assert "settle it: npx promptfoo eval --no-cache --filter-failing" in done.output
    assert "judge errors: truncated 1" in done.output


def test_json_is_the_whole_report(results: Path) -> None:
    found = json.loads(report(results, "--json").output)
    assert found["voirdire_report"] == 1
    assert [one["outcome"] for one in found["rows"]] == ["pass", "fail", "undecided", "judge_error"]


def test_junit_tells_a_fail_from_an_error_and_from_what_is_skipped(
    results: Path, tmp_path: Path
) -> None:
    path = tmp_path / "report.xml"
    report(results, "--junit", path)
    suite = ElementTree.parse(path).getroot().find("testsuite")
    assert suite is not None
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    found = {case.get("name"): [child.tag for child in case] for case in suite}
    assert found == {"c1": [], "c2": ["failure"], "c3": ["skipped"], "c4": ["error"]}
    skipped, error = suite.find("*/skipped"), suite.find("*/error")
    assert skipped is not None
    assert skipped.get("message") == "undecided: too unsure"
    assert error is not None
    assert error.get("type") == "truncated"


def test_an_answer_that_is_missing_is_an_error_in_junit(tmp_path: Path) -> None:
    test = {"assert": [{"type": "equals", "value": "x"}]}
    lost = row("c1", testCase=test, gradingResult=None, response=None, failureReason=2, error="429")
    assert "<error type=" in "".join(junit(made(tmp_path, [lost])))


def test_markdown_and_the_page_are_written(results: Path, tmp_path: Path) -> None:
    done = report(results, "--markdown", tmp_path / "r.md", "--html", tmp_path / "r.html")
    assert done.return_value == 0
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    assert text.startswith("### voirdire: ")
    assert "| one | 50.0% [" in text
    page = (tmp_path / "r.html").read_text(encoding="utf-8").lower()
    assert page.startswith("<!doctype html>")


def test_two_runs_are_compared(results: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "after.json", [row("c1", ours("fail"), answer="Other.")])
    done = report(results, other, "--markdown", tmp_path / "r.md")
    assert "c1 · one · grounded: pass → fail (another answer)" in done.output
    assert "| c1 | one | grounded | pass | fail | another answer |" in (
        tmp_path / "r.md"
    ).read_text(encoding="utf-8")


def test_a_named_flag_fails_and_another_does_not(results: Path) -> None:
    done = report(results, "--fail-on", "coverage,blind")
    assert done.return_value == 1
    assert "failed on coverage" in done.stderr
    assert "blind" not in done.stderr
    assert report(results, "--fail-on", "blind").return_value == 0


def test_the_help_names_every_flag() -> None:
    assert set(KINDS) <= set(re.findall(r"[a-z_]+", command.help or ""))


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "no results were given"),
        (["results.json", "--fail-on", "nonsense"], "is no flag"),
        (["results.json", "--eval-id", "x"], "none was given"),
        (["results.json", "results.json"], "was given twice"),
        (["missing.json"], "cannot be read"),
        (["other.json"], "holds no results"),
        (["results.json", "--markdown", "results.json"], "used otherwise"),
        (["results.json", "--html", "a", "--junit", "a"], "is named twice"),
        (["results.json", "--html", "no/where.html"], "make it first"),
        (["results.json", "--certificate", "other.json"], "is no certificate"),
        (["results.json", "--calibration", "other.json"], "is no calibration"),
        (["results.json", "--cases", "missing.jsonl"], "no such file"),
    ],
)
def test_bad_input_is_one_sentence(
    results: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], says: str
) -> None:
    monkeypatch.chdir(results.parent)
    Path("other.json").write_text("{}")
    before = results.read_bytes()
    done = report(*words)
    assert isinstance(done.exception, ConfigError)
    assert says in str(done.exception)
    assert results.read_bytes() == before


def hostile(text: str, folder: Path) -> dict[str, Any]:
    before, after = rubric(False, text), rubric()
    for grade in (before, after):
        grade["assertion"]["metric"] = text
    rows = [row(text, grade, model=text, answer=text) for grade in (before, after)]
    return made(folder, rows[:1], rows[1:])


def test_hostile_text_steers_no_terminal(tmp_path: Path) -> None:
    assert terminal(hostile(HOSTILE, tmp_path)).replace("\n", "").isprintable()


def test_hostile_text_is_no_markup(tmp_path: Path) -> None:
    text = markdown(hostile(HOSTILE, tmp_path))
    text.encode("utf-8")
    assert not re.search(r"<(?!/?(?:sub|code)>|!-- -->)|@team|\[a\]|\n- \[|`x`|\*b\*", text)
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    assert {line.count("|") for line in rows} == {6, 7}


@given(st.text())
def test_any_text_stays_text_in_markdown(text: str) -> None:
    class Reader(HTMLParser):
        tags = 0

        def handle_starttag(self, tag: str, attrs: Any) -> None:
            self.tags += 1

    shown = plain(text)
    reader = Reader()
    reader.feed(shown)
    reader.close()
    assert reader.tags == 0
    assert not re.search(r"[`*_\[\]<>|@\n]", shown.replace("<!-- -->", ""))


@pytest.mark.parametrize("text", ["@octocat", "see #12", "a/b#12", "GH-12", "gh-12", "!7 and ~bug"])
def test_nobody_and_no_issue_is_called_from_markdown(text: str) -> None:
    """Hosts look for them in the text that Markdown made, where no character is escaped."""
    seen = unescape(re.sub("<!--.*?-->", "\ue000", plain(text)))
    assert not re.search(r"[@#!~]\w|GH-\d", seen, re.IGNORECASE)
    assert seen.replace("\ue000", "") == text


def test_an_address_is_no_link_in_markdown() -> None:
    assert "www." not in plain("www.example.com")


@given(st.text(alphabet=st.characters()))
def test_any_text_is_well_formed_xml(text: str) -> None:
    one = {
        "run": text,
        "case": text,
        "description": "",
        "model": text,
        "metric": text,
        "outcome": "fail",
        "kind": text,
        "reason": text,
        "answer": text,
        "critique": text,
        "raw": text,
    }
    document = "".join(junit({"rows": [one], "rows_left_out": 0}))
    assert len(ElementTree.fromstring(document.encode("utf-8"))) == 1
