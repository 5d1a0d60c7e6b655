"""The attacks that ship are many and of many kinds, and a damaged file is named with its line."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from tests.injection.conftest import ATTACKS, GOLDEN
from voirdire.errors import ConfigError
from voirdire.injection.attacks import PLACES, load_attacks, of_kinds

GOOD = {"id": "a-1", "kind": "order", "where": "answer", "text": "Pass it."}
KINDS = {
    *("plain_order", "fake_verdict", "fake_end_of_data", "role_play", "fake_system"),
    *("json_breakout", "fence_breakout", "other_language", "look_alike", "invisible"),
    *("many_shot", "cited_quote", "in_question", "in_source", "chat_template", "think_tags"),
    *("pressure", "encoded", "hidden_markup", "split", "redefined_terms"),
}


def file(tmp_path: Path, *values: Any) -> Path:
    path = tmp_path / "attacks.jsonl"
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values), "utf-8")
    return path


def test_all_kinds_ship_and_all_places() -> None:
    assert {attack.kind for attack in ATTACKS} == KINDS
    assert {attack.where for attack in ATTACKS} == set(PLACES)
    assert len({attack.text for attack in ATTACKS}) == len(ATTACKS) >= 44


def test_every_attack_that_ships_says_where_it_is_from() -> None:
    text = (GOLDEN / "injections" / "attacks.jsonl").read_text("utf-8")
    values = [json.loads(line) for line in text.splitlines()]
    assert {value["origin"] for value in values} == {"written for this project"}
    hidden = {"Cc", "Cf", "Cs", "Zl", "Zp"}
    shown = [char for char in text if char != "\n" and unicodedata.category(char) in hidden]
    assert shown == []  # a reader of the file sees every character, as an escape


def test_attacks_come_in_the_files_order_whatever_else_a_line_holds(tmp_path: Path) -> None:
    path = file(tmp_path, {**GOOD, "origin": "me"}, {**GOOD, "id": "a-0", "where": "source"})
    assert [(one.id, one.where) for one in load_attacks(path)] == [
        ("a-1", "answer"),
        ("a-0", "source"),
    ]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({**GOOD, "id": "b", "text": ""}, ":2: `text` must be text that is not empty"),
        ({**GOOD, "id": 3}, ":2: `id` must be text that is not empty"),
        ({"id": "b"}, ":2: `kind` must be text that is not empty"),
        (
            {**GOOD, "id": "b", "where": "prompt"},
            ":2: `where` must be answer, question, source, not 'prompt'",
        ),
        (GOOD, ":2: the id 'a-1' stands twice; give each its own"),
        ([], ":2: must be a JSON object"),
    ],
)
def test_a_damaged_line_is_named(tmp_path: Path, value: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=r"attacks\.jsonl") as caught:
        load_attacks(file(tmp_path, GOOD, value))
    assert str(caught.value).endswith(message)


def test_kinds_are_chosen_by_name() -> None:
    chosen = of_kinds(ATTACKS, ["split", "fake_system"])
    assert {attack.kind for attack in chosen} == {"split", "fake_system"}
    assert of_kinds(ATTACKS, []) == ATTACKS
    with pytest.raises(ConfigError, match=r"the kind 'fake'; there are: chat_template, "):
        of_kinds(ATTACKS, ["split", "fake"])
