"""A rubric that is wrong says in which file, on which line and in which field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from voirdire.errors import ConfigError
from voirdire.rubric import DEFAULT_THRESHOLD, Rubric, load_rubric, rubric_from_mapping

BASE = "name: support\ncriteria:\n  grounded: Is it so?\n"
CLAIMS = "name: resume\nmode: claims\n"
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


def load(folder: Path, content: str | bytes) -> Rubric:
    path = folder / "rubric.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_rubric(path)


def test_a_rubric_by_criteria(tmp_path: Path) -> None:
    rubric = load(
        tmp_path, BASE + "  answers: Does it answer?\nrules: |\n  Be fair.\nthreshold: 0.8\n"
    )
    assert rubric == Rubric(
        "support", {"grounded": "Is it so?", "answers": "Does it answer?"}, "Be fair.", 0.8
    )
    assert rubric.criterion_names == ("grounded", "answers")


def test_a_rubric_by_claims(tmp_path: Path) -> None:
    rubric = load(tmp_path, CLAIMS + "ignore: [Hello, 'Bye!']\n")
    assert rubric.criterion_names == ()
    assert rubric.ignore == ("Hello", "Bye!")
    assert rubric.threshold == DEFAULT_THRESHOLD


@pytest.mark.parametrize(
    "content",
    ["\ufeff" + BASE, BASE.replace("\n", "\r\n"), BASE + "# end", "---\n" + BASE],
    ids=["byte order mark", "CRLF", "comment", "document mark"],
)
def test_harmless_differences(tmp_path: Path, content: str) -> None:
    assert load(tmp_path, content) == load(tmp_path, BASE)


def test_anchors_may_be_used(tmp_path: Path) -> None:
    rubric = load(tmp_path, "name: &n same\ncriteria: {a: *n, b: *n}\n")
    assert rubric.criteria == {"a": "same", "b": "same"}


FAULTS = {
    "name missing": ("criteria: {a: b}\n", 1, "name: is missing"),
    "name null": ("criteria: {a: b}\nname:\n", 2, "name: is missing"),
    "name empty": ("name: ' '\ncriteria: {a: b}\n", 1, "name: must be text"),
    "name a number": ("name: 3\ncriteria: {a: b}\n", 1, "name: must be text"),
    "name a date": ("name: 2026-01-01\ncriteria: {a: b}\n", 1, "name: must be text"),
    "criteria missing": ("name: a\n", 1, "criteria: is missing"),
    "criteria null": ("name: a\ncriteria:\n", 2, "criteria: is missing"),
    "criteria a list": ("name: a\ncriteria:\n- b\n", 2, "criteria: must map"),
    "criteria empty": ("name: a\ncriteria: {}\n", 2, "criteria: must map"),
    "criterion yes": ("name: a\ncriteria:\n  yes: b\n", 3, "criteria.yes: YAML reads this key"),
    "criterion on": ("name: a\ncriteria:\n  on: b\n", 3, "criteria.on: YAML reads this key"),
    "criterion a number": ("name: a\ncriteria:\n  1: b\n", 3, "criteria.1: YAML reads this key"),
    "criterion no name": (BASE + "  is it: b\n", 4, "criteria: 'is it' is no name"),
    "criterion too long": (BASE + f"  {'x' * 65}: b\n", 4, "criteria: 'xxxx"),
    "criterion without question": (BASE + "  b:\n", 4, "criteria.b: must be a yes/no question"),
    "criterion true": (BASE + "  b: yes\n", 4, "criteria.b: must be a yes/no question"),
    "criterion twice": (BASE + "  grounded: c\n", 4, "criteria.grounded: stands twice"),
    "field twice": (BASE + "name: c\n", 4, "name: stands twice"),
    "unknown field": (BASE + "treshold: 1\n", 4, "unknown field `treshold`"),
    "rules a list": (BASE + "rules: [a]\n", 4, "rules: must be text"),
    "rules binary": (BASE + "rules: !!binary aGk=\n", 4, "rules: must be text"),
    "threshold high": (BASE + "threshold: 1.01\n", 4, "threshold: must be a number"),
    "threshold low": (BASE + "threshold: -0.1\n", 4, "threshold: must be a number"),
    "threshold true": (BASE + "threshold: true\n", 4, "threshold: must be a number"),
    "threshold NaN": (BASE + "threshold: .nan\n", 4, "threshold: must be a number"),
    "threshold infinite": (BASE + "threshold: .inf\n", 4, "threshold: must be a number"),
    "threshold text": (BASE + "threshold: '0.9'\n", 4, "threshold: must be a number"),
    "threshold null": (BASE + "threshold:\n", 4, "threshold: must be a number"),
    "mode unknown": (BASE + "mode: fast\n", 4, "mode: must be `criteria` or `claims`"),
    "mode a list": (BASE + "mode: [claims]\n", 4, "mode: must be `criteria` or `claims`"),
    "claims with criteria": (BASE + "mode: claims\n", 2, "criteria: a rubric in claim mode"),
    "criteria with ignore": (BASE + "ignore: [a]\n", 4, "ignore: only a rubric with"),
    "ignore text": (CLAIMS + "ignore: a\n", 3, "ignore: must be a list"),
    "ignore holds a number": (CLAIMS + "ignore:\n- a\n- 3\n", 5, "ignore: each line must be text"),
    "ignore holds nothing": (CLAIMS + "ignore:\n- a\n-\n", 5, "ignore: each line must be text"),
    "a list": ("- a\n", 1, "a rubric is a mapping"),
    "a word": ("a\n", 1, "a rubric is a mapping"),
    "tab": ("name: a\ncriteria:\n\tb: c\n", 3, "not valid YAML"),
    "quote left open": ("name: 'a\n", 2, "not valid YAML"),
    "control character": (BASE + 'rules: "\0"\n', 4, "not valid YAML"),
    "surrogate": (BASE + 'rules: "\\ud800"\n', 4, "not valid YAML"),
    "no such date": (BASE + "rules: 2026-13-45\n", 4, "not valid YAML"),
    "number of 5,000 digits": (BASE + f"threshold: {'9' * 5000}\n", 4, ""),
    "Python object": (BASE + "rules: !!python/object:os.system x\n", 4, "not valid YAML"),
    "merge key": ("x: &x {a: b}\nname: a\ncriteria: {<<: *x}\n", 3, "not valid YAML"),
    "list as key": ("? [a]\n: b\n", 1, "a key must be text, not a sequence"),
    "two documents": (BASE + "---\n" + BASE, 4, "not valid YAML"),
    "alias bomb": (BOMB, 1, "too large or too deep"),
    "alias of itself": ("a: &a [*a]\n", 1, "too large or too deep"),
    "too deep": ("name: a\ncriteria: " + "[" * 500 + "]" * 500, 2, "too large or too deep"),
    "far too deep": ("name: a\ncriteria: " + "[" * 50_000, 2, "not valid YAML"),
    "too many": (CLAIMS + "ignore:\n" + "- x\n" * 30_000, 20_000, "too large or too deep"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_mistake_is_named_with_file_line_and_field(tmp_path: Path, name: str) -> None:
    content, line, words = FAULTS[name]
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, content)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'rubric.yaml'}:{line}: {words}")
    assert message.count("\n") == 0


@pytest.mark.parametrize("slow", [False, True])
@pytest.mark.parametrize(
    ("content", "mend"),
    [
        ("name: a\ncriteria:\n\tb: c\n", "indent with spaces, not with a tab"),
        ("name: a\ncriteria:\n  b: c\n\td: e\n", "indent with spaces, not with a tab"),
        ("name: a\ncriteria:\n  b: Is it: yes?\n", "put a text with a colon in quotation marks"),
    ],
)
def test_the_mistakes_that_yaml_does_not_explain_are_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, mend: str, slow: bool
) -> None:
    if slow:
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    with pytest.raises(ConfigError, match=mend):
        load(tmp_path, content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty; write the rubric into it"),
        (b" \n\n", "is empty; write the rubric into it"),
        (b"# nothing\n", "a rubric is a mapping"),
        (b"name: \xff\n", "not UTF-8 text (byte 6); save the rubric as UTF-8"),
        (BASE.encode("utf-16"), "not UTF-8 text (byte 0)"),
    ],
)
def test_a_file_without_a_rubric_is_named(tmp_path: Path, content: bytes, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, content)
    assert str(caught.value).startswith(f"{tmp_path / 'rubric.yaml'}: {words}")


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none.yaml: no such file; give the path of the rubric"):
        load_rubric(tmp_path / "none.yaml")
    with pytest.raises(ConfigError, match="is a folder; give the path of the rubric file"):
        load_rubric(tmp_path)


def test_mistakes_are_named_by_the_slow_reader_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert load(tmp_path, BASE).name == "support"
    for content in (
        BASE + "threshold: 2\n",
        BASE + 'rules: "\0"\n',
        "name: a\ncriteria: {yes: b}\n",
    ):
        with pytest.raises(ConfigError, match=r"rubric\.yaml:\d: "):
            load(tmp_path, content)
    with pytest.raises(ConfigError, match="not valid YAML"):
        load(tmp_path, "name: a\ncriteria: " + "[" * 5000)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "vars: a rubric is a mapping"),
        ({"name": "a", "criteria": {True: "b"}}, "vars: criteria: True is no name"),
        ({"name": "a", "criteria": {"b": 1}}, "vars: criteria.b: must be a yes/no question"),
        ({"name": "a", "criteria": {"b": "c"}, 3: 4}, "vars: unknown field `3`"),
    ],
)
def test_an_inline_rubrics_mistake_is_named(value: Any, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        rubric_from_mapping(value, "vars")
    assert str(caught.value).startswith(words)


def test_version_changes_with_every_part_and_with_nothing_else(tmp_path: Path) -> None:
    one = Rubric("a", {"b": "c", "d": "e"})
    others = [
        Rubric("A", {"b": "c", "d": "e"}),
        Rubric("a", {"b": "C", "d": "e"}),
        Rubric("a", {"d": "e", "b": "c"}),
        Rubric("a", {"b": "c"}),
        Rubric("a", {"b": "c", "d": "e"}, "rules"),
        Rubric("a", {"b": "c", "d": "e"}, threshold=0.8),
        Rubric("a", {"b": "c", "d": "e"}, ignore=("x",)),
    ]
    assert len({one.version, *(other.version for other in others)}) == 1 + len(others)
    loaded = load(tmp_path, "criteria: {b: c, d: e}\nname: a  # a comment\n")
    assert loaded.version == one.version
