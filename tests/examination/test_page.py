"""The report card as a page: whole, its own, and never what a hostile answer makes of it."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.examination.card import card, lines
from voirdire.examination.finding import Finding
from voirdire.examination.page import page, shown

HOSTILE = [
    "</q></li></section><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><a href="javascript:alert(1)">x</a>',
    "' onmouseover='alert(1)",
    "</style><style>body{display:none}</style>",
    "<!-- ",
    "]]> <![CDATA[",
    "&lt;script&gt; &#60;b&#62;",
    "{title} {0} %s",
]
VOID = {"meta", "br", "img", "link", "input"}
OURS = set(
    "html head meta title style body header h1 p dl dt dd nav ul li a main section h2 span strong"
    " details summary table tr th td q br".split()
)


class Reader(HTMLParser):
    """Tags, attributes and text of a page; fails where a tag is not closed as it was opened."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    reader.close()
    assert reader.open == []
    return reader


def report(said: str) -> dict[str, Any]:
    """A report card with a text wherever one of somebody else's may stand."""
    figures = {
        "kinds": {said: 1},
        "share": {"count": 1, "of": 4, "rate": 0.25, "interval": [0.1, 0.6]},
        "none": {"count": 0, "of": 0, "rate": None, "interval": None},
        "models": [said],
        "budgets": {"256": {"spoke": {"count": 1, "of": 1, "rate": 1.0, "interval": [0.2, 1]}}},
        "errors": {},
        "unknown": None,
        "examples": [{"case": said, "what": said, "said": said}],
    }
    findings = [
        Finding("sight", "fail", "Asked?", said, figures, said),
        Finding("voice", "not shown", "Asked?", "Answered.", {}, ""),
    ]
    head = {"judge": said, "fingerprint": "f", "rubric": said, "cases": said, "date": said}
    return {
        **head,
        "calls": 3,
        "cost": None,
        "canned": False,
        "tool_version": said,
        **card(findings),
    }


@pytest.mark.parametrize("said", HOSTILE)
def test_a_hostile_text_is_shown_and_never_obeyed(said: str) -> None:
    found = read(page(report(said)))
    plain = read(page(report("plain")))
    assert found.tags == plain.tags
    assert {tag for tag, _ in found.tags} <= OURS
    assert found.text.count(said) == plain.text.count("plain") > 8


@given(st.text(st.characters(), min_size=1, max_size=40))
def test_no_text_changes_what_the_page_is_made_of(said: str) -> None:
    text = page(report(said))
    assert read(text).tags == read(page(report("plain"))).tags
    text.encode("utf-8")  # half a character would be a crash on writing


def test_what_hides_or_turns_round_is_spelled_out() -> None:
    assert shown("a\u202eb\x1b[31m\ud800\u200b\x00\nc") == (
        "a\\u202eb\\u001b[31m\\ud800\\u200b\\u0000\nc"
    )


def test_the_page_needs_nothing_from_elsewhere_and_runs_nothing() -> None:
    found = read(page(report("plain")))
    assert [tag for tag, _ in found.tags if tag in ("script", "link", "img", "iframe")] == []
    for tag, attributes in found.tags:
        assert {"src", "style"} & attributes.keys() == set()
        assert [name for name in attributes if name.startswith("on")] == []
        if "href" in attributes:
            assert (tag, str(attributes["href"])[0]) == ("a", "#")
    policy = next(a["content"] for t, a in found.tags if t == "meta" and "http-equiv" in a)
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    assert "url(" not in page(report("plain"))
    assert "@import" not in page(report("plain"))


def test_it_is_for_light_and_dark_for_paper_and_for_the_keyboard() -> None:
    text = page(report("plain"))
    for word in ("color-scheme: light dark", "prefers-color-scheme: dark", "@media print"):
        assert word in text
    assert ":focus-visible" in text
    found = read(text)
    ids = {attributes["id"] for _, attributes in found.tags if "id" in attributes}
    links = {str(a["href"])[1:] for t, a in found.tags if t == "a"}
    assert links == ids == {"sight", "voice"}
    # What opens and closes does so without a script.
    assert sum(tag == "details" for tag, _ in found.tags) == 2
    assert next(attributes for tag, attributes in found.tags if tag == "html") == {"lang": "en"}


def test_the_figures_are_on_the_page() -> None:
    text = read(page(report("plain"))).text
    assert "1 of 4, 25% (95 % interval 10% to 60%)" in text
    assert "budgets: 256: spoke" in text
    assert "not known" in text


def test_the_terminal_has_a_line_a_question_and_groups_what_to_do() -> None:
    findings = [
        Finding("sight", "fail", "", "Blind.", {}, "look"),
        Finding("voice", "not shown", "", "Nothing.", {}, "look"),
        Finding("form", "pass", "", "Fine.", {}, ""),
    ]
    assert lines(card(findings)) == [
        "fail      sight  Blind.",
        "not shown voice  Nothing.",
        "pass      form   Fine.",
        "",
        "What to do",
        "  sight, voice: look",
        "",
        "unfit (1 pass, 1 fail, 1 not shown)",
    ]
