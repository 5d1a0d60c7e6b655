"""Cutting an answer into sentences and list items."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.sentences import pieces


def cut(text: str) -> list[str]:
    return [piece.text for piece in pieces(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Okafor sees Mr. Meier and Prof. J. Ashby today.",
        "Use v2.3.1 or 3.5, e.g. on Linux, i.e. not on Windows.",
        "The U.S. office of Acme Inc. opens at 9 a.m. on Monday.",
        "See No. 5 and Fig. 3 in vol. 2.",
        "Write to a.b@c.example or see https://a.example/x.y?z=1!",
        "Wait ... and then go on.",
        "She said yes! and left.",
    ],
)
def test_a_stop_inside_a_sentence_does_not_end_it(text: str) -> None:
    assert cut(text) == [text]


def test_sentences_end_at_their_stops_with_what_closes_them() -> None:
    assert cut('It is "done." Next one! Really? (Yes.) 5 follow.') == [
        'It is "done."',
        "Next one!",
        "Really?",
        "(Yes.)",
        "5 follow.",
    ]
    assert cut("The answer is no. The U.S. It is so. 你好。世界。") == [
        "The answer is no.",
        "The U.S.",
        "It is so.",
        "你好。",
        "世界。",
    ]


def test_list_items_headings_and_rows_are_pieces_of_their_own() -> None:
    text = (
        "# Refund policy\nRead this:\n- one thing\n* another\n• third\n"
        "1. First. And more\n2) Second\n\n| Plan | Seats |\n|---|---|\n| Solo | 1 |\n> quoted"
    )
    assert cut(text) == [
        "Refund policy", "Read this:", "one thing", "another", "third", "1. First.", "And more",
        "2) Second", "Plan | Seats", "Solo | 1", "quoted",
    ]  # fmt: skip


def test_a_wrapped_line_goes_on_with_its_sentence() -> None:
    assert cut("It goes\non here.\nNew line") == ["It goes\non here.", "New line"]
    long = "This sentence is long enough to have been wrapped by an editor at"
    assert cut(f"{long}\nBerlin or so.") == [f"{long}\nBerlin or so."]


def test_a_code_block_is_one_piece() -> None:
    assert cut("Run:\n```sh\na. B. c\n\nd\n```\nDone.") == [
        "Run:",
        "```sh\na. B. c\n\nd\n```",
        "Done.",
    ]
    assert cut("```\nnever closed. So") == ["```\nnever closed. So"]


def test_the_body_leaves_out_a_list_number() -> None:
    (piece,) = pieces("12. Open it")
    assert piece.text == "12. Open it"
    assert piece.body == "Open it"
    assert pieces("2026 was good")[0].body == "2026 was good"


MARKUP = [
    "\n", "\r\n", ". ", "! ", "# ", "- ", "1. ", "a) ", "|", "| a | b |\n", "```", "~~~", "> ",
    "e.g. ", "U.S. ", "。", "…", '"', "Word", "word", "5", " ", "\t", "\u00a0", "**", "(", "[x] ",
]  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.sampled_from(MARKUP), max_size=60).map("".join)))
@settings(max_examples=500, deadline=None)
def test_no_letter_or_digit_falls_between_pieces(text: str) -> None:
    at = 0
    for piece in pieces(text):
        assert piece.start >= at
        assert piece.text == text[piece.start : piece.end]
        assert any(char.isalnum() for char in piece.text)
        assert not any(char.isalnum() for char in text[at : piece.start])
        at = piece.end
    assert not any(char.isalnum() for char in text[at:])
