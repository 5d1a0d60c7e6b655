"""The reader of rows: quotes, order, filters, search and keys, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.chromium import Tab
from tests.report.pages import SOURCE, report, row

Show = Callable[[dict[str, Any]], Tab]

MIXED = [
    row(case="passed"),
    row(case="undecided", outcome="undecided", kind="low_confidence", model="model-b"),
    row(case="failed", outcome="fail", kind="fail", metric="tone"),
    row(case="broken", outcome="judge_error", kind="truncated", raw='{"verdict": "pa'),
    row(case="unsure", label="fail", note="It lasts an hour.", confidence=0.6),
    row(case="sure", label="fail", confidence=0.99),
    row(case="agreed", label="pass"),
]


def cases(tab: Tab) -> list[str]:
    """The cases in the list, from top to bottom."""
    found: list[str] = tab.run(
        "[...document.querySelectorAll('#list tr')].map((one) => one.cells[0].innerText)"
    )
    return found


def marked(tab: Tab, title: str) -> list[str]:
    """What is marked in a part of the open row."""
    found: list[str] = tab.run(
        f"[...document.querySelectorAll('#detail section')]"
        f".find((one) => one.querySelector('h3').innerText === {title!r})"
        ".querySelectorAll('mark').values().map((one) => one.innerText).toArray()"
    )
    return found


def opened(tab: Tab) -> str:
    """The case of the open row."""
    return str(tab.run("document.querySelector('#detail h3').innerText"))


def choose(tab: Tab, field: str, start: str) -> None:
    """Choose the first option that begins so."""
    tab.run(
        f"(() => {{ const one = document.querySelector('[data-field={field}]');"
        f" one.value = [...one.options].find((o) => o.text.startsWith({start!r})).value;"
        " one.dispatchEvent(new Event('change')); })()"
    )


def search(tab: Tab, words: str) -> None:
    """Write into the search."""
    tab.run("document.getElementById('search').select()")
    tab.call("Input.insertText", text=words)


def test_disagreements_come_first_the_surest_on_top(shown: Show) -> None:
    tab = shown(report(*MIXED))
    order = ["sure", "unsure", "broken", "failed", "undecided", "passed", "agreed"]
    assert cases(tab) == order
    assert opened(tab) == "sure"


def test_an_open_row_shows_all_that_is_known_of_it(shown: Show) -> None:
    tab = shown(report(MIXED[4]))
    text = tab.run("document.getElementById('detail').innerText")
    for part in (
        "unsure",
        "confidence 0.6",
        "Person: fail, unlike the judge",
        "It lasts an hour.",
        "How long does the link last?",
        SOURCE,
        "It lasts 30 minutes.",
        "The source says so.",
        "All criteria hold.",
        '{"verdict": "pass"}',
    ):
        assert part in text


def test_quotes_are_marked_in_source_and_answer(shown: Show) -> None:
    tab = shown(report(row(evidence=["lasts 30 minutes", "in the trash", "never said"])))
    assert marked(tab, "Source") == ["lasts 30 minutes", "in the trash"]
    assert marked(tab, "Answer") == ["lasts 30 minutes"]
    items = tab.run("[...document.querySelectorAll('#detail li')].map((one) => one.innerText)")
    assert [item.split("\n")[-1] for item in items] == [
        "in the source and the answer",
        "in the source",
        "not found in source or answer",
    ]


@pytest.mark.parametrize(
    ("source", "quote", "found"),
    [
        ("It “lasts”\n  30 Minutes – no more", "lasts 30 minutes - no more", None),
        ("a **bold** claim here", "bold claim", "bold** claim"),
        ("Rows stay 30 days in the trash.", "30 … in the trash", "30|in the trash"),
        ("It lasts 300 minutes", "30", ""),
        ("straße CAFÉ cafe\u0301 ＡＢＣ", "café abc", "cafe\u0301 ＡＢＣ"),
        ("𝐛𝐨𝐥𝐝 letters", "bold letters", "𝐛𝐨𝐥𝐝 letters"),
        ("消しゴムは三十日間残ります。", "三十日間", "三十日間"),
        ("anything at all", "...", ""),
        ("a1 a1 a1", "a1", "a1|a1|a1"),
        ("overlapping words here", "overlapping words", "overlapping words"),
    ],
)
def test_a_quote_is_found_however_it_is_written(
    shown: Show, source: str, quote: str, found: str | None
) -> None:
    tab = shown(report(row(source=source, evidence=[quote])))
    expected = source.removeprefix("It “") if found is None else found
    assert "|".join(marked(tab, "Source")) == expected


def test_quotes_that_overlap_are_one_mark(shown: Show) -> None:
    tab = shown(report(row(evidence=["reset link lasts", "lasts 30 minutes", "link"])))
    assert marked(tab, "Source") == ["reset link lasts 30 minutes"]


def test_a_row_without_source_or_reply_says_so(shown: Show) -> None:
    said = {"critique": "The same.", "reason": "The same."}
    tab = shown(report(row(source=None, raw=None, evidence=["never said"], **said)))
    text = tab.text()
    assert "The results hold no source." in text
    assert "The results hold no raw reply." in text
    assert "no source is on record" in text
    assert text.count("The same.") == 1


def test_filters_narrow_by_each_field_and_together(shown: Show) -> None:
    tab = shown(report(*MIXED))
    choose(tab, "outcome", "judge_error")
    assert cases(tab) == ["broken"] == [opened(tab)]
    assert tab.run("document.getElementById('count').innerText") == "1 of 7 rows"
    choose(tab, "model", "model-b")
    assert cases(tab) == []
    assert "No row is like that." in tab.text()
    choose(tab, "outcome", "all")
    assert cases(tab) == ["undecided"]
    tab.run("document.querySelector('[type=reset]').click()")
    tab.until("document.querySelectorAll('#list tr').length === 7")
    choose(tab, "kind", "low_confidence (1)")
    assert cases(tab) == ["undecided"]
    choose(tab, "kind", "all")
    choose(tab, "metric", "tone")
    assert cases(tab) == ["failed"]
    # One run only: there is nothing to choose.
    assert tab.run("document.querySelector('[data-field=run]').offsetParent") is None


def test_disagreements_can_be_read_alone(shown: Show) -> None:
    tab = shown(report(*MIXED))
    tab.run("document.getElementById('differing').click()")
    assert cases(tab) == ["sure", "unsure"]


def test_an_undecided_case_is_no_disagreement(shown: Show) -> None:
    tab = shown(report(row(outcome="undecided", label="fail"), row(outcome="fail", label="?")))
    tab.run("document.getElementById('differing').click()")
    assert cases(tab) == []


def test_search_looks_into_every_text_whatever_the_case(shown: Show) -> None:
    tab = shown(report(*MIXED))
    search(tab, "AN HOUR")
    assert cases(tab) == ["unsure"]
    search(tab, '"pa')
    assert "broken" in cases(tab)
    search(tab, "trash")
    assert len(cases(tab)) == 7
    search(tab, "not there")
    assert cases(tab) == []


def test_keys_go_from_row_to_row(shown: Show) -> None:
    tab = shown(report(*MIXED))
    seen = []
    for key in ("j", "j", "ArrowDown", "ArrowUp", "k", "End", "j", "Home", "k"):
        tab.press(key)
        seen.append(opened(tab))
    assert seen == (
        ["unsure", "broken", "failed", "broken", "unsure", "agreed", "agreed", "sure", "sure"]
    )
    assert tab.run("document.activeElement.cells[0].innerText") == "sure"
    assert tab.run("document.activeElement.getAttribute('aria-selected')") == "true"
    assert tab.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_slash_searches_and_letters_then_are_only_letters(shown: Show) -> None:
    tab = shown(report(*MIXED))
    for key in "/jk":
        tab.press(key)
    assert tab.run("document.activeElement.id") == "search"
    assert tab.run("document.getElementById('search').value") == "jk"
    search(tab, "hour")
    tab.press("Escape")
    assert tab.run("document.activeElement.cells[0].innerText") == "unsure"
    assert tab.run("document.getElementById('search').value") == "hour"


def test_a_row_that_is_clicked_opens(shown: Show) -> None:
    tab = shown(report(*MIXED))
    tab.click("document.querySelectorAll('#list tr')[3].cells[1]")
    assert opened(tab) == "failed"


def test_the_open_row_stays_open_through_a_filter(shown: Show) -> None:
    tab = shown(report(*MIXED))
    tab.press("j")
    tab.press("End")
    search(tab, "minutes")
    assert opened(tab) == "agreed"


def test_rows_are_drawn_a_page_at_a_time_and_keys_turn_the_page(shown: Show) -> None:
    tab = shown(report(*[row(case=f"case {number}") for number in range(250)]))
    assert len(cases(tab)) == 100
    tab.press("j")
    tab.press("k")
    for _ in range(2):
        tab.press("PageDown")
    assert opened(tab) == "case 200"
    assert cases(tab) == [f"case {number}" for number in range(200, 250)]
    tab.press("k")
    assert (opened(tab), cases(tab)[0]) == ("case 199", "case 100")
    tab.click("document.getElementById('forth')")
    assert "Page 3 of 3" in tab.text()
    assert tab.run("document.getElementById('forth').disabled")
