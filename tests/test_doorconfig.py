"""The ``config:`` of a door: what is accepted, what is refused and how that is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.doorconfig import read_config
from voirdire.doorinput import as_text, find
from voirdire.errors import ConfigError

RUBRIC = {"name": "r", "criteria": {"grounded": "Is it?"}}
GOOD = {"rubric": RUBRIC, "source": {"id": "s", "text": "truth"}, "judge": "rules"}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("VOIRDIRE_JUDGE", "VOIRDIRE_JOURNAL"):
        monkeypatch.delenv(name, raising=False)


def case(config: dict[str, Any], vars_: dict[str, Any] | None = None, *folders: Path) -> Any:
    return read_config(config, folders).case("an answer", vars_ or {})


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("rules", "must be a mapping"),
        (None, "no rubric; add `rubric: FILE.yaml`"),
        ({**GOOD, "sources": "x"}, "unknown field `sources`; there is rubric, source, judge"),
        ({**GOOD, "on_judge_error": "error"}, "unknown field `on_judge_error`"),
        ({**GOOD, "rubric": None}, "no rubric"),
        ({**GOOD, "rubric": "none.yaml"}, r"none\.yaml: no such file"),
        ({**GOOD, "rubric": {"name": "r"}}, r"config\.rubric: criteria: is missing"),
        ({**GOOD, "rubric": []}, r"config\.rubric: a rubric is a mapping"),
        ({**GOOD, "judge": None}, r"no judge; add `judge: SPEC` .* or set VOIRDIRE_JUDGE"),
        ({**GOOD, "judge": ""}, "no judge"),
        ({**GOOD, "judge": ["rules"]}, "no judge"),
        ({**GOOD, "judge": {"model": "x"}}, "no judge"),
        ({**GOOD, "judge": "oracle:x"}, "unknown judge 'oracle'"),
        ({**GOOD, "judge": "replay:none.jsonl"}, r"none\.jsonl: cannot be read"),
        ({**GOOD, "judge": {"spec": "openai:m", "temprature": 1}}, "unknown judge setting"),
        ({**GOOD, "policy": "lenient"}, "policy: must be strict or tolerant, not 'lenient'"),
        ({**GOOD, "policy": ["strict"]}, "policy: must be strict or tolerant"),
        ({**GOOD, "precheck": "openai:m"}, "precheck: must be rules, not 'openai:m'"),
        ({**GOOD, "precheck": True}, "precheck: must be rules, not True"),
        ({**GOOD, "journal": 7}, "journal: must be a path, not 7"),
        ({**GOOD, "vars": ["q"]}, "vars: must map question, source, case_id"),
        ({**GOOD, "vars": {"answer": "a"}}, "vars: 'answer' is not one of"),
        ({**GOOD, "vars": {"source": 7}}, "vars: 'source' is not one of"),
    ],
)
def test_what_is_wrong_is_named_with_what_it_may_be(config: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        read_config(config, ())


def test_a_key_that_was_pasted_as_a_judge_is_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        read_config({**GOOD, "judge": "sk-0123456789" * 9}, ())
    assert "sk-0123456789" * 9 not in str(caught.value)


@pytest.mark.parametrize(
    ("source", "vars_", "message"),
    [
        (None, {}, "no source of truth; add `source: FILE`, or give the tests a var `source`"),
        (None, {"source": None}, "no source of truth"),
        (None, {"source": " \n"}, "the test var `source`: the source of truth is empty"),
        (None, {"source": []}, "the test var `source`: must be a list of excerpts"),
        (None, {"source": [{"id": "a"}]}, "`text` of 'a' must be text"),
        (None, {"source": [{"text": "a"}]}, "`id` must be text"),
        (None, {"source": ["a"]}, "must be an object"),
        (None, {"source": "kb/help.md"}, r"kb/help\.md is a path, .*; write file://kb/help\.md"),
        ("none.md", {}, r"none\.md: no such file"),
        ("empty.md", {}, r"empty\.md: is empty"),
        ([], {}, "no source of truth was given"),
        (["one.md", "one.md"], {}, r"the source id 'one\.md' stands twice"),
        ({"id": "a", "text": ""}, {}, "`text` of 'a' must be text that is not empty"),
        (7, {}, r"config\.source: excerpt 1: must be an object"),
        ("", {}, r"config\.source: is empty; give the path"),
        ([" "], {}, r"config\.source: is empty; give the path"),
        ("# Help\n\nThe link lasts.\n", {}, r"config\.source: is a text, .* without file://"),
        ("The link lasts. " * 40, {}, r"config\.source: is a text, .* without file://"),
        ("https://x.example/a.md", {}, r"source: https://x\.example/a\.md: nothing is fetched"),
    ],
)
def test_without_a_source_there_is_no_case(
    source: Any, vars_: dict[str, Any], message: str
) -> None:
    Path("empty.md").write_text("\n")
    Path("one.md").write_text("truth")
    with pytest.raises(ConfigError, match=message):
        case({**GOOD, "source": source}, vars_)


def test_sources_are_files_and_excerpts_in_order() -> None:
    Path("one.md").write_text("first")
    Path("two.json").write_text(json.dumps([{"id": "kb-1", "title": "T", "text": "second"}]))
    sources = ["one.md", "file://two.json", {"id": "kb-2", "text": "third"}]
    found = case({**GOOD, "source": sources}).sources
    assert [(source.id, source.text) for source in found] == [
        ("one.md", "first"),
        ("kb-1", "T\nsecond"),
        ("kb-2", "third"),
    ]


def test_a_configured_source_is_not_replaced_by_a_var() -> None:
    (source,) = case(GOOD, {"source": "another"}).sources
    assert source.text == "truth"


def test_test_vars_make_the_case_under_the_names_that_the_config_gives() -> None:
    config = {**GOOD, "source": None, "vars": {"question": "q", "source": "doc", "case_id": "n"}}
    found = case(config, {"q": "How long?", "doc": "truth", "n": 7, "source": "not this"})
    assert (found.question, found.id, found.answer) == ("How long?", "7", "an answer")
    assert found.sources[0].text == "truth"
    bare = case({**GOOD, "source": None}, {"source": "truth"})
    assert (bare.question, bare.id) == (None, None)


def test_a_question_that_the_config_names_must_be_there() -> None:
    config = {**GOOD, "vars": {"question": "query"}}
    assert case(config, {"query": None}).question is None
    with pytest.raises(ConfigError, match="this test has no var `query`"):
        case(config, {"question": "How long?"})
    assert case(GOOD, {}).question is None


def test_a_path_is_looked_for_beside_the_suite_first(tmp_path: Path) -> None:
    beside = tmp_path / "suite"
    beside.mkdir()
    (beside / "one.md").write_text("beside the suite")
    Path("one.md").write_text("where promptfoo was started")
    Path("two.md").write_text("only here")
    folders = [beside, Path()]
    config = {**GOOD, "source": ["one.md", "two.md"]}
    assert [source.text for source in case(config, {}, *folders).sources] == [
        "beside the suite",
        "only here",
    ]
    assert find("one.md", folders) == Path("suite/one.md")
    assert find("none.md", folders) == Path("none.md")
    assert find(str(beside / "one.md"), []) == beside / "one.md"


def test_the_environment_puts_another_judge_in_the_place_of_all_but_the_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VOIRDIRE_JUDGE", "openai:gpt-4-0613")
    assert read_config({**GOOD, "judge": "replay:none.jsonl"}, ()).judge.spec == "openai:gpt-4-0613"
    assert read_config({**GOOD, "judge": None}, ()).judge.spec == "openai:gpt-4-0613"
    assert read_config(GOOD, ()).judge.spec == "rules"
    monkeypatch.setenv("VOIRDIRE_JUDGE", "oracle")
    with pytest.raises(ConfigError, match="unknown judge 'oracle'"):
        read_config({**GOOD, "judge": None}, ())


def test_a_drop_in_door_has_its_own_setting_and_may_lack_a_rubric() -> None:
    config = {"judge": "rules", "on_judge_error": "error", "workers": 2, "basePath": "."}
    found = read_config(config, (), drop_in=True)
    assert (found.rubric, found.on_judge_error) == (None, "error")
    with pytest.raises(ConfigError, match="on_judge_error: must be fail or error, not 'pass'"):
        read_config({**config, "on_judge_error": "pass"}, (), drop_in=True)


def test_the_journal_is_where_the_config_or_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VOIRDIRE_JOURNAL", "env.jsonl")
    assert read_config(GOOD, ()).journal == Path("env.jsonl")
    assert read_config({**GOOD, "journal": "own.jsonl"}, ()).journal == Path("own.jsonl")


@pytest.mark.parametrize(
    ("value", "text"),
    [("x", "x"), ("", ""), (7, "7"), (None, "null"), ({"ä": [1]}, '{"ä": [1]}'), (True, "true")],
)
def test_what_is_no_text_is_judged_as_its_json(value: Any, text: str) -> None:
    assert as_text(value) == text
