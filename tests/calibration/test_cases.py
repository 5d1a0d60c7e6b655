"""Labelled cases out of files: what is read, what is left out, and where it stood."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from voirdire.calibration.casefile import CaseRow, rows
from voirdire.calibration.cases import LoadedCases, beside, load_cases
from voirdire.errors import ConfigError
from voirdire.journal import Damage
from voirdire.source import Source

GOLDEN = Path(__file__).resolve().parent.parent.parent / "golden"
SHARED = (Source("help", "The link lasts 30 minutes."),)
CASE: dict[str, Any] = {
    "id": "a",
    "question": "How long?",
    "answer": "30 minutes.",
    "label": "pass",
}


def write(path: Path, *cases: Any) -> Path:
    lines = (case if isinstance(case, str) else json.dumps(case) for case in cases)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def load(path: Path, *cases: Any, sources: tuple[Source, ...] | None = SHARED) -> LoadedCases:
    return load_cases(write(path / "cases.jsonl", *cases), sources=sources)


def damage(path: Path, *cases: Any) -> list[str]:
    """Why each case that is left out is, beside one that is sound."""
    loaded = load(path, *cases, {**CASE, "id": "sound", "answer": "So long."})
    assert [case.case.id for case in loaded.cases] == ["sound"]
    assert [item.where for item in loaded.damaged] == [
        f"{path / 'cases.jsonl'}:{number}" for number in range(1, len(cases) + 1)
    ]
    return [item.why for item in loaded.damaged]


def test_the_golden_cases_find_their_source_and_rubric_beside_them() -> None:
    path = GOLDEN / "kitebase" / "cases.jsonl"
    loaded = load_cases(path, sources=None)
    assert (len(loaded.cases), loaded.damaged, loaded.duplicates) == (12, [], [])
    assert [case.label for case in loaded.cases].count("fail") == 3
    first = loaded.cases[0]
    assert (first.case.id, first.where, first.tags) == (
        "kite-01",
        f"{path}:1",
        ("near-miss", "duration"),
    )
    assert len(first.case.sources) == 20
    assert loaded.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert beside(path) == (
        path.parent / "rubric.yaml",
        path.parent / "excerpts.json",
        path.parent / "replies.jsonl",
    )


YAML = """\
- id: a
  question: How long?
  answer: 30 minutes.
  label: pass
  criteria: {grounded: true, answers: true}
  note: "So it says, né?"
  label_2: FAIL
  tags: [near miss, duration]
  model: quillon-4
- id: 2
  answer: |
    45
    minutes.
  label: False
"""
JSONL = [
    {
        **CASE,
        "criteria": {"grounded": True, "answers": "True"},
        "note": "So it says, né?",
        "second": "fail",
        "tags": ["near miss", "duration"],
        "model": "quillon-4",
    },
    {"id": 2, "answer": "45\nminutes.\n", "label": False, "question": None, "expect": {}},
]
CSV = """\
id,question,answer,label,criteria.grounded,criteria.answers,note,second,tags,model,posting
a,How long?,30 minutes.,Pass,true,TRUE,"So it says, né?",fail,near miss; duration;,quillon-4,
2,,"45
minutes.
",FALSE,,,,,,,x
"""


# Rows end as on Windows, lines within a cell as they were typed.
EXCEL = "\ufeff" + re.sub(r"(?<!45)(?<!minutes\.)\n", "\r\n", CSV)


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("cases.jsonl", "".join(json.dumps(case) + "\n" for case in JSONL), (1, 2)),
        ("cases.yaml", YAML, (1, 10)),
        ("cases.yml", YAML, (1, 10)),
        ("cases.CSV", CSV, (2, 3)),
        (
            "cases.csv",
            EXCEL,
            (2, 3),
        ),
    ],
    ids="jsonl yaml yml csv excel".split(),
)
def test_each_format_says_the_same(
    tmp_path: Path, name: str, text: str, lines: tuple[int, int]
) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8"))
    loaded = load_cases(path, sources=SHARED)
    assert loaded.damaged == []
    first, second = loaded.cases
    assert first.case == (SHARED, "How long?", "30 minutes.", "a")
    assert (first.label, first.criteria) == ("pass", {"grounded": True, "answers": True})
    assert (first.note, first.second, first.model) == ("So it says, né?", "fail", "quillon-4")
    assert first.tags == ("near miss", "duration")
    assert second.case == (SHARED, None, "45\nminutes.\n", "2")
    assert second[1:7] == ("fail", {}, "", "", (), "")
    assert [case.where for case in loaded.cases] == [f"{path}:{line}" for line in lines]


@pytest.mark.parametrize(
    ("given_label", "expected"),
    [
        ("pass", "pass"),
        ("Pass", "pass"),
        ("FAIL", "fail"),
        (" fail ", "fail"),
        (True, "pass"),
        (False, "fail"),
        ("true", "pass"),
        ("FALSE", "fail"),
    ],
)
def test_labels_are_read_in_any_of_their_spellings(
    tmp_path: Path, given_label: Any, expected: str
) -> None:
    (case,) = load(tmp_path, {**CASE, "label": given_label}).cases
    assert case.label == expected


@pytest.mark.parametrize("label", ["passed", "yes", "ok", "0", 1, 0, 0.5, [], {}, None, "", "p"])
def test_whatever_else_stands_for_a_label_is_damage(tmp_path: Path, label: Any) -> None:
    (why,) = damage(tmp_path, {**CASE, "label": label})
    assert why.startswith("`label` is ")
    assert why.endswith("; write pass or fail")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"id": None}, "has no `id`"),
        ({"id": " "}, "has no `id`"),
        ({"id": True}, "has no `id`"),
        ({"answer": None}, "has no `answer`"),
        ({"answer": 30}, "`answer` must be text"),
        ({"question": ["How?"]}, "`question` must be text"),
        ({"note": 1}, "`note` must be text"),
        ({"model": {}}, "`model` must be text"),
        ({"tags": [1]}, "`tags` must be a list of words"),
        ({"tags": {"a": 1}}, "`tags` must be a list of words"),
        ({"second": "maybe"}, '`second` is "maybe"; write pass or fail'),
        ({"label_2": 2}, "`label_2` is 2; write pass or fail"),
        ({"second": "pass", "label_2": "passed"}, '`label_2` is "passed"; write pass or fail'),
        ({"criteria": ["grounded"]}, "`criteria` must say true or false"),
        ({"criteria": {"grounded": "perhaps"}}, '`criteria.grounded` is "perhaps"'),
        ({"criteria": {"grounded": False}}, 'is pass, but the criterion "grounded" is false'),
        ({"source": ""}, "`source` must be text that is not empty, or a list of excerpts"),
        ({"source": [{"id": "x"}]}, "`source`: excerpt 1: `text` of 'x' must be text"),
        ({"source": "x", "source_file": "x"}, "has both `source` and `source_file`"),
        ({"source_file": "none.md"}, "none.md: no such file"),
    ],
)
def test_a_case_that_cannot_be_used_is_named_and_left_out(
    tmp_path: Path, fields: dict[str, Any], words: str
) -> None:
    (why,) = damage(tmp_path, {**CASE, **fields})
    assert words in why


def test_lines_that_are_no_cases_are_named_and_left_out(tmp_path: Path) -> None:
    lines = ['{"id": "a"', "[]", '"text"', '{"id": "a", "label": "pass", "label": "fail"}']
    assert damage(tmp_path, *lines) == [
        "not valid JSON (Expecting ',' delimiter)",
        "must be an object with id, question, answer and label",
        "must be an object with id, question, answer and label",
        "not valid JSON (a key stands twice, or it is too deep)",
    ]


def test_damage_in_yaml_and_csv_is_named_by_its_line_too(tmp_path: Path) -> None:
    yaml = tmp_path / "cases.yaml"
    yaml.write_text(YAML + "- id: c\n  answer: x\n  label: perhaps\n- just words\n", "utf-8")
    loaded = load_cases(yaml, sources=SHARED)
    assert len(loaded.cases) == 2
    assert [item.where for item in loaded.damaged] == [f"{yaml}:{line}" for line in (15, 18)]
    table = tmp_path / "cases.csv"
    table.write_bytes(
        b"id,answer,label\n"
        b"a,x\n"
        b"b,x,pass,more\n"
        b'c,"x"y,pass\n'
        b"d,\xff,pass\n"
        b'e,"two\nlines",pass\n'
        b"\n,,\n"
        b"f,y,perhaps\n"
        b'g,"never closed,pass\n'
        b"h,z,pass\n"
    )
    loaded = load_cases(table, sources=SHARED)
    assert [(case.case.id, case.where) for case in loaded.cases] == [("e", f"{table}:6")]
    assert loaded.damaged == [
        Damage(f"{table}:2", "has 2 fields, but there are 3 columns"),
        Damage(f"{table}:3", "has 4 fields, but there are 3 columns"),
        Damage(f"{table}:4", "not valid CSV (',' expected after '\"')"),
        Damage(f"{table}:5", "not UTF-8; save the file as UTF-8"),
        Damage(f"{table}:10", '`label` is "perhaps"; write pass or fail'),
        Damage(f"{table}:11", "not valid CSV (unexpected end of data)"),
    ]


def test_a_cell_may_hold_a_whole_manual(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    manual = "The link lasts 30 minutes. " * 20_000
    path = tmp_path / "cases.csv"
    path.write_text(f"id,answer,label,source\na,x,pass,{manual}\n", "utf-8")
    (case,) = load_cases(path, sources=None).cases
    assert case.case.sources == (Source("source", manual),)
    assert csv.field_size_limit() == before


def test_an_empty_answer_is_an_answer(tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("id,answer,label\na,,fail\n", "utf-8")
    assert load_cases(path, sources=SHARED).cases[0].case.answer == ""


def test_of_two_cases_with_one_id_the_second_is_damaged(tmp_path: Path) -> None:
    loaded = load(tmp_path, CASE, {**CASE, "answer": "45 minutes.", "label": "fail"})
    assert [case.label for case in loaded.cases] == ["pass"]
    path = tmp_path / "cases.jsonl"
    assert loaded.damaged == [Damage(f"{path}:2", f'the id "a" stands at {path}:1 already')]


def test_a_damaged_case_does_not_take_its_id_from_a_sound_one(tmp_path: Path) -> None:
    loaded = load(tmp_path, {**CASE, "label": "perhaps"}, CASE)
    assert [case.where for case in loaded.cases] == [f"{tmp_path / 'cases.jsonl'}:2"]


def test_the_same_case_under_another_id_is_said_and_so_is_a_contradiction(tmp_path: Path) -> None:
    others = [{**CASE, "id": "b"}, {**CASE, "id": "c", "label": "fail"}]
    different = [
        {**CASE, "id": "d", "source": "The link lasts 3 days."},
        {**CASE, "id": "e", "question": None},
    ]
    loaded = load(tmp_path, CASE, *others, *different)
    assert len(loaded.cases) == 5
    path = tmp_path / "cases.jsonl"
    assert loaded.duplicates == [
        f'{path}:2: "b" is "a" ({path}:1) under another id',
        f'{path}:3: "c" is "a" ({path}:1) under another id, but labelled fail here and pass there',
    ]


@pytest.mark.parametrize(
    ("criteria", "label"),
    [
        ({"grounded": True, "answers": True}, "pass"),
        ({"grounded": True, "answers": False}, "fail"),
        ({"grounded": "FALSE", "answers": None}, "fail"),
    ],
)
def test_criteria_alone_come_to_a_label(
    tmp_path: Path, criteria: dict[str, Any], label: str
) -> None:
    (case,) = load(tmp_path, {**CASE, "label": None, "criteria": criteria}).cases
    assert case.label == label


def test_a_fail_may_have_another_reason_than_the_criteria_that_were_given(tmp_path: Path) -> None:
    (case,) = load(tmp_path, {**CASE, "label": "fail", "criteria": {"grounded": True}}).cases
    assert (case.label, case.criteria) == ("fail", {"grounded": True})


def test_a_tag_counts_once(tmp_path: Path) -> None:
    (case,) = load(tmp_path, {**CASE, "tags": ["money", "date ", "money", ""]}).cases
    assert case.tags == ("money", "date")


def test_a_cases_own_source_comes_first_then_those_given_then_those_beside(tmp_path: Path) -> None:
    (tmp_path / "source.txt").write_text("Beside.")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "own.md").write_text("Of its own.")
    cases = [
        {**CASE, "id": "text", "source": "Inline."},
        {**CASE, "id": "list", "source": [{"id": "x", "title": "T", "text": "Listed."}]},
        {**CASE, "id": "file", "source_file": "docs/own.md"},
        {**CASE, "id": "none"},
    ]
    file = str(tmp_path / "docs" / "own.md")
    own = [
        (Source("source", "Inline."),),
        (Source("x", "T\nListed."),),
        (Source(file, "Of its own."),),
    ]
    default = (Source(str(tmp_path / "source.txt"), "Beside."),)
    for sources, rest in ((SHARED, SHARED), (None, default)):
        found = [case.case.sources for case in load(tmp_path, *cases, sources=sources).cases]
        assert found == [*own, rest]


def test_a_source_beside_the_cases_is_not_read_where_it_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "excerpts.json").write_text("not JSON")
    assert load(tmp_path, {**CASE, "source": "x"}, sources=None).damaged == []
    (found,) = load(tmp_path, {**CASE, "source": "x"}, {**CASE, "id": "b"}, sources=None).damaged
    assert "excerpts.json:1: not valid JSON" in found.why


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("none.jsonl", None, "no such file; give the path of the labelled cases"),
        ("cases.xlsx", "x", "labelled cases are .jsonl, .yaml or .csv"),
        ("cases.json", "[]", "labelled cases are .jsonl, .yaml or .csv"),
        ("cases.jsonl", "\n\n", "holds no cases"),
        ("cases.jsonl", "x\nx\n", "no case can be used; {path}:1: not valid JSON"),
        ("cases.jsonl", '{"id": "a", "answer": "x", "label": "pass"}', "has no source of truth"),
        ("cases.yaml", "id: a", ":1: labelled cases in YAML are a list"),
        ("cases.yaml", "- id: [", ": not valid YAML"),
        ("cases.yaml", "[]", "holds no cases"),
        ("cases.csv", "", "is empty; its first line must name the columns"),
        ("cases.csv", "id;answer;label\na;x;pass", ":1: the first line must name the columns"),
        ("cases.csv", "id,answer,id", ":1: the column 'id' stands twice"),
        ("cases.csv", '"id', ":1: not valid CSV"),
        ("cases.csv", "id,answer\n", "holds no cases"),
    ],
)
def test_a_file_without_any_case_is_bad_input(
    tmp_path: Path, name: str, text: str | None, words: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text, "utf-8")
    with pytest.raises(ConfigError) as error:
        load_cases(path, sources=None)
    assert words.format(path=path) in str(error.value)
    assert str(error.value).startswith(str(path))


def test_a_folder_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        load_cases(tmp_path, sources=None)


pieces = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [
            b"id,answer,label\n",
            b"a,x,pass\n",
            b'"',
            b",",
            b"\n",
            b"- id: a\n",
            b"  answer: x\n",
            b"  label: pass\n",
            b'{"id": "a", "answer": "x", "label": "fail"}\n',
            b'{"id": ',
            b"\xff\n",
            b"\x00",
        ]
    ),
)


@pytest.mark.parametrize("suffix", [".jsonl", ".yaml", ".csv"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(content=st.lists(pieces, max_size=12).map(b"".join))
def test_any_bytes_are_cases_damage_or_one_error(
    tmp_path: Path, suffix: str, content: bytes
) -> None:
    path = tmp_path / f"cases{suffix}"
    path.write_bytes(content)
    try:
        found = list(rows(path))
    except ConfigError as error:
        found = [Damage(str(error), "")]
    assert all(item.where.startswith(str(path)) for item in found)
    places = [item.where for item in found]
    assert len(set(places)) == len(places)
    if suffix == ".jsonl":  # which can always be told apart
        lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        assert len(found) == sum(bool(line.strip()) for line in lines)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00\r"))
Writer = Callable[[Path, list[dict[str, str]]], Path]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    answers=st.lists(
        st.tuples(texts, texts.filter(str.strip), st.sampled_from(["pass", "fail"])), min_size=1
    )
)
def test_any_texts_come_back_from_csv_as_they_were_written(
    tmp_path: Path, answers: list[tuple[str, str, str]]
) -> None:
    path = tmp_path / "cases.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "answer", "note", "label"])
        writer.writerows([str(n), *answer] for n, answer in enumerate(answers))
    found = [row.fields for row in rows(path) if isinstance(row, CaseRow)]
    assert [(row["answer"], row["note"], row["label"]) for row in found] == answers
