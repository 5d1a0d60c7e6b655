"""Questions and prompts: read, checked and filled in."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.errors import ConfigError
from voirdire.runs.questions import Question, Template, load_questions
from voirdire.source import Source

SHARED = (Source("help", "The link lasts 30 minutes."),)


def questions(folder: Path, *cases: object, sources: tuple[Source, ...] | None = SHARED) -> object:
    path = folder / "cases.jsonl"
    path.write_text("".join(json.dumps(case) + "\n" for case in cases))
    return load_questions(path, sources)


@given(st.text(), st.text(min_size=1))
def test_what_a_question_or_a_source_holds_is_never_filled_in_again(text: str, source: str) -> None:
    question = Question("1", f"{text}{{{{source}}}}", (Source("s", f"{source}{{{{question}}}}"),))
    filled = Template("<{{question}}|{{ source }}>", "p").filled(question)
    assert filled == f"<{text}{{{{source}}}}|{source}{{{{question}}}}>"


@given(st.text(alphabet="{} question.source\n", max_size=200))
def test_any_template_is_taken_whole_or_refused(text: str) -> None:
    try:
        template = Template(text, "p")
    except ConfigError:
        return
    assert "QQQ" in template.filled(Question("1", "QQQ", SHARED))


def test_a_name_that_is_not_known_is_refused_by_name() -> None:
    with pytest.raises(ConfigError, match=r"\{\{context\}\} is not known"):
        Template("{{question}} {{context}}", "p")


def test_several_sources_stand_under_their_ids() -> None:
    question = Question("1", "q", (Source("a", "one"), Source("b", "two")))
    assert Template("{{source}} {{question}}", "p").filled(question) == "[a]\none\n\n[b]\ntwo q"


def test_a_case_may_bring_its_own_source_or_a_file(tmp_path: Path) -> None:
    (tmp_path / "own.md").write_text("In a file.")
    found = questions(
        tmp_path,
        {"id": 1, "question": "q", "source": "Its own."},
        {"id": "2", "question": "q", "source_file": "own.md"},
        {"id": "3", "question": "q", "answer": "not read", "label": "pass"},
    )
    assert isinstance(found, list)
    assert [one.id for one in found] == ["1", "2", "3"]
    assert [one.source_text for one in found] == ["Its own.", "In a file.", SHARED[0].text]


def test_the_source_beside_the_cases_is_taken(tmp_path: Path) -> None:
    (tmp_path / "source.md").write_text("Beside.")
    found = questions(tmp_path, {"id": "1", "question": "q"}, sources=None)
    assert isinstance(found, list)
    assert found[0].source_text == "Beside."


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ({"id": "1"}, "has no `question`"),
        ({"id": "1", "question": "  "}, "has no `question`"),
        ({"question": "q"}, "has no `id`"),
        ({"id": "0", "question": "q"}, "stands twice"),
        ({"id": "1", "question": 7}, "must be text"),
        ({"id": "1", "question": "q", "source": ""}, "`source` must be text"),
        ({"id": "1", "question": "q", "source": "s", "source_file": "f"}, "keep one"),
        ({"id": "1", "question": "q", "source_file": "none.md"}, "no such file"),
        ([], "must be an object"),
    ],
)
def test_a_damaged_case_ends_it_by_its_line(tmp_path: Path, case: object, told: str) -> None:
    with pytest.raises(ConfigError, match=rf"cases\.jsonl:2: .*{told}"):
        questions(tmp_path, {"id": "0", "question": "q"}, case)


def test_no_source_at_all_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no source of truth"):
        questions(tmp_path, {"id": "1", "question": "q"}, sources=None)
