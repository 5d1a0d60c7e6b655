"""From a block's lines to texts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.audit.corpus.item import OWN, REFUSE, UNKNOWN, Block, Damage, Form, Item
from voirdire.audit.corpus.lines import items

FORM = Form()


def read(data: bytes, form: Form = FORM, first: int = 1) -> list[tuple[int, Item | Damage]]:
    return list(items(Block(0, "f.jsonl", first, data, form)))


def test_a_line_is_a_text_with_its_place() -> None:
    assert read(b'{"text": "a"}\n{"text": "b"}', first=7) == [
        (7, Item("a", "f.jsonl:7")),
        (8, Item("b", "f.jsonl:8")),
    ]


def test_the_users_fields_are_read() -> None:
    form = Form(text="said", intended="gold", kind="model", where="id")
    line = {"said": "x", "gold": [1], "model": "m", "id": "case-1"}
    assert read(json.dumps(line).encode(), form) == [(1, Item("x", "case-1", [1], "m"))]


@pytest.mark.parametrize("intended", [None, False, 0, "", {"a": [None]}])
def test_every_json_value_can_be_intended(intended: Any) -> None:
    data = json.dumps({"text": "x", "intended": intended}).encode()
    assert read(data) == [(1, Item("x", "f.jsonl:1", intended))]


def test_without_an_intended_value_none_is_known() -> None:
    (_, item), *_ = read(b'{"text": "x"}')
    assert isinstance(item, Item)
    assert item.intended is UNKNOWN


def test_a_text_may_intend_that_nothing_be_read() -> None:
    found = [item for _, item in read(b'{"text":"x","refuse":true}\n{"text":"x","refuse":false}')]
    assert [item.intended for item in found if isinstance(item, Item)] == [REFUSE, UNKNOWN]


def test_blank_lines_count_as_lines_but_not_as_texts() -> None:
    assert [number for number, _ in read(b'\n \r\n{"text": "a"}\r\n\n{"text": "b"}\n')] == [3, 5]


def test_a_byte_order_mark_is_taken_at_the_files_beginning_only() -> None:
    line = b'\xef\xbb\xbf{"text": "a", "kind": "k", "intended": 1}'
    assert read(line) == [(1, Item("a", "f.jsonl:1", 1, "k"))]
    assert isinstance(read(line, first=2)[0][1], Damage)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"text": "a', "not JSON"),
        (b'{"text": "\xff"}', "not UTF-8"),
        (b"[1]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
        (b'{"output": "a"}', "no field 'text'"),
        (b'{"text": null}', "no text"),
        (b'{"text": {"a": 1}}', "no text"),
        (b"[" * 100_000, "not JSON"),
        (b'{"text": ' + b"9" * 5_000 + b"}", "no"),
    ],
)
def test_a_damaged_line_is_named_and_the_next_one_is_read(line: bytes, why: str) -> None:
    (_, damage), (_, item) = read(line + b'\n{"text": "next"}\n')
    assert isinstance(damage, Damage)
    assert damage.where == "f.jsonl:1"
    assert why in damage.why
    assert item == Item("next", "f.jsonl:2")


def test_damage_is_told_by_lines_of_our_own_only() -> None:
    line = b'{"where": "p", "damage": "why"}'
    assert read(line, OWN) == [(1, Damage("p", "why"))]
    assert read(line) == [(1, Damage("f.jsonl:1", "has no field 'text'"))]


@given(st.text(st.characters()), st.booleans())
def test_a_text_comes_through_as_it_is(text: str, ascii_only: bool) -> None:
    whole = text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    text = text if ascii_only else whole
    data = json.dumps({"text": text}, ensure_ascii=ascii_only).encode()
    assert read(data) == [(1, Item(text, "f.jsonl:1"))]


@given(st.binary())
def test_any_bytes_give_texts_or_damages(data: bytes) -> None:
    lines = data.split(b"\n")
    assert [number for number, _ in read(data)] == [
        number
        for number, line in enumerate(lines, 1)
        if (line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line).strip()
    ]
