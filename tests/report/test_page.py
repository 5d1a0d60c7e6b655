"""The report as a page: whole, its own, and never what a hostile answer makes of it."""

from __future__ import annotations

import base64
import hashlib
import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report import made
from tests.report.pages import calibration, compared, entry, full, report, row
from voirdire.report.page import page
from voirdire.report.page_parts.packed import COLUMNS

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "<img src=x onerror=alert(1)>",
    '"><a href="javascript:alert(1)">x</a>',
    "' onmouseover='alert(1)",
    "</style><style>body{display:none}</style>",
    "</title></svg></table>",
    "&lt;script&gt; &#60;b&#62;",
    "{title} {0} %s {data}",
]
VOID = {"meta", "br", "input", "path", "circle", "rect"}


class Reader(HTMLParser):
    """What a page is made of; fails where a tag is not closed as it was opened."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.inside: dict[str, list[str]] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
            self.inside.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.inside[self.open[-1]][-1] += data

    @property
    def shown(self) -> str:
        """What a reader sees without a script."""
        return " ".join(
            text
            for tag, texts in self.inside.items()
            if tag not in ("script", "style")
            for text in texts
        )


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def rows_of(reader: Reader) -> list[dict[str, Any]]:
    """The rows in the page's block of data."""
    block = json.loads(reader.inside["script"][0])
    texts = block["texts"]

    def value(name: str, found: Any) -> Any:
        if found is None or name == "confidence":
            return found
        return [texts[one] for one in found] if name == "evidence" else texts[found]

    return [
        {name: value(name, found) for name, found in zip(block["columns"], line, strict=True)}
        for line in block["rows"]
    ]


@pytest.mark.parametrize("said", HOSTILE)
def test_a_hostile_text_is_shown_and_never_obeyed(said: str) -> None:
    found = read(page(full(said)))
    plain = read(page(full("plain")))
    assert found.tags == plain.tags
    assert found.shown.count(said) == plain.shown.count("plain") > 15


@given(st.text(st.characters(), min_size=1, max_size=40))
def test_no_text_changes_what_the_page_is_made_of(said: str) -> None:
    text = page(full(said))
    found, plain = read(text), read(page(full("plain")))
    # Two names alike are one entry of the data; nothing else may depend on a text.
    assert found.tags == plain.tags
    assert rows_of(found)[0]["answer"] == said
    text.encode("utf-8")  # half a character would be a crash on writing


def test_rows_come_back_from_the_block_as_they_went_in() -> None:
    rows = [row(), row(source=None, note="n", evidence=["a", "b"], confidence=None, raw=None)]
    assert rows_of(read(page(report(*rows)))) == rows
    assert set(rows[0]) == set(COLUMNS)


def test_a_text_that_many_rows_share_is_in_the_page_once() -> None:
    source = "A source that nobody else has. " * 50
    assert page(report(*[row(source=source)] * 100)).count(source[:-1]) == 1


def test_nothing_that_hides_or_turns_round_is_in_the_file() -> None:
    text = page(full("a\u202eb\x1b[31m\ud800\u200b\x00c"))
    assert {char for char in text if not char.isprintable()} == {"\n"}
    assert "a\\u202eb\\u001b[31m\\ud800\\u200b\\u0000c" in text


def test_the_policy_lets_run_the_script_of_the_page_and_no_other() -> None:
    found = read(page(full("plain")))
    policy = next(str(a["content"]) for _, a in found.tags if "http-equiv" in a)
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for name, text in (
        ("script-src", found.inside["script"][1]),
        ("style-src", found.inside["style"][0]),
    ):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules.pop(name) == f"'sha256-{digest}'"
    assert rules == {
        "default-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert len(found.inside["script"]) == 2
    # The policy stands before whatever it is to hold.
    assert [tag for tag, _ in found.tags][:4] == ["html", "head", "meta", "meta"]
    assert "http-equiv" in found.tags[3][1]


def test_the_page_needs_nothing_from_elsewhere() -> None:
    found = read(page(full("plain")))
    assert not {"link", "img", "iframe", "object", "base"} & {tag for tag, _ in found.tags}
    for tag, attributes in found.tags:
        assert {"src", "style"} & attributes.keys() == set()
        assert [name for name in attributes if name.startswith("on")] == []
        if "href" in attributes:
            assert (tag, str(attributes["href"])[0]) == ("a", "#")
    for text in (found.inside["script"][1], found.inside["style"][0]):
        for forbidden in ("http:", "https:", "url(", "@import", "innerHTML", "eval(", "fetch("):
            assert forbidden not in text


def test_red_flags_stand_before_everything_else() -> None:
    flag = {"kind": "all_pass", "text": "Everything passed.", "evidence": ["30 of 30"]}
    text = page(report(row(), flags=[{**flag, "command": "voirdire lint rubric.yaml"}]))
    order = ["Everything passed.", "30 of 30", "voirdire lint rubric.yaml", "model-a</th>"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert 'id="flags"' in text[: places[0]]


def test_a_flag_with_much_evidence_says_how_much_it_leaves_out() -> None:
    evidence = [f"row {number} of many" for number in range(50)]
    flag = {"kind": "k", "text": "t", "evidence": evidence, "command": None}
    shown = read(page(report(flags=[flag]))).shown
    assert "row 19 of many" in shown
    assert "row 20 of many" not in shown
    assert "30 more are in the JSON" in shown
    assert "Settle it" not in shown


@pytest.mark.parametrize(
    ("value", "said"), [(0.0, "0%"), (0.001, "<1%"), (0.5, "50%"), (0.998, ">99%"), (1.0, "100%")]
)
def test_only_all_is_a_hundred_percent(value: float, said: str) -> None:
    line = entry(rate={"value": value, "low": 0.0, "high": 1.0})
    assert f"{said} [0%, 100%]" in read(page(report(leaderboard=[line]))).shown


def test_an_interval_is_drawn_where_it_lies() -> None:
    found = read(page(report(leaderboard=[entry()])))
    assert ("circle", {"cx": "75.0", "cy": "8", "r": "3"}) in found.tags
    drawn = [a["d"] for tag, a in found.tags if tag == "path" and a["class"] == "reach"]
    assert drawn == ["M61.0 4v8M61.0 8H85.0M85.0 4v8"]


def test_a_rate_of_no_decided_case_is_not_drawn_and_not_zero() -> None:
    nothing = entry(rate={"value": None, "low": None, "high": None}, decided=0, passed=0)
    found = read(page(report(leaderboard=[nothing])))
    assert "not known" in found.shown
    assert "circle" not in [tag for tag, _ in found.tags]


def test_a_tie_looks_like_a_tie_and_a_difference_does_not() -> None:
    lines = [entry(tie_with_next=True), entry(tie_with_next=False), entry(tie_with_next=None)]
    text = page(report(leaderboard=lines))
    assert text.count("<tr class=tie>") == 1
    assert text.count("not shown to differ</small>") == 1


def test_a_corrected_rate_is_drawn_beside_the_plain_one_or_says_why_not() -> None:
    corrected = {"value": 0.6, "low": 0.4, "high": 0.8}
    refused = {"value": None, "low": None, "high": None, "refused": "the certificate expired"}
    found = read(page(report(leaderboard=[entry(corrected=corrected), entry(corrected=refused)])))
    assert "corrected 60% [40%, 80%]" in found.shown
    assert "not corrected: the certificate expired" in found.shown
    assert sum(tag == "circle" for tag, _ in found.tags) == 3


def test_what_is_not_known_is_said_so() -> None:
    line = entry(cost=None, judge_cost=None, median_seconds=None, tokens=None)
    assert read(page(report(leaderboard=[line]))).shown.count("not known") == 4


def test_the_judges_cost_stands_where_a_judge_was_asked() -> None:
    assert "judge $0.0040" in read(page(report())).shown
    assert "judge $" not in read(page(report(leaderboard=[entry(judged=False)]))).shown


def test_what_is_not_on_the_page_is_counted() -> None:
    run = {"name": "first", "eval_id": "", "at": "", "rows": 1, "damaged": 3}
    shown = read(page(report(runs=[run], rows_left_out=12_345))).shown
    assert "1 answer, 3 damaged or repeated, and left out" in shown
    assert "12,345 more were graded" in shown


def test_reliability_is_plotted_where_verdicts_were_stated_with_confidence() -> None:
    found = read(page(full("plain")))
    plot = next(a for tag, a in found.tags if tag == "svg" and a["class"] == "plot")
    assert plot["role"] == "img"
    # One of two bins has cases: right in 70 % at a stated 97 %.
    assert ("circle", {"cx": "194.0", "cy": "60.0", "r": "9.0"}) in found.tags
    assert "90% to 100%" in found.shown
    assert "70% [40%, 100%]" in found.shown


def test_a_calibration_without_confidence_still_says_what_people_found() -> None:
    found = read(page(report(calibration=calibration())))
    assert "openai:some-judge, 2026-01-01: agreement 80%, kappa 0.50" in found.shown
    assert "fails caught 3 of 4" in found.shown
    assert "plot" not in [attributes.get("class") for _, attributes in found.tags]


def test_many_flips_are_counted_and_cut() -> None:
    flip = {"case": "c", "model": "m", "metric": "g", "before": "pass", "after": "fail"}
    flips = [{**flip, "changed": ["answer", "judge"]} for _ in range(300)]
    shown = read(page(report(compared=compared(*flips)))).shown
    assert "old → old: 300 came out otherwise, 7 as before; 2 are in one of the two alone" in shown
    assert shown.count("answer, judge") == 200
    assert "100 more are in the JSON." in shown


def test_a_judge_without_errors_has_no_table_of_them() -> None:
    kinds = [{"kind": "truncated", "count": 0, "of": 10}]
    assert "Every reply of the judge was a verdict." in page(report(kinds=kinds))
    assert "1 of 50" in read(page(report())).shown


def test_an_empty_report_is_a_page_too() -> None:
    found = read(page(report(runs=[], leaderboard=[], kinds=[])))
    assert "No row was graded." in found.shown
    assert "None was found." in found.shown


def test_what_results_come_to_is_a_page(tmp_path: Path) -> None:
    found = made.made(
        tmp_path,
        [made.row("c1", made.ours()), made.row("c2", made.ours("judge_error", "silent"))],
        [made.row("c1", made.ours("fail")), made.row("c3", made.plain())],
    )
    reader = read(page(found))
    assert rows_of(reader) == [{name: one.get(name) for name in COLUMNS} for one in found["rows"]]
    assert "1 came out otherwise" in reader.shown
    assert found["flags"][0]["text"] in reader.shown
