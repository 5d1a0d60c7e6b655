"""Texts wrapped and damaged the way models do it, and what they intend."""

from __future__ import annotations

import ast
import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.audit.corpus.item import REFUSE, UNKNOWN
from voirdire.audit.mutate import MUTATIONS, Intends, Mutant, mutations
from voirdire.audit.mutate.base import mutation
from voirdire.audit.value import same
from voirdire.strictjson import parse

RICH = [
    '{"pass": true, "score": 0.5, "reason": "It\'s a \\"good\\" one, 3/4.", "sub": {"x": null}}',
    '{"name_1": "x_y/z", "b": 3, "c": [1, {"d": -2}]}',
    '[{"a": "b c"}, {"a": "d"}]',
    '{\n  "b": 3\n}\n',
]


def bases(*texts: str) -> list[tuple[str, Any]]:
    return [(text, json.loads(text)) for text in texts]


def by(name: str, *texts: str, at_most: int = 12) -> list[Mutant]:
    """The first mutants of one name."""
    every = mutations(bases(*texts), 40 * len(MUTATIONS), 1)
    return list(islice((m for m in every if m.name == name), at_most))


def test_there_are_many_mutations_and_each_says_why() -> None:
    assert len(MUTATIONS) >= 100
    assert all(each.why for each in MUTATIONS.values())
    assert {each.intends for each in MUTATIONS.values()} == set(Intends)


def test_no_two_mutations_have_one_name() -> None:
    with pytest.raises(ValueError, match="'truncated'"):
        mutation("truncated", Intends.NOTHING, "again")(lambda base, draw: None)


def test_every_mutation_is_reached_as_soon_as_there_are_as_many_texts() -> None:
    made = mutations(bases(*RICH), len(MUTATIONS), 5)
    assert [mutant.name for mutant in made] == list(MUTATIONS)


def test_the_same_arguments_give_the_same_texts_and_a_smaller_count_their_beginning() -> None:
    def run(count: int, seed: int) -> list[Mutant]:
        return list(mutations(bases(*RICH), count, seed))

    assert run(500, 3) == run(500, 3)
    assert run(50, 3) == run(500, 3)[:50]
    assert run(50, 3) != run(50, 4)
    assert run(0, 3) == []


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_texts_do_not_depend_on_the_hash_seed(hash_seed: str) -> None:
    code = (
        "import json, sys; from voirdire.audit.mutate import mutations\n"
        "bases = [(text, json.loads(text)) for text in json.loads(sys.argv[1])]\n"
        "print(json.dumps([m.text for m in mutations(bases, 300, 7)]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(RICH)],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout) == [m.text for m in mutations(bases(*RICH), 300, 7)]


def test_no_text_comes_twice_and_the_end_comes_when_there_are_no_new_ones() -> None:
    texts = [mutant.text for mutant in mutations(bases('{"a": 1}'), 1_000_000, 1)]
    assert len(MUTATIONS) / 2 < len(texts) == len(set(texts)) < 10_000


def test_a_mutation_that_suits_no_base_is_passed_over() -> None:
    names = {mutant.name for mutant in mutations(bases('{"a": "b"}', "[]"), 2_000, 1)}
    assert "json fence" in names
    assert not names & {"NaN for a number", "Python literals", "escaped slashes", "missing comma"}


def test_each_mutant_says_which_base_it_was_made_from() -> None:
    given_bases = [("no JSON", None), *bases(*RICH)]
    for mutant in mutations(given_bases, 200, 1):
        if MUTATIONS[mutant.name].intends is Intends.BASE:
            assert same(mutant.intended, given_bases[mutant.base][1])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("so it goes", "so it goes"),
        ("12", 12),
        ('```\n{"a": 1}\n```', {"a": 1}),
        ('{"a": 1}', {"a": 2}),
        ('{"a": NaN}', {"a": float("nan")}),
        ('{"a": 1, "a": 1}', {"a": 1}),
        ('{"a": "\\ud83d"}', {"a": "\ud83d"}),
        ("[" * 80 + "]" * 80, json.loads("[" * 80 + "]" * 80)),
        ('{"a": ' + "9" * 5_000 + "}", {"a": 9}),
    ],
)
def test_what_is_not_sound_json_of_its_value_is_no_base(text: str, value: Any) -> None:
    assert list(mutations([(text, value)], 10, 1)) == []


def test_a_wrapped_text_holds_the_base_as_it_was() -> None:
    text = '{"a": "@ and % stay", "b": 3}'
    names = {
        name
        for name, each in MUTATIONS.items()
        if each.make.__module__ == "voirdire.audit.mutate.around"
    }
    made = [m for m in mutations(bases(text), 1_000, 1) if m.name in names]
    assert {mutant.name for mutant in made} == names
    assert all(mutant.text.count(text) == 1 for mutant in made)


@pytest.mark.parametrize("name", [name for name in MUTATIONS if name.startswith("truncated")])
def test_what_is_truncated_cannot_be_read_from_its_first_bracket(name: str) -> None:
    made = by(name, *RICH)
    assert made
    for mutant in made:
        assert mutant.intended is REFUSE
        with pytest.raises(json.JSONDecodeError):
            json.JSONDecoder().raw_decode(re.sub(r"\A[^{\[]*", "", mutant.text))


@pytest.mark.parametrize(
    "name", ["draft, then the final object", "draft in thinking", "two different objects"]
)
def test_a_draft_is_another_value_of_the_same_keys(name: str) -> None:
    decode = json.JSONDecoder().raw_decode
    for mutant in by(name, RICH[0]):
        places = [place.start() for place in re.finditer(r'\{"pass"', mutant.text)]
        values = [decode(mutant.text, place)[0] for place in places]
        assert len(values) == 2
        assert values[0] != values[1]
        assert values[0].keys() == values[1].keys()
        assert json.loads(RICH[0]) in values


# How a patient reader takes a damage back.
UNDONE: dict[str, Callable[[str], Any]] = {
    "single quotes": lambda t: json.loads(re.sub(r"'((?:[^'\\]|\\.)*)'", _double, t)),
    "single quotes around keys": lambda t: json.loads(re.sub(r"'(\w+)'(?=:)", r'"\1"', t)),
    "Python literals": ast.literal_eval,
    "Python repr": ast.literal_eval,
    "unquoted keys": lambda t: json.loads(re.sub(r"(?<=[{ ])(\w+)(?=:)", r'"\1"', t)),
    "smart quotes": lambda t: json.loads(re.sub("[“”„]", '"', t)),
    "line comment": lambda t: json.loads(re.sub(r"(//|#) .*\n", "", t)),
    "block comment": lambda t: json.loads(re.sub(r"/\*.*?\*/", "", t)),
    "comment at the end": lambda t: json.loads(re.sub(r"(//|#) .*\n|/\*.*?\*/", "", t)),
    "missing comma": lambda t: json.loads(re.sub(r"\n (?=[\"{])", ",", t)),
    "two commas": lambda t: json.loads(t.replace(",,", ",")),
    "semicolons for commas": lambda t: json.loads(t.replace(";", ",")),
    "trailing comma": lambda t: json.loads(re.sub(r",(?=\s*[}\]])", "", t)),
    "equals signs for colons": lambda t: json.loads(re.sub(" =>?", ":", t)),
    "full-width marks": lambda t: json.loads(t.replace("：", ":").replace("，", ",")),
    "plus sign": lambda t: json.loads(t.replace("+", "")),
    "leading zero": lambda t: json.loads(re.sub(r" 0(?=[1-9])", " ", t)),
    "no digit before the point": lambda t: json.loads(t.replace(" .", " 0.")),
    "superfluous backslash": lambda t: json.loads(re.sub(r"\\(?![\\/\"bfnrtu])", "", t)),
    "unescaped quotes": lambda t: json.loads(t.replace('"good"', '\\"good\\"')),
    "duplicate key, the same value": json.loads,
    "one bracket too many": lambda t: json.loads(t.rstrip()[:-1]),
    "NBSP indentation": lambda t: json.loads(t.replace("\u00a0", " ")),
    "zero-width characters between tokens": lambda t: json.loads(
        re.sub("[\u200b\u2060\ufeff]", "", t)
    ),
    "block quotation": lambda t: json.loads(re.sub(r"(?m)^> ", "", t)),
    "escaped quotes": lambda t: json.loads(json.loads(f'"{t}"')),
    "doubled braces": lambda t: json.loads(t.replace("{{", "{").replace("}}", "}")),
    "HTML entities": lambda t: json.loads(html.unescape(t)),
}
INSIDE = ("voirdire.audit.mutate.damage", "voirdire.audit.mutate.rewrite")


def _double(found: re.Match[str]) -> str:
    return '"' + found[1].replace("\\'", "'").replace('"', '\\"') + '"'


def _is_damage(mutant: Mutant) -> bool:
    mutation = MUTATIONS[mutant.name]
    is_inside = mutation.make.__module__ in INSIDE or mutant.name == "one bracket too many"
    return is_inside and mutation.intends is Intends.BASE and bool(parse(mutant.text)[1])


def test_from_every_damage_that_intends_its_base_a_patient_reader_gets_it_back() -> None:
    texts = [
        '{"pass": true, "score": 0.5, "reason": "It\'s a \\"good\\" one.", "x": null}',
        '{"name_1": "x_y", "b": 3, "c": [{"d": -2}]}',
        '{"name": "plain", "b": 3}',
    ]
    taken_back = set()
    for mutant in mutations(bases(*texts), 3_000, 2):
        if _is_damage(mutant):
            if mutant.name == "Python literals" and '"x": null' not in texts[mutant.base]:
                continue
            assert same(UNDONE[mutant.name](mutant.text), mutant.intended), mutant
            taken_back.add(mutant.name)
    assert taken_back == set(UNDONE)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8"), max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=5), inner, max_size=4)
    ),
    max_leaves=10,
)


@settings(max_examples=50)
@given(
    st.lists(st.tuples(_JSON, st.sampled_from([None, 2]), st.booleans()), max_size=3), st.integers()
)
def test_whatever_the_bases_what_is_strict_json_by_itself_intends_what_it_says(
    made: list[tuple[Any, int | None, bool]], seed: int
) -> None:
    given_bases = [
        (json.dumps(value, indent=indent, ensure_ascii=ascii_only), value)
        for value, indent, ascii_only in made
    ]
    for mutant in mutations(given_bases, 150, seed):
        text, value = given_bases[mutant.base]
        assert mutant.text != text
        if MUTATIONS[mutant.name].intends is Intends.BASE:
            assert mutant.intended is value
        whole, fault = parse(mutant.text)
        if not fault:
            assert mutant.intended is not REFUSE
            assert mutant.intended is UNKNOWN or same(whole, mutant.intended)
