"""What of a suite could turn a non-pass into a pass."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from voirdire.promptfoo import suite
from voirdire.promptfoo.overruling import Overruling, in_suite, in_test
from voirdire.promptfoo.suite import config_paths

ROOT = Path(__file__).resolve().parents[2]
RUBRIC = {"type": "llm-rubric", "value": "Is it?"}
EVAL = ("node", "promptfoo", "eval")


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    started_with(monkeypatch)


def started_with(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    """As if promptfoo had been started so."""
    monkeypatch.setattr(suite, "_parent_arguments", lambda: [*EVAL, *arguments])


def write(value: Any, name: str = "promptfooconfig.yaml") -> None:
    text = value if isinstance(value, str) else json.dumps(value)
    Path(name).write_text(text, encoding="utf-8")


def found(value: Any, **vars_: Any) -> Overruling:
    """What overrules an ``llm-rubric`` of this suite for these vars."""
    write(value)
    return in_suite(vars_, ("llm-rubric",))


def with_tests(*tests: Any, **fields: Any) -> dict[str, Any]:
    return {"prompts": ["x"], "tests": list(tests), **fields}


PLAIN = Overruling()
WEIGHTLESS = Overruling(weightless=True)
AVERAGED = Overruling(averaged=True)
INVERTED = Overruling(inverted=True)
UNSOUND = AVERAGED | WEIGHTLESS
UNKNOWN = Overruling(known=False)
OTHER = {"type": "contains", "value": "x"}
GUARDRAIL = {"type": "guardrails", "config": {"purpose": "redteam"}}


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ({"assert": [RUBRIC]}, PLAIN),
        ({"assert": [{**RUBRIC, "type": "not-llm-rubric"}]}, INVERTED),
        ({"assert": [{**RUBRIC, "weight": 0}]}, WEIGHTLESS),
        ({"assert": [{**RUBRIC, "weight": 0.0}]}, WEIGHTLESS),
        ({"assert": [{**RUBRIC, "weight": None}]}, WEIGHTLESS),
        ({"assert": [{**RUBRIC, "weight": -1}]}, WEIGHTLESS),
        ({"assert": [{**RUBRIC, "weight": "{{env.WEIGHT}}"}]}, WEIGHTLESS),
        ({"assert": [{**RUBRIC, "weight": 0.5}]}, PLAIN),
        ({"assert": [RUBRIC], "threshold": 0}, AVERAGED),
        ({"assert": [RUBRIC], "threshold": 0.5}, AVERAGED),
        ({"assert": [RUBRIC], "threshold": "{{env.THRESHOLD}}"}, UNSOUND),
        ({"assert": [RUBRIC], "threshold": -1e60}, UNSOUND),
        ({"assert": [RUBRIC, {**OTHER, "weight": 0}], "threshold": 0}, AVERAGED),
        ({"assert": [RUBRIC, {**OTHER, "weight": 1000000}], "threshold": 0}, AVERAGED),
        ({"assert": [RUBRIC, {**OTHER, "weight": -1}], "threshold": 0}, UNSOUND),
        ({"assert": [RUBRIC, {**OTHER, "weight": "2"}], "threshold": 0}, UNSOUND),
        ({"assert": [RUBRIC, {**OTHER, "weight": 1e60}], "threshold": 0.5}, UNSOUND),
        ({"assert": [{**RUBRIC, "weight": 1.0e-60}], "threshold": 0.5}, UNSOUND),
        ({"assert": [RUBRIC, {**OTHER, "weight": -1}]}, PLAIN),
        ({"assert": [RUBRIC, GUARDRAIL]}, UNSOUND),
        ({"assert": [{"type": "assert-set", "assert": [RUBRIC, GUARDRAIL]}]}, UNSOUND),
        ({"assert": [RUBRIC, {**GUARDRAIL, "config": {}}]}, PLAIN),
        ({"assert": [{"type": "assert-set", "assert": [RUBRIC]}]}, PLAIN),
        ({"assert": [{"type": "assert-set", "threshold": 0, "assert": [RUBRIC]}]}, AVERAGED),
        ({"assert": [{"type": "assert-set", "weight": 0, "assert": [RUBRIC]}]}, WEIGHTLESS),
        ({"assert": [{"type": "contains", "value": "x", "weight": 0}]}, PLAIN),
        ({"assert": [{"type": "assert-set", "threshold": 0, "assert": []}, RUBRIC]}, PLAIN),
    ],
)
def test_a_test_is_read_for_what_overrules(test: dict[str, Any], expected: Overruling) -> None:
    assert found(with_tests(test)) == expected
    python = json.loads(json.dumps(test).replace("llm-rubric", "python"))
    assert in_test(python, None) == expected


def test_defaults_hold_for_every_test() -> None:
    assert found(with_tests({}, defaultTest={"assert": [RUBRIC], "threshold": 0})) == AVERAGED
    assert found(with_tests(defaultTest={"assert": [{**RUBRIC, "weight": 0}]})) == WEIGHTLESS
    assert found(with_tests({"assert": [RUBRIC]}, defaultTest={"threshold": 0.5})) == AVERAGED
    over = with_tests({"assert": [RUBRIC], "threshold": 0}, defaultTest={"threshold": None})
    assert found(over) == AVERAGED


def test_only_the_tests_that_the_vars_fit_count() -> None:
    tests = [
        {"vars": {"q": "one"}, "assert": [{**RUBRIC, "weight": 0}]},
        {"vars": {"q": "two"}, "assert": [RUBRIC]},
    ]
    assert found(with_tests(*tests), q="one", more="x") == WEIGHTLESS
    assert found(with_tests(*tests), q="two") == PLAIN


@pytest.mark.parametrize(
    "text",
    ["yes", "12:30", "1e3", "0x10", "010", "2026-03-01", "~", "1_000", "'{{other}}'", "file://x"],
)
def test_vars_that_readers_of_yaml_take_differently_fit_whatever_is_given(text: str) -> None:
    written = f"tests:\n- vars: {{q: {text}}}\n  assert: [{{type: llm-rubric, weight: 0}}]\n"
    for given in (text, True, 1, 1000, None, {"a": 1}):
        write(written)
        if isinstance(given, str) and text in ("1e3", "010", "1_000", "0x10", "12:30"):
            continue  # a number to promptfoo
        assert in_suite({"q": given}, ("llm-rubric",)).weightless, given


def test_vars_that_are_changed_before_they_are_given_fit_whatever_is_given() -> None:
    test = {
        "vars": {"q": "one"},
        "assert": [{**RUBRIC, "weight": 0}],
        "options": {"transformVars": "({q: vars.q.toUpperCase()})"},
    }
    assert found(with_tests(test), q="ONE") == WEIGHTLESS
    test.pop("options")
    default = {"options": {"transformVars": "x"}}
    assert found(with_tests(test, defaultTest=default), q="ONE") == WEIGHTLESS
    assert found(with_tests(test), q="ONE") == PLAIN


def test_tests_in_files_of_data_are_read() -> None:
    one = [{"assert": [RUBRIC], "threshold": 0}]
    write(one, "tests.yaml")
    write(one, "tests.json")
    write("\n".join(map(json.dumps, one)), "tests.jsonl")
    for name in ("tests.yaml", "tests.json", "tests.jsonl", "file://tests.yaml"):
        assert found({"tests": name}) == AVERAGED
        assert found({"tests": [name]}) == AVERAGED
    write({"threshold": 0.5}, "default.yaml")
    assert found(with_tests(*one, defaultTest="file://default.yaml")) == AVERAGED


@pytest.mark.parametrize(
    "value",
    [
        {"tests": "file://tests.csv"},
        {"tests": "file://made.py:tests"},
        {"tests": ["file://made.py"]},
        {"tests": [{"path": "file://made.py", "config": {}}]},
        {"tests": "https://example.com/tests"},
        {"tests": "file://missing.yaml"},
        {"tests": "file://*.yaml"},
        {"tests": [7]},
        {"tests": [], "defaultTest": "file://missing.yaml"},
        {"tests": [], "extensions": ["file://hooks.js:change"]},
        {"tests": [{"assert": [RUBRIC, {"$ref": "other.yaml#/x"}]}]},
        {"tests": [{"assert": ["file://asserts.yaml"]}]},
        {"tests": [{"assert": "file://asserts.yaml"}]},
        {"tests": [{"assert": {"$ref": "other.yaml"}}]},
        {"tests": [{"assert": [{"type": "assert-set", "assert": "file://asserts.yaml"}]}]},
        {"tests": [{}], "defaultTest": {"assert": "file://asserts.yaml"}},
        {"scenarios": [{"config": [{"assert": "file://asserts.yaml"}], "tests": [{}]}]},
        {"scenarios": [{"config": [{}], "tests": [{"assert": "file://asserts.yaml"}]}]},
        {"scenarios": ["file://scenarios.yaml"]},
        {"scenarios": [{"config": "file://made.py", "tests": [{}]}]},
        "tests: [",
        "- a list",
        "",
    ],
)
def test_what_cannot_be_read_is_not_known(value: Any) -> None:
    write("case_id\n1\n", "tests.csv")
    assert found(value).known is False


def test_what_is_known_beside_the_unknown_counts_all_the_same() -> None:
    default = {"assert": [{**RUBRIC, "weight": 0}]}
    assert found({"tests": "file://x.csv", "defaultTest": default}) == WEIGHTLESS | UNKNOWN


def test_our_own_hook_changes_no_test() -> None:
    hook = "file://node_modules/voirdire/extensions/named_scores.py:extension_hook"
    assert found(with_tests({"assert": [RUBRIC]}, extensions=[hook])) == PLAIN


def test_templates_of_assertions_are_followed() -> None:
    value = with_tests(
        {"assert": [{"$ref": "#/assertionTemplates/judged"}]},
        assertionTemplates={"judged": {**RUBRIC, "weight": 0}},
    )
    assert found(value) == WEIGHTLESS


def test_templates_that_refer_to_themselves_or_nothing_are_not_known() -> None:
    turning = with_tests({"assert": [{"$ref": "#/a"}]}, a={"$ref": "#/a"})
    assert found(turning).known is False
    assert found(with_tests({"assert": [{"$ref": "#/none"}]})).known is False


def test_scenarios_are_read() -> None:
    rows = [{"vars": {"q": "one"}, "threshold": 0}, {"vars": {"q": "two"}}]
    value = {"scenarios": [{"config": rows, "tests": [{"assert": [RUBRIC]}]}]}
    assert found(value, q="one") == AVERAGED
    assert found(value, q="two") == PLAIN
    weightless = {"config": [{"assert": [{**RUBRIC, "weight": 0}]}], "tests": [{}]}
    assert found({"scenarios": [weightless]}) == WEIGHTLESS
    assert found({"scenarios": [{"config": [{"assert": [RUBRIC], "threshold": 0}]}]}) == AVERAGED


@pytest.mark.parametrize(
    "arguments",
    [
        ("-t", "tests.csv"),
        ("--tests", "tests.csv"),
        ("--tests=tests.csv",),
        ("-ttests.csv",),
        ("-v", "vars.csv"),
        ("--vars=vars.csv",),
        ("-a", "asserts.yaml"),
        ("--assertions", "asserts.yaml"),
        ("-x", "file://hooks.js"),
        ("--resume",),
        ("--retry-errors",),
        ("-c", "promptfooconfig.yaml", "other.yaml"),
        ("-c", "missing.yaml"),
        ("-c", "promptfooconfig.js"),
    ],
)
def test_a_suite_that_is_more_than_its_file_is_not_known(
    monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str]
) -> None:
    write(with_tests({"assert": [RUBRIC]}))
    write(with_tests({"assert": [RUBRIC]}), "other.yaml")
    started_with(monkeypatch, *arguments)
    assert in_suite({}, ("llm-rubric",)).known is False


@pytest.mark.parametrize("arguments", [[], ["node", "serve.js"], ["node", "promptfoo", "view"]])
def test_who_was_not_started_to_evaluate_may_have_any_suite(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    write(with_tests({"assert": [RUBRIC]}))
    monkeypatch.setattr(suite, "_parent_arguments", lambda: arguments)
    assert in_suite({}, ("llm-rubric",)).known is False


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), ["promptfooconfig.yaml"]),
        (("-c", "a b.yaml"), ["a b.yaml"]),
        (("--config", "x.yaml", "-j", "4"), ["x.yaml"]),
        (("--config=x.yaml",), ["x.yaml"]),
        (("-cx.yaml",), ["x.yaml"]),
        (("-c", "x.yaml", "y.yaml", "--no-cache"), ["x.yaml", "y.yaml"]),
        (("-c", "x.yaml", "-c", "y.yaml"), ["x.yaml", "y.yaml"]),
        (("-c", "below"), ["below/promptfooconfig.json"]),
        (("--no-cache",), ["promptfooconfig.yaml"]),
    ],
)
def test_the_suites_files_are_those_that_promptfoo_was_given(
    monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], expected: list[str]
) -> None:
    write({})
    write({}, "promptfooconfig.json")
    Path("below").mkdir()
    write({}, "below/promptfooconfig.json")
    started_with(monkeypatch, *arguments)
    assert [path.as_posix() for path in config_paths()] == expected


def test_the_arguments_are_those_of_the_process_above(tmp_path: Path) -> None:
    code = "from voirdire.promptfoo.suite import config_paths; print(*config_paths(), sep='|')"
    above = tmp_path / "above.py"
    above.write_text(
        "import subprocess, sys\n"
        "subprocess.run([sys.executable, '-c', sys.argv[1]], check=True, cwd=sys.argv[2])\n"
    )
    arguments = [code, str(ROOT), "eval", "-c", str(tmp_path / "a b.yaml")]
    done = subprocess.run(
        [sys.executable, str(above), *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(tmp_path / "a b.yaml")


def test_an_assertion_is_found_in_its_test_by_its_config() -> None:
    ours = {"type": "python", "config": {"judge": "rules"}}
    other = {"type": "not-python", "config": {"judge": "replay:x"}}
    test = {"assert": [ours, other]}
    assert in_test(test, {"judge": "rules"}) == PLAIN
    assert in_test(test, {"judge": "replay:x"}) == INVERTED


def test_where_no_assertion_has_the_config_all_count() -> None:
    test = {"assert": [{"type": "python", "config": {"judge": "{{judge}}"}, "weight": 0}]}
    assert in_test(test, {"judge": "rules"}) == WEIGHTLESS


def test_opposite_assertions_with_one_config_have_the_answer_that_is_right_for_both() -> None:
    ours = {"type": "python", "config": {}}
    both = in_test({"assert": [ours, {**ours, "type": "not-python"}]}, {})
    assert both == INVERTED | WEIGHTLESS


@pytest.mark.parametrize("test", [None, [], "x", {}, {"assert": None}, {"assert": [7, None]}])
def test_a_test_of_another_shape_overrules_nothing(test: Any) -> None:
    assert in_test(test, None) == PLAIN
