"""A suite's text is changed in the providers meant, and in no other character."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from voirdire.errors import ConfigError
from voirdire.initial.edits import with_providers
from voirdire.initial.marked import Node
from voirdire.initial.suitefile import SuiteFile, read_suite_file

Write = Callable[..., Path]
NEW = {
    "id": "file://door.py",
    "config": {"rubric": "a b.yaml", "vars": {"source": "context"}, "judge": "rules"},
}


def rubrics(node: Node | None) -> list[Node]:
    """The llm-rubrics that are written in a text, each once."""
    if node is None or node.kind == "scalar":
        return []
    kind = node.own("type")
    here = [node] if kind is not None and kind.node.text == "llm-rubric" else []
    return here + [
        found for entry in node.entries if not entry.alias for found in rubrics(entry.node)
    ]


def changed(path: Path) -> tuple[SuiteFile, str]:
    """The file, and its text with the new provider on every llm-rubric."""
    file = read_suite_file(path)
    return file, with_providers(file, [(node, NEW) for node in rubrics(file.marked.top)])


def lines(old: str, new: str) -> tuple[list[str], list[str]]:
    """The lines that go and those that come."""
    diff = list(difflib.ndiff(old.splitlines(keepends=True), new.splitlines(keepends=True)))
    return [line[2:] for line in diff if line[0] == "-"], [
        line[2:] for line in diff if line[0] == "+"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a:\n- b:\n  - type: llm-rubric  # why\n    value: 'x'   # so\n  # next\n  - type: y\n",
        "a:\n  - b:\n      - value: |\n          a\n          b\n\n\n        type: llm-rubric\n\n",
        "a:\n  - type: llm-rubric\n    value: >-\n          a\n          b\n\n# end\n",
        "tests:\n  - assert:\n      - type: llm-rubric\n        value: a",
        "- type: llm-rubric\n  value: |+\n    a\n\n\n- b\n",
        "- type: llm-rubric\r\n  value: ä # é\r\n- b\r\n",
        '- type: llm-rubric\n  value: "two\n    lines"\n  metric: m\n',
        "- type: llm-rubric\n  config:\n    a: [1,\n      2]   # c\n- b\n",
        "b: &b {type: x, value: y}\nc:\n  - <<: *b\n    type: llm-rubric\n",
        "- &a\n  type: llm-rubric\n  value: x\n- *a\n- *a\n",
    ],
)
def test_a_provider_is_added_and_every_line_stays(text: str, suite: Write) -> None:
    file, new = changed(suite(text))
    gone, come = lines(file.text if file.text.endswith("\n") else file.text + "\n", new)
    assert gone == []
    assert [line.strip() for line in come] == [
        "provider:",
        "id: file://door.py",
        "config:",
        "rubric: a b.yaml",
        "vars: {source: context}",
        "judge: rules",
    ]
    assert ("\r\n" in text) == all(line.endswith("\r\n") for line in come)
    assert NEW in [item.get("provider") for item in objects(yaml.safe_load(new))]


def objects(value: Any) -> list[dict[str, Any]]:
    """Every mapping in a value."""
    if isinstance(value, list):
        return [found for item in value for found in objects(item)]
    if isinstance(value, dict):
        return [value] + [found for item in value.values() for found in objects(item)]
    return []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "- type: llm-rubric\n  provider: openai:x  # grader\n  value: a\n",
            (
                "- type: llm-rubric\n  provider:\n    id: file://door.py\n    config:\n"
                "      rubric: a b.yaml\n      vars: {source: context}\n      judge: rules  "
                "# grader\n  value: a\n"
            ),
        ),
        (
            "- provider:\n    id: x\n    config: {a: 1}\n  type: llm-rubric\n",
            (
                "- provider:\n    id: file://door.py\n    config:\n      rubric: a b.yaml\n"
                "      vars: {source: context}\n      judge: rules\n  type: llm-rubric\n"
            ),
        ),
        (
            "- {type: llm-rubric, value: 'a', provider: x,} # c\n",
            (
                "- {type: llm-rubric, value: 'a', provider: {id: file://door.py, config: "
                "{rubric: a b.yaml, vars: {source: context}, judge: rules}},} # c\n"
            ),
        ),
        (  # comments in what goes are kept, and a mark in a text begins none
            (
                "- type: llm-rubric\n  provider: # why\n    # so\n    id: 'a # b'\n"
                "    config: {k: v}  # kept\n  value: a\n"
            ),
            (
                "- type: llm-rubric\n  # why\n  # so\n  provider:\n    id: file://door.py\n"
                "    config:\n      rubric: a b.yaml\n      vars: {source: context}\n"
                "      judge: rules  # kept\n  value: a\n"
            ),
        ),
        (
            "- {type: llm-rubric, value: a,\n   provider: {id: x, # why\n   config: {}}}\n",
            (
                "- {type: llm-rubric, value: a,\n    # why\n   provider: {id: file://door.py, "
                "config: {rubric: a b.yaml, vars: {source: context}, judge: rules}}}\n"
            ),
        ),
        (
            "- {type: llm-rubric, value: a}\n",
            (
                "- {type: llm-rubric, value: a, provider: {id: file://door.py, config: "
                "{rubric: a b.yaml, vars: {source: context}, judge: rules}}}\n"
            ),
        ),
    ],
)
def test_a_provider_is_replaced_where_it_stands(old: str, new: str, suite: Write) -> None:
    assert changed(suite(old))[1] == new


@pytest.mark.parametrize("indent", [None, 2, "\t"])
def test_json_stays_json(indent: Any, suite: Write) -> None:
    rubric: dict[str, Any] = {"type": "llm-rubric", "value": 'ä\t"{'}
    value = {"tests": [{"assert": [rubric, {"type": "x"}]}]}
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    _, new = changed(suite(text, "promptfooconfig.json"))
    rubric["provider"] = NEW
    assert json.loads(new) == value
    gone, come = lines(text, new)
    assert indent is None or (len(gone), len(come)) == (1, 2)


def test_a_byte_order_mark_moves_nothing(suite: Write) -> None:
    file, new = changed(suite("\ufeff- type: llm-rubric\n  value: a\n"))
    assert file.bom == "\ufeff"
    assert new.startswith("- type: llm-rubric\n  value: a\n  provider:\n")


@pytest.mark.parametrize(
    "text",
    [
        # the provider would come to another assertion, too
        "- &a\n  type: llm-rubric\n  value: x\n- <<: *a\n  type: other\n",
        # the anchor that another needs would go
        "- type: llm-rubric\n  provider: &g x\n- provider: *g\n  type: other\n",
        # no Python value
        "- type: llm-rubric\n  value: =\n",
    ],
)
def test_what_would_change_more_is_refused(text: str, suite: Write) -> None:
    with pytest.raises(ConfigError, match=r"promptfooconfig.yaml: nothing is changed"):
        changed(suite(text))


BOMB = "a0: &a0 x\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize(
    "text",
    [BOMB, "a: *b\n", "a: &a\n  b: *a\n", "a: [", "---\na: 1\n---\nb: 2\n", "[" * 300 + "]" * 300],
)
def test_what_is_no_suite_is_refused_in_a_sentence(text: str, suite: Write) -> None:
    with pytest.raises(ConfigError, match=r"promptfooconfig.yaml"):
        read_suite_file(suite(text))


PLAIN = st.recursive(
    st.one_of(st.text(max_size=8), st.integers(), st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text("abc ", max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(deadline=None)
@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(["llm-rubric", "x"]), "value": PLAIN},
            optional={"provider": PLAIN, "metric": PLAIN},
        ),
        min_size=1,
        max_size=4,
    ),
    st.sampled_from([None, False, True]),
    st.integers(2, 5),
    st.booleans(),
)
def test_whatever_is_in_a_suite_only_providers_change(
    tmp_path_factory: pytest.TempPathFactory,
    asserts: list[dict[str, Any]],
    flow: bool | None,
    indent: int,
    sort: bool,
) -> None:
    value = {"tests": [{"assert": asserts}]}
    text = yaml.safe_dump(
        value, default_flow_style=flow, indent=indent, sort_keys=sort, allow_unicode=True
    )
    path = tmp_path_factory.mktemp("any") / "promptfooconfig.yaml"
    path.write_bytes(text.encode())
    _, new = changed(path)
    written = yaml.safe_load(text)["tests"][0]["assert"]  # PyYAML writes NEL as a folded line
    expected = [
        {**item, "provider": NEW} if item["type"] == "llm-rubric" else item for item in written
    ]
    assert yaml.safe_load(new)["tests"][0]["assert"] == expected
