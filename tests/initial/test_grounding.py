"""What is found in a project, what its judges cannot see, and what is done about it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result

from voirdire.errors import ConfigError

Init = Callable[..., Result]
Write = Callable[..., Path]


def report(init: Init, *args: str) -> dict[str, Any]:
    """What the command says in JSON."""
    result = init("--json", *args)
    assert result.exception is None, result.exception
    found: dict[str, Any] = json.loads(result.output)
    return found


def only(init: Init, *args: str) -> dict[str, Any]:
    """The one assertion that is found."""
    (found,) = report(init, *args)["assertions"]
    assert isinstance(found, dict)
    return found


def one_test(
    asserts: str, vars_: str = "{context: The fee is 9 euros., query: 'How much?'}"
) -> str:
    """A suite of one test."""
    return f"prompts: ['{{{{query}}}}']\ntests:\n- vars: {vars_}\n  assert:\n  {asserts}\n"


MODEL = "gpt-4.1-2025-04-14"
BLIND = "- {type: llm-rubric, value: Every figure is stated in the context}"


def test_a_rubric_that_speaks_of_what_its_judge_is_not_shown_is_blind(
    init: Init, suite: Write
) -> None:
    suite(one_test(BLIND))
    found = only(init)
    assert (found["status"], found["line"], found["tests"]) == ("ground", 5, 1)
    assert found["cannot_see"] == [
        "it speaks of “context”, of which its judge is shown nothing",
        "no {{var}} in the rubric: its judge is shown the rubric and the answer alone",
        "the var context, which holds the source, is not in its prompt",
    ]


def test_the_door_is_told_the_source_the_question_and_the_judge(
    init: Init, suite: Write, folder: Path
) -> None:
    path = suite(one_test(BLIND))
    init("--write", "--judge", "ollama:qwen3:8b")
    (test,) = yaml.safe_load(path.read_text("utf-8"))["tests"]
    assert test["assert"][0]["provider"] == {
        "id": "file://voirdire_judge.py",
        "config": {
            "rubric": "rubrics/figure_context.yaml",
            "vars": {"source": "context", "question": "query"},
            "judge": "ollama:qwen3:8b",
        },
    }
    assert (folder / "rubrics/figure_context.yaml").is_file()


@pytest.mark.parametrize(
    ("prompt", "seen"),
    [("", False), (", rubricPrompt: 'By {{context}}: {{rubric}} {{output}}'", True)],
)
def test_a_prompt_that_holds_the_source_is_not_blind(
    prompt: str, seen: bool, init: Init, suite: Write
) -> None:
    suite(one_test(BLIND.replace("}", prompt + "}", 1)))
    assert (only(init)["cannot_see"] == []) is seen


def test_a_rubric_filled_with_the_source_names_it_instead(
    init: Init, suite: Write, folder: Path
) -> None:
    suite(one_test("- {type: llm-rubric, value: 'Only uses facts of {{context}}'}"))
    found = only(init, "--write")
    assert found["cannot_see"] == []
    assert "only uses facts of the source?" in (folder / found["rubric"]).read_text("utf-8")


@pytest.mark.parametrize("words", ["of the context on {{topic}}", "of the {{context | upper}}"])
def test_a_rubric_filled_otherwise_stays_the_one_criterion(
    words: str, init: Init, suite: Write
) -> None:
    path = suite(one_test(f"- {{type: llm-rubric, value: 'Only states facts {words}'}}"))
    assert only(init, "--write")["rubric"] is None
    (test,) = yaml.safe_load(path.read_text("utf-8"))["tests"]
    assert "rubric" not in test["assert"][0]["provider"]["config"]


@pytest.mark.parametrize(
    ("vars_", "chosen"),
    [
        ("{context: a b, policy: c d}", "policy"),
        ("{notes: a b, context: c d}", "context"),
        ("{question: a b, expected_answer_from_document: c d, documents: [e, f]}", "documents"),
        ("{context: docs/policy.md, article: c d}", "article"),
        ("{context: file://docs/policy.md}", "context"),
    ],
)
def test_the_var_is_taken_that_the_rubric_speaks_of_or_that_is_named_like_a_source(
    vars_: str, chosen: str, init: Init, suite: Write
) -> None:
    suite(one_test("- {type: llm-rubric, value: Every figure is stated in the policy}", vars_))
    assert only(init)["source"] == {"var": chosen, "file": ""}


def test_a_var_that_some_tests_lack_is_no_source(init: Init, suite: Write) -> None:
    text = one_test("- &a {type: llm-rubric, value: Every figure is stated in the context}")
    suite(text + "- vars: {query: And now?}\n  assert: [*a]\n")
    found = only(init)
    assert (found["status"], found["tests"], found["source"]) == ("no-source", 2, None)
    assert found["why"] == "the var context is not a text in all of the tests; give --source FILE"


def test_a_file_is_taken_where_it_is_the_only_one_of_its_name(
    init: Init, suite: Write, folder: Path
) -> None:
    (folder / "docs").mkdir()
    for name in ("README.md", "docs/refund-policy.md", "policy_prompt.txt", "notes.md"):
        (folder / name).write_text("Within 30 days.", "utf-8")
    suite(one_test("- {type: llm-rubric, value: Every figure is stated in the policy}", "{q: a}"))
    assert only(init)["source"] == {"var": "", "file": "docs/refund-policy.md"}
    (folder / "docs/policy.md").write_text("Within 14 days.", "utf-8")
    found = only(init)
    assert found["status"] == "no-source"
    assert [one["file"] for one in found["other_sources"]] == [
        "docs/policy.md",
        "docs/refund-policy.md",
        "notes.md",
    ]
    assert init().return_value == 1
    given = only(init, "--source", str(folder / "docs/policy.md"))
    assert given["source"] == {"var": "", "file": "docs/policy.md"}


@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        ("{type: llm-rubric, value: Is polite}", "it asks nothing that a source would settle"),
        ("{type: not-llm-rubric, value: Goes beyond the context}", "it is inverted"),
        ("{type: llm-rubric, value: [a, b]}", "its rubric is not text"),
        ("{type: factuality, value: 9 euros}", "sees the model's prompt, a reference answer"),
        ("{type: g-eval, value: Sticks to the context}", "sees the model's prompt, the criteria"),
        ("{type: context-faithfulness, threshold: 0.9}", "sees the query, the var context"),
        ("{type: answer-relevance, threshold: 0.9}", "sees the answer alone"),
        ("{type: model-graded-closedqa, value: Is so}", "sees the model's prompt"),
    ],
)
def test_what_no_door_serves_is_shown_and_left_alone(
    assertion: str, why: str, init: Init, suite: Write
) -> None:
    path = suite(one_test(f"- {assertion}"))
    before = path.read_bytes()
    found = only(init, "--write")
    assert found["status"] == "left"
    assert found["why"].startswith(why)
    assert path.read_bytes() == before
    assert init().return_value == 0


@pytest.mark.parametrize(
    "text",
    [
        # by an alias, a merge, a template, an assert-set, defaultTest, and options of a scenario
        (
            "x: &r {type: llm-rubric, value: Is in the context}\n"
            "tests: [{vars: {context: a b}, assert: [*r]}]\n"
        ),
        (
            "x: &r {type: llm-rubric, value: Is in the context}\n"
            "tests: [{vars: {context: a b}, assert: [{<<: *r, metric: m}]}]\n"
        ),
        (
            "assertionTemplates: {r: {type: llm-rubric, value: Is in the context}}\n"
            "tests: [{vars: {context: a b}, assert: [{$ref: '#/assertionTemplates/r'}]}]\n"
        ),
        (
            "tests: [{vars: {context: a b}, assert: [{type: assert-set, assert: "
            "[{type: llm-rubric, value: Is in the context}]}]}]\n"
        ),
        (
            "defaultTest: {assert: [{type: llm-rubric, value: Is in the context}]}\n"
            "tests: [{vars: {context: a b}}]\n"
        ),
        (
            "defaultTest: {vars: {context: a b}, assert: "
            "[{type: llm-rubric, value: Is in the context}]}\n"
        ),
        (
            "scenarios: [{config: [{vars: {context: a b}}], tests: "
            "[{assert: [{type: llm-rubric, value: Is in the context}]}]}]\n"
        ),
        (
            "scenarios: [{config: [{vars: {context: a b}, assert: "
            "[{type: llm-rubric, value: Is in the context}]}], tests: [{vars: {q: a}}]}]\n"
        ),
    ],
)
def test_it_is_found_wherever_a_suite_may_have_it(text: str, init: Init, suite: Write) -> None:
    path = suite(text)
    before = yaml.safe_load(text)
    assert only(init, "--write")["status"] == "ground"
    after = path.read_text("utf-8")
    assert "voirdire_judge.py" in after
    assert without_door(yaml.safe_load(after)) == before
    assert [item["status"] for item in report(init)["assertions"]] == ["grounded"]
    assert report(init)["patch"] == ""


def without_door(value: Any) -> Any:
    """A value without voirdire's providers."""
    if isinstance(value, list):
        return [without_door(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: without_door(item)
        for key, item in value.items()
        if not (key == "provider" and "voirdire" in str(item))
    }


def test_tests_in_other_files_are_changed_there_and_programs_are_named(
    init: Init, suite: Write, folder: Path
) -> None:
    (folder / "sets").mkdir()
    suite(one_test(BLIND).split("tests:\n")[1], "sets/one.yaml")
    suite('[{"vars": {"context": "a b"}, "assert": []}]', "sets/two.json")
    suite("context,query,__expected\na,b,llm-rubric: c\n", "more.csv")
    config = suite("tests: [sets/*.yaml, sets/two.json, more.csv, file://made.py:tests]\n")
    before = config.read_bytes()
    found = report(init, "--write")
    assert [Path(item["file"]).name for item in found["assertions"]] == ["one.yaml"]
    assert [Path(text.split(": ")[0]).name for text in found["left"]] == [
        "more.csv",
        "made.py:tests",
    ]
    assert config.read_bytes() == before
    # promptfoo reads a script that such a file names without a function, and takes its text
    assert "id: file://voirdire_judge.py:call_api" in (folder / "sets/one.yaml").read_text("utf-8")


def test_assertions_in_a_file_of_their_own_are_changed_there(
    init: Init, suite: Write, folder: Path
) -> None:
    suite(f"{BLIND}\n", "asserts.yaml")
    test = "- {vars: {context: a b}, assert: file://asserts.yaml}\n"
    before = suite(f"tests:\n{test}{test}").read_bytes()
    found = report(init, "--write")
    assert [(item["tests"], item["status"]) for item in found["assertions"]] == [(2, "ground")]
    assert (found["left"], (folder / "promptfooconfig.yaml").read_bytes()) == ([], before)
    assert "file://voirdire_judge.py:call_api" in (folder / "asserts.yaml").read_text("utf-8")
    assert report(init)["assertions"][0]["status"] == "grounded"


@pytest.mark.parametrize("text", ["more.py", "more.txt"])
def test_assertions_out_of_a_program_are_named_and_left(
    text: str, init: Init, suite: Write
) -> None:
    suite(f"tests:\n- {{vars: {{context: a b}}, assert: file://{text}}}\n")
    found = report(init)
    assert (found["assertions"], len(found["left"])) == ([], 1)


def test_of_tests_that_a_program_makes_no_var_is_taken_for_known(init: Init, suite: Write) -> None:
    suite(f"tests: file://made.py\ndefaultTest:\n  vars: {{context: a b}}\n  assert:\n  {BLIND}\n")
    assert "not all tests can be read" in only(init)["why"]


@pytest.mark.parametrize(
    ("grader", "judge"),
    [
        ("openai:chat:gpt-4.1-2025-04-14", "openai:gpt-4.1-2025-04-14"),
        ("openai:gpt-4o", {"spec": "openai:gpt-4o", "allow_floating": True}),
        ("anthropic:messages:claude-haiku-4-5-20251001", "anthropic:claude-haiku-4-5-20251001"),
        ("ollama:chat:qwen3:8b", "ollama:qwen3:8b"),
        ("file://grader.py", "rules"),
        ("bedrock:x", "rules"),
    ],
)
def test_the_model_that_grades_now_stays_the_judge(
    grader: str, judge: Any, init: Init, suite: Write
) -> None:
    path = suite(f"defaultTest: {{options: {{provider: {{id: '{grader}'}}}}}}\n" + one_test(BLIND))
    init("--write")
    (test,) = yaml.safe_load(path.read_text("utf-8"))["tests"]
    assert test["assert"][0]["provider"]["config"]["judge"] == judge


@pytest.mark.parametrize(
    ("config", "judge"),
    [
        ("{apiBaseUrl: 'http://127.0.0.1:8080/v1'}", f"openai:{MODEL}@http://127.0.0.1:8080/v1"),
        ("{apiHost: llm.example.com}", f"openai:{MODEL}@https://llm.example.com/v1"),
        ("{apiKeyEnvar: TEAM_KEY}", {"spec": f"openai:{MODEL}", "api_key_env": "TEAM_KEY"}),
        ("{apiBaseUrl: '{{env.LLM_URL}}'}", "rules"),
    ],
)
@pytest.mark.parametrize("grader", ["{}", "{{text: {}, embedding: x}}"])
def test_the_judge_stays_on_the_server_that_it_was_on(
    config: str, judge: Any, grader: str, init: Init, suite: Write
) -> None:
    """What is judged may be confidential: no other server is told of it."""
    grader = grader.format(f"{{id: 'openai:chat:{MODEL}', config: {config}}}")
    path = suite(f"defaultTest: {{options: {{provider: {grader}}}}}\n" + one_test(BLIND))
    init("--write")
    (test,) = yaml.safe_load(path.read_text("utf-8"))["tests"]
    assert test["assert"][0]["provider"]["config"]["judge"] == judge


def test_settings_of_the_grader_that_are_not_taken_over_are_named(init: Init, suite: Write) -> None:
    grader = f"{{id: 'openai:{MODEL}', config: {{apiKey: sk-secret, temperature: 0, top_p: 1}}}}"
    suite(f"defaultTest: {{options: {{provider: {grader}}}}}\n" + one_test(BLIND))
    assert "left out of the judge's settings: apiKey, top_p" in only(init)["notes"]


def test_a_page_is_a_source_and_a_text_is_where_one_is_named(
    init: Init, suite: Write, folder: Path
) -> None:
    (folder / "shop.md").write_text("The fee is 9 euros.", "utf-8")
    rubric = "- {type: llm-rubric, value: Is every figure stated on the shop's page?}"
    suite(one_test(rubric, "{query: 'How much?'}"))
    assert only(init)["status"] in ("ground", "no-source")
    rubric = "- {type: llm-rubric, value: Every figure is taken from the text}"
    suite(one_test(rubric, "{query: 'How much?'}"))
    assert only(init)["status"] == "left"
    assert only(init, "--source", str(folder / "shop.md"))["status"] == "ground"


def test_what_a_table_asks_a_judge_is_told(init: Init, suite: Write) -> None:
    suite('context,__expected,__expected2\na,b,"not-llm-rubric(0.5): c"\nd,grade: e,f\n', "a.csv")
    suite("tests: a.csv\n")
    said = [text.partition(": ")[2] for text in report(init)["left"]]
    assert [text[:33] for text in said] == [
        "1 grade in __expected, of a judge",
        "1 not-llm-rubric in __expected, o",
    ]


def test_an_anchor_that_another_assertion_needs_is_left_alone(init: Init, suite: Write) -> None:
    text = one_test("- {type: llm-rubric, value: Is in the context, provider: &g x}")
    suite(text + "  - {type: factuality, value: y, provider: *g}\n")
    first = report(init)["assertions"][0]
    assert (first["status"], first["why"][:40]) == (
        "left",
        "its provider is the anchor &g, which oth",
    )


def test_an_anchor_that_goes_with_all_that_use_it_is_no_hindrance(init: Init, suite: Write) -> None:
    text = one_test("- {type: llm-rubric, value: Is in the context, provider: &g x}")
    suite(text + "  - {type: llm-rubric, value: Is the context, provider: *g}\n")
    assert [item["status"] for item in report(init, "--write")["assertions"]] == ["ground"] * 2


def test_the_same_words_share_a_rubric_and_no_file_is_written_over(
    init: Init, suite: Write, folder: Path
) -> None:
    (folder / "rubrics").mkdir()
    (folder / "rubrics/m.yaml").write_text("mine\n", "utf-8")
    one = "- {type: llm-rubric, metric: m, value: Is in the context}"
    suite(one_test(f"{one}\n  {one}\n  {one.replace('Is', 'Was')}"))
    names = [item["rubric"] for item in report(init, "--write")["assertions"]]
    assert names == ["rubrics/m_2.yaml", "rubrics/m_2.yaml", "rubrics/m_3.yaml"]
    assert (folder / "rubrics/m.yaml").read_text("utf-8") == "mine\n"


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("promptfooconfig.ts", "export default {}", "is a program, and left alone"),
        ("promptfooconfig.yaml", "- a\n", "is no mapping with"),
        ("promptfooconfig.yaml", "a: [\n", "promptfooconfig.yaml:2: not valid YAML"),
        ("promptfooconfig.yaml", "tests: file://no.yaml\n", "no.yaml: cannot be read"),
        ("promptfooconfig.yaml", "tests: [", "not valid YAML"),
    ],
)
def test_bad_input_is_one_sentence(
    name: str, text: str, sentence: str, init: Init, suite: Write
) -> None:
    suite(text, name)
    result = init()
    assert isinstance(result.exception, ConfigError)
    assert sentence in str(result.exception)


def test_a_wrong_judge_and_a_missing_source_are_bad_input(
    init: Init, suite: Write, folder: Path
) -> None:
    suite(one_test(BLIND))
    for args in (("--judge", "openai:gpt-4o"), ("--source", str(folder / "none.md"))):
        assert isinstance(init(*args).exception, ConfigError)


def test_a_set_of_assertions_that_holds_itself_is_read_once(init: Init, suite: Write) -> None:
    suite(
        "x: {type: assert-set, assert: [{$ref: '#/x'}, {type: llm-rubric, value: Is polite}]}\n"
        "tests: [{vars: {a: b}, assert: [{$ref: '#/x'}]}]\n"
    )
    assert only(init)["tests"] == 1
