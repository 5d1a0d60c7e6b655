"""The schemas say what the readers say, as far as a schema can."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from referencing import Registry, Resource

from voirdire import doorconfig
from voirdire.calibration.cases import load_cases
from voirdire.checks import config as checks
from voirdire.doctor.suitefile import _read_pairwise
from voirdire.doorconfig import read_config
from voirdire.doorinput import read_sources
from voirdire.errors import ConfigError
from voirdire.judges.settings import (
    _OWN_FIELDS,
    _OWN_SETTINGS,
    JudgeSettings,
    read_settings,
)
from voirdire.minima import COUNTS, COVERAGE, MEASURES
from voirdire.promptfoo import pairwise
from voirdire.rubric import rubric_from_mapping
from voirdire.schemas import FOLDER, SCHEMAS, schema
from voirdire.source import Source

ROOT = Path(__file__).resolve().parent.parent.parent
FILES = {path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}
RUBRICS = sorted(
    path for path in ROOT.glob("**/rubric*.yaml") if {"golden", "examination"} & set(path.parts)
)
CASES = [ROOT / "golden/kitebase/cases.jsonl", ROOT / "voirdire/examination/data/cases.jsonl"]

REGISTRY: Any = Registry().with_resources(
    [(f"{name}.json", Resource.from_contents(contents)) for name, contents in FILES.items()]
)


VALIDATORS = {
    name: jsonschema.Draft202012Validator(contents, registry=REGISTRY)
    for name, contents in FILES.items()
}


def accepts(name: str, value: Any) -> bool:
    """Whether the file of this name, which refers to the others, accepts a value."""
    return bool(VALIDATORS[name].is_valid(value))


def any_of(*values: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(values)


def changed(
    bases: Sequence[dict[str, Any]], fields: Mapping[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[dict[str, Any]]:
    """One of the bases, with up to two fields left out or set: a fault stands alone, mostly."""

    @st.composite
    def drawn(draw: st.DrawFn) -> dict[str, Any]:
        value = dict(draw(st.sampled_from(bases)))
        for name in draw(st.lists(st.sampled_from(sorted(fields)), max_size=2, unique=True)):
            if draw(st.integers(0, 5)) == 0:
                value.pop(name, None)
            else:
                value[name] = draw(fields[name])
        return value

    return drawn()


ODD = any_of(None, True, 0, -1, 2.5, "", " ", "words", [], ["a"], [" "], [1], {}, {"a": "b"})


def mostly(*values: Any) -> st.SearchStrategy[Any]:
    """One of these values, or else one that may be anything."""
    return st.one_of(any_of(*values), any_of(*values), ODD)


RUBRIC = changed(
    [
        {"name": "r", "criteria": {"grounded": "Is it?"}},
        {"name": "r", "mode": "claims", "ignore": ["Hello."]},
    ],
    {
        "name": mostly("r"),
        "mode": mostly("criteria", "claims"),
        "criteria": mostly(
            {"grounded": "Is it?"},
            {"a-1": "Is it?", "_b": "Or not?"},
            {"1a": "Is it?"},
            {"a\n": "Is it?"},
            {"a" * 64: "?"},
            {"a" * 65: "?"},
            {"a": " "},
        ),
        "rules": mostly("Be strict."),
        "threshold": mostly(0, 1, 0.9, 1.1, -0.1),
        "ignore": mostly([], ["Hello."], ["Hello.", 3]),
        "unknown": ODD,
    },
)


@settings(max_examples=400, deadline=None)
@given(RUBRIC | ODD)
def test_the_rubrics_schema_accepts_what_its_reader_accepts(value: Any) -> None:
    try:
        rubric_from_mapping(value, "here")
        taken = True
    except ConfigError:
        taken = False
    assert accepts("rubric", value) == taken


NO_EXCERPTS: tuple[Any, ...] = (
    {"id": "a"},
    {"text": "30 minutes"},
    {"id": " ", "text": "30 minutes"},
    {"id": 3, "text": "30 minutes"},
    {"id": "a", "text": " "},
    {"id": "a", "text": 30},
    {"id": "a", "text": "30 minutes", "title": 3},
)
DECISION = mostly("pass", "fail", "PASS", " True ", "false", True, False, None, "passed")
CASE = changed(
    [
        {"id": "c1", "answer": "30 minutes", "label": "pass"},
        {"id": "c1", "answer": "30 minutes", "criteria": {"a": True}},
        {"id": "c1", "answer": "30 minutes", "label": "pass", "source_file": "source.md"},
        {"id": "c1", "answer": "30 minutes", "label": "fail", "criteria": {"a": False}},
    ],
    {
        "id": mostly("c1", 7),
        "answer": mostly("It lasts 30 minutes."),
        "question": mostly("How long?"),
        "label": DECISION,
        "criteria": st.one_of(
            st.dictionaries(any_of("a", "b"), DECISION, max_size=2), any_of(None, [], "a", 3)
        ),
        "label_2": DECISION,
        "note": mostly("so"),
        "second": DECISION,
        "tags": mostly(["a", "b"], "a;b"),
        "model": mostly("m"),
        "source": mostly(
            "30 minutes",
            [{"id": "a", "text": "30 minutes", "title": None}],
            *([excerpt] for excerpt in NO_EXCERPTS),
        ),
        "source_file": any_of(None, "source.md", "source.md", 3),
        "unknown": ODD,
    },
)


def is_lenient(value: Mapping[str, Any]) -> bool:
    """Whether the reader may take what the schema refuses."""
    other_words_for_none = not value.get("tags", True) and value["tags"] != []
    return other_words_for_none or {"second", "label_2"} <= set(value)  # then one is not looked at


@settings(max_examples=400, deadline=None)
@given(CASE)
def test_the_cases_schema_accepts_what_their_reader_accepts(
    tmp_path_factory: pytest.TempPathFactory, value: dict[str, Any]
) -> None:
    folder = tmp_path_factory.getbasetemp()
    (folder / "source.md").write_text("30 minutes", encoding="utf-8")
    (folder / "cases.jsonl").write_text(json.dumps(value) + "\n", encoding="utf-8")
    try:
        load_cases(folder / "cases.jsonl", sources=(Source("s", "30 minutes"),))
        taken = True
    except ConfigError:
        taken = False
    said = accepts("case", value)
    if is_lenient(value):
        assert taken or not said
    else:
        assert said == taken


SETTINGS = changed(
    [{}, {"temperature": 0, "reasoning": True}],
    {
        "temperature": mostly(0, 2, 0.5, 2.1, None),
        "seed": mostly(2**63 - 1, 2**63, -(2**63), -(2**63) - 1),
        "max_tokens": mostly(1, 1_000_000, 1_000_001),
        "reasoning": mostly(True, False),
        "timeout_s": mostly(0.1, 3600, 3601, 0),
        "budget_s": mostly(86_400, 86_401, 0),
        "retries": mostly(0, 20, 21),
        "in_flight": mostly(1, 64, 65),
        "api_key_env": mostly("MY_KEY", "1KEY", "A-B", "KEY\n"),
        "extra": mostly({"top_p": 1}, *({name: 1} for name in (*_OWN_FIELDS, *_OWN_SETTINGS))),
        "allow_floating": mostly(True, False),
        "max_calls": mostly(1, 10**12, 10**12 + 1),
        "max_tokens_total": mostly(1, 10**12 + 1),
        "max_cost": mostly(0.01, 0, 10**12 + 1),
        "prices": mostly(
            {"input": 0, "output": 2.5},
            {"input": 1},
            {"output": 1},
            {"input": 1, "output": 1, "other": 1},
            {"input": -1, "output": 1},
            {"input": 1, "output": -1},
            {"input": 1_000_001, "output": 1},
            {"input": 1, "output": 1_000_001},
            {"input": "1", "output": 1},
            {"input": 1, "output": None},
        ),
        "unknown": ODD,
    },
)


@settings(max_examples=400, deadline=None)
@given(SETTINGS)
def test_the_judges_schema_accepts_the_settings_that_its_reader_accepts(
    value: dict[str, Any],
) -> None:
    try:
        read_settings(value)
        taken = True
    except ConfigError:
        taken = False
    assert accepts("judge", {"spec": "rules", **value}) == taken


DOOR = changed(
    [
        {"rubric": {"name": "r", "mode": "claims"}, "judge": "rules"},
        {"rubric": {"name": "r", "mode": "claims"}, "judge": {"spec": "rules"}, "samples": 3},
    ],
    {
        "rubric": mostly(
            {"name": "r", "mode": "claims"}, {"name": "r", "criteria": {"a": "?"}}, {"name": "r"}
        ),
        "judge": mostly(
            "rules",
            " rules ",
            "rules:x",
            "openai:gpt-4.1-2025-04-14",
            "openai:",
            "gpt-4.1",
            {"spec": "rules"},
            {"spec": "rules", "retries": 1},
            {"spec": "rules", "retries": 21},
            {"retries": 1},
        ),
        "vars": mostly(
            {"question": "q", "source": "s", "case_id": "c"},
            {"question": 1},
            {"source": 1},
            {"case_id": 1},
            {"answer": "a"},
        ),
        "policy": mostly("strict", "tolerant"),
        "precheck": any_of("rules", False, None, "judge", True),
        "samples": mostly(1, 5, 100, 101),
        "order": mostly("source_first", "both"),
        "cache": any_of("off", "c.sqlite", False, None, "", True, 3, []),
        "journal": mostly("j.jsonl"),
        "certificate": mostly("c.json"),
        "require_certificate": any_of(
            True,
            False,
            None,
            "kappa>=0.6",
            "kappa>=0.6, fails_caught_low>=0.6, max_age: 90d",
            "n>=40,fails: 3",
            "kappa>=0.6,",
            "kappa",
            "n_low>=3",
            "max_age: 90",
            "max_age: soon",
            "",
            7,
            [],
            {"kappa": 0.6, "max_age": "90d"},
            {"kappa": True},
            {"max_age": 90},
            {"max_age": "90"},
            "kappa>=-0.5",
            "agreement>=-0.5",
            "kappa>=60",
            "kappa>=nan",
            "n>=60",
            "max_age>=90d",
            {"kappa": -0.5, "n": 60},
            {"agreement": 60},
            {"kappa": -2},
            {"passes_kept_low": 1.5},
            {"fails": -1},
            {"n": "many"},
            {"n_low": 1},
            "coverage>=0.8",
            "coverage>=80",
            "coverage_low>=0.8",
            {"coverage": 0.8},
            {"coverage_low": 0.8},
            {"other": 1},
        ),
        "on_judge_error": mostly("fail", "error"),
        "basePath": ODD,
        "workers": ODD,
        "timeout": ODD,
        "pythonExecutable": ODD,
        "unknown": any_of(1),
    },
)


def read_by_door(value: Any, *, drop_in: bool) -> bool:
    try:
        read_config(value, [ROOT], drop_in=drop_in)
    except ConfigError:
        return False
    return True


@settings(max_examples=400, deadline=None)
@given(DOOR)
def test_the_doors_schemas_accept_what_their_reader_accepts(value: dict[str, Any]) -> None:
    value = {"judge": "rules", **value}  # a schema cannot know whether VOIRDIRE_JUDGE is set
    if isinstance(value.get("rubric"), str):
        return  # a file, which may be there or not
    for name, drop_in in (("assertion", False), ("provider", True)):
        assert accepts(name, value) == read_by_door(value, drop_in=drop_in), name


PAIRWISE = changed(
    [{"rubric": {"name": "r", "mode": "claims"}, "judge": "rules", "reference": "30 minutes"}],
    {
        "rubric": mostly({"name": "r", "criteria": {"a": "?"}}, {"name": "r"}),
        "vars": mostly({"reference": "r", "source": "s"}, {"reference": 1}, {"answer": "a"}),
        "policy": mostly("strict", "tolerant"),
        "cache": any_of("off", False, None, "", True, 3),
        "journal": mostly("j.jsonl"),
        "reference": any_of(None, "a", {"a": 1}, [1], 3),
        "allow_tie": mostly(True, False),
        "timeout": ODD,
        "samples": any_of(1),
        "unknown": any_of(1),
    },
)


@settings(max_examples=200, deadline=None)
@given(PAIRWISE)
def test_the_comparing_doors_schema_accepts_what_its_reader_accepts(value: dict[str, Any]) -> None:
    if isinstance(value.get("rubric"), str):
        return  # a file, which may be there or not
    try:
        _read_pairwise(value, [ROOT])
        taken = True
    except ConfigError:
        taken = False
    assert accepts("pairwise", value) == taken


CHECKS = changed(
    [{"numbers": True}, {"length": {"max": 3}}, {"links": False, "forbidden": ["no"]}],
    {
        "schema": any_of({"type": "object"}, {}, "", None, 3, True),
        "required_fields": mostly(["a.0.b", "a"], ["a..b"], ["a."], ["a\n.b\n"]),
        "citations": mostly(True, False, {"pattern": "x"}, {"pattern": ""}, {"other": "x"}),
        "links": mostly(
            True,
            False,
            *({"allow": [one]} for one in ("a.example", "*.B.example", "-a", "a\n", "a..b", ".a.")),
            {"allow": []},
            {"allow": ["https://a.example"]},
            {"allowed": ["a"]},
        ),
        "numbers": mostly(True, False),
        "forbidden": mostly(["as an AI"], ["a" * 500], ["a" * 501]),
        "length": mostly(
            {"min": 0},
            {"min": 1, "max": 2, "unit": "words"},
            {"max": -1},
            {"max": "3"},
            {"max": None},
            {"max": 1, "unit": "tokens"},
            {"unit": "words"},
            {"max": 3, "most": 3},
        ),
        "vars": mostly({"source": "s"}, {"source": 1}, {"question": "q"}),
        "fence": any_of("allowed", "refused", True, None),
        "unknown": any_of(1),
    },
)


@settings(max_examples=400, deadline=None)
@given(CHECKS)
def test_the_checks_schema_accepts_what_their_reader_accepts(value: dict[str, Any]) -> None:
    try:
        checks.read_config(value, [ROOT])
        taken = True
    except ConfigError:
        taken = False
    assert accepts("checks", value) == taken


def test_our_own_checks_are_valid() -> None:
    suite = yaml.safe_load((ROOT / "promptfooconfig.checks.yaml").read_text("utf-8"))
    found = [one["config"] for one in in_every_list(suite) if "checks.py" in str(one.get("value"))]
    assert found
    assert [config for config in found if not accepts("checks", config)] == []


def in_every_list(value: Any) -> list[dict[str, Any]]:
    """Every mapping in a value."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    own = [value] if isinstance(value, dict) else []
    return own + [found for item in inner for found in in_every_list(item)]


ONE_SOURCE = st.one_of(
    any_of("source.md", {"id": "a", "text": "b", "title": None}),
    any_of("", " ", 3, [], "https://host/page", "http://host", *NO_EXCERPTS),
)


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.none(), ONE_SOURCE, st.lists(ONE_SOURCE, max_size=2)))
def test_the_doors_schemas_accept_the_sources_that_their_reader_accepts(
    tmp_path_factory: pytest.TempPathFactory, value: Any
) -> None:
    folder = tmp_path_factory.getbasetemp()
    (folder / "source.md").write_text("30 minutes", encoding="utf-8")
    try:
        taken = bool(read_sources(value, "source", {"source": "30 minutes"}, [folder]))
    except ConfigError:
        taken = False
    assert accepts("provider", {"source": value}) == taken


@pytest.mark.parametrize(
    ("value", "taken"),
    [(1, True), (100, True), (None, True), (0, False), (101, False), ("2", False)],
)
def test_a_quorum_is_a_number_of_samples(value: Any, taken: bool) -> None:
    """That it is more than half of them no schema can say."""
    assert accepts("provider", {"quorum": value}) == taken


@pytest.mark.parametrize(
    ("value", "taken"),
    [("rules", True), ("openai:m", True), ("m", False), ({}, False), (3, False), (None, False)],
)
def test_a_judge_is_a_spec_or_has_one(value: Any, taken: bool) -> None:
    assert accepts("judge", value) == taken
    assert accepts("judge", {"spec": value}) == (taken and isinstance(value, str))


def test_the_schemas_name_the_fields_that_the_readers_name() -> None:
    judge = set(FILES["judge"]["properties"])
    assert judge == {"spec", *JudgeSettings._fields}
    known = {*doorconfig._DROP_IN_FIELDS, *doorconfig._PROMPTFOO_FIELDS}
    assert set(FILES["provider"]["properties"]) == known
    assert set(FILES["pairwise"]["properties"]) == {
        *pairwise.FIELDS,
        *doorconfig._PROMPTFOO_FIELDS,
    }
    assert set(FILES["checks"]["properties"]) == {*checks._CHECKS, *checks._SETTINGS}
    for name in (*MEASURES, *COUNTS, COVERAGE):
        assert accepts("provider", {"require_certificate": f"{name}>=0.5"})


@pytest.mark.parametrize("path", RUBRICS, ids=lambda path: str(path.relative_to(ROOT)))
def test_our_own_rubrics_are_valid(path: Path) -> None:
    assert accepts("rubric", yaml.safe_load(path.read_text("utf-8")))


def test_our_own_rubrics_were_found() -> None:
    assert len(RUBRICS) >= 4


@pytest.mark.parametrize("path", CASES, ids=lambda path: str(path.relative_to(ROOT)))
def test_our_own_cases_are_valid(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    assert lines
    assert [line for line in lines if not accepts("case", json.loads(line))] == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_sound_and_stands_alone_when_it_is_printed(name: str) -> None:
    whole = schema(name)
    jsonschema.Draft202012Validator.check_schema(whole)
    text = json.dumps(whole)
    targets = set(re.findall(r'"\$ref": "([^"]*)"', text))
    assert all(target.removeprefix("#/$defs/") in whole["$defs"] for target in targets)
    assert ".json" not in "".join(targets)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_is_described_for_the_editor(name: str) -> None:
    for field, said in FILES[name]["properties"].items():
        assert said is False or said.get("description"), field


def test_the_printed_schema_says_what_the_files_say() -> None:
    printed = jsonschema.Draft202012Validator(schema("assertion"))
    for value in (
        {"rubric": {"name": "r", "mode": "claims"}, "judge": {"spec": "rules", "retries": 1}},
        {"rubric": {"name": "r"}, "judge": "rules"},
        {"rubric": "r.yaml", "judge": {"spec": "rules", "retries": 21}},
        {"judge": "rules"},
    ):
        assert printed.is_valid(value) == accepts("assertion", value)
