"""The checks of an answer's words against the source."""

from __future__ import annotations

import pytest

from tests.checks.held import faults, of


@pytest.mark.parametrize(
    "answer",
    [
        "So it is [kb-01].",
        "So it is [kb-01, KB-02] and [refund policy].",
        "Dashes differ [kb‑01], marks too [`kb-02`] [^kb-01].",
        "A [link](https://x.example), a [side note], a [covid-19 note], [...].",
        "- [x] done\n- [ ] to do",
        "No citation.",
        '{"n": [1, 2], "tags": ["a", "b"], "sources": ["kb-01"]}',
    ],
)
def test_known_ids_and_what_is_no_citation_pass(answer: str) -> None:
    assert of(answer, "citations", True) == []


@pytest.mark.parametrize(
    "answer",
    [
        "So it is [kb-99].",
        "So it is [kb-01, kb-99].",
        "So it is [kb-01; kb-99].",
        "So it is [[kb-99]].",
        "So it is 【kb-99】.",
        "So it is [kb-99](https://x.example).",
        "So it is [see kb-99].",
        "So it is [^kb-99].",
        '{"sources": ["kb-01", "kb-99"]}',
        '{"text": "So it is [kb-99]"}',
        '{"text": "So it is \\u005bkb-99]"}',
    ],
)
def test_an_unknown_id_is_named(answer: str) -> None:
    assert of(answer, "citations", True) == ["[kb-99] is the id of no source"]


def test_citations_may_be_written_otherwise() -> None:
    value = {"pattern": r"\(source: ([^)]+)\)"}
    assert of("So (source: kb-01), [kb-99].", "citations", value) == []
    assert of("So (source: kb-99).", "citations", value) == ["[kb-99] is the id of no source"]


@pytest.mark.parametrize(
    "answer",
    [
        "See https://kitebase.example/help.",
        "See [the help](http://www.kitebase.example/help/).",
        "See kitebase.example.",
        "Write to Support@kitebase.example or [us](mailto:support@kitebase.example).",
        "Open [billing](/settings/billing), or [below](#below).",
        "Node.js/npm and/or e.g./i.e.",
    ],
)
def test_links_of_the_source_pass(answer: str) -> None:
    assert of(answer, "links", True) == []


@pytest.mark.parametrize(
    "link",
    [
        "https://kitebase.example/helpdesk",
        "https://kitebase.example.evil.example/help",
        "https://kitebase.example@evil.example/help",
        "https://kitebasе.example/help",
        "www.evil.example",
        "ssh://git.evil.example/x",
        "bit.ly/abc",
        "me@evil.example",
        "support@kitebase.example.evil.example",
    ],
)
def test_an_invented_link_is_named(link: str) -> None:
    for answer in (f"See {link} for more.", f"[here]({link})", f'{{"url": "{link}"}}'):
        (error,) = of(answer, "links", True)
        assert error == f"{link} is not in the source"


@pytest.mark.parametrize(
    "answer",
    [
        "[here](//evil.example/x)",
        "[here](evil.xyz)",
        "[here](/settings)",
        "[here](javascript:alert(1))",
        "[ref]: //evil.example/x",
        "<a href='/admin'>here</a>",
        '{"url": "https:\\/\\/evil.example\\/x"}',
        '{"url": "\\u0068ttps://evil.example/x"}',
    ],
)
def test_links_that_only_a_renderer_sees_are_links(answer: str) -> None:
    assert len(of(answer, "links", True)) == 1


ALLOWED = {"allow": ["docs.example.org"]}


@pytest.mark.parametrize(
    "answer",
    ["https://docs.example.org/x", "https://a.docs.example.org:443/", "me@DOCS.example.org"],
)
def test_an_allowed_domain_passes_with_its_subdomains(answer: str) -> None:
    assert of(answer, "links", ALLOWED) == []


@pytest.mark.parametrize(
    "answer",
    [
        "https://xdocs.example.org/",
        "https://docs.example.org@evil.example/",
        "https://docs.example.org:1@evil.example/",
        "https://evil.example/?docs.example.org",
        "https://evil.example#@docs.example.org",
        "https://evil.example\\@docs.example.org",
        "[x](javascript://docs.example.org/%0aalert(1))",
        "[x](javascript:alert('https://docs.example.org'))",
        "https://docs.example.org.evil.example",
    ],
)
def test_nothing_passes_for_an_allowed_domain(answer: str) -> None:
    assert of(answer, "links", ALLOWED) != []


@pytest.mark.parametrize(
    "answer",
    [
        "It works for half an hour.",
        "Two weeks; 9 USD monthly, from version 2.0.",
        "Until March 31, 2026.",
        "1. Ask.\n2. Wait 14 days [kb-99].",
        '{"days": 14, "text": "30 minutes\\n14 days"}',
    ],
)
def test_the_sources_numbers_pass_however_they_are_written(answer: str) -> None:
    assert of(answer, "numbers", True) == []


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ("It works for 45 minutes.", "45 minutes"),
        ("It works for 30 hours.", "30 hours"),
        ("Refunds take fifteen days.", "fifteen days"),
        ("Team is €9.", "€9"),
        ("Since version 2.1.", "2.1"),
        ("Until 1 April 2026.", "1 April 2026"),
        ("Encrypted with AES-256.", "AES-256"),
        ("Call +1 555 010 9999.", "+1 555 010 9999"),
        ('{"days": 77}', "77"),
    ],
)
def test_an_invented_number_is_named(answer: str, number: str) -> None:
    (error,) = of(answer, "numbers", True)
    assert error.startswith(f"{number} is not in the source")


def test_the_nearest_number_of_the_source_is_shown() -> None:
    assert of("It works for 45 minutes.", "numbers", True) == [
        "45 minutes is not in the source (nearest: 30 minutes)"
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "We GUARANTEE it.",
        "We **guarantee** it.",
        "We guar\u00adantee it.",
        "We ｇｕａｒａｎｔｅｅ it.",
        '{"text": "We \\u0067uarantee it."}',
    ],
)
def test_a_forbidden_phrase_is_found_however_it_is_written(answer: str) -> None:
    assert of(answer, "forbidden", ["guarantee", "as an AI"]) == ["says 'guarantee'"]


def test_a_forbidden_phrase_is_found_as_whole_words_across_lines() -> None:
    phrases = ["war", "as an AI"]
    assert of("Software, ware, as any air.", "forbidden", phrases) == []
    assert of("War!", "forbidden", phrases) == ["says 'war'"]
    assert of("I am, as\n  an “AI”, sorry.", "forbidden", phrases) == ["says 'as an AI'"]


TEXT = "It is so. It is not?\n- a third — one"


@pytest.mark.parametrize(
    ("unit", "count"), [("characters", len(TEXT)), ("words", 9), ("sentences", 3)]
)
def test_both_ends_of_a_length_are_included(unit: str, count: int) -> None:
    padded = f"\n{TEXT}  "
    assert of(padded, "length", {"min": count, "max": count, "unit": unit}) == []
    assert of(padded, "length", {"min": count + 1, "unit": unit}) == [
        f"{count} {unit}, at least {count + 1} are asked for"
    ]
    assert of(padded, "length", {"max": count - 1, "unit": unit}) == [
        f"{count} {unit}, at most {count - 1} are allowed"
    ]


@pytest.mark.parametrize("answer", ["", " \n", "\u200b\u00a0"])
def test_an_empty_answer_passes_no_check(answer: str) -> None:
    found = faults(answer, citations=True, links=True, numbers=True, forbidden=["x"],
                   length={"max": 9}, required_fields=["a"], schema={"type": "string"})  # fmt: skip
    assert len(found) == 7
    assert set(map(tuple, found.values())) == {("the answer is empty",)}


def test_an_answer_with_more_numbers_than_can_be_checked_fails() -> None:
    (error,) = of("14 days. " * 4000, "numbers", True)
    assert error.startswith("not all of it was checked: ")
