"""``voirdire read`` and ``voirdire show-prompt``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import SOURCE, VERDICT, Run, write_lines

READ = ("read", "--rubric", "rubric.yaml")
SHOW = ("show-prompt", "--rubric", "rubric.yaml", "--source", "source.md")


def test_lines_become_lines_in_order(run: Run, folder: Path) -> None:
    lines = [
        {"id": "a", "reply": json.dumps(VERDICT), "finish_reason": "stop"},
        {"id": "b", "reply": None},
        {"id": "c", "reply": "x", "refusal": "no"},
        {"reply": "{", "finish_reason": "length"},
        {"id": "e", "reply": json.dumps(VERDICT), "reasoning": "hm"},
        {
            "id": "f",
            "reply": "",
            "usage": {
                "completion_tokens": 100,
                "completion_tokens_details": {"reasoning_tokens": 99},
            },
        },
    ]
    write_lines(folder / "in.jsonl", lines)
    done = run(*READ, "--jsonl", "in.jsonl", "--json")
    assert (done.code, done.err) == (0, "")
    assert [(line["id"], line["reading"]) for line in done.json] == [
        ("a", "verdict"),
        ("b", "silent"),
        ("c", "refused"),
        (None, "truncated"),
        ("e", "verdict"),
        ("f", "silent"),
    ]
    for line in done.json:
        assert list(line) == ["id", "reading", "verdict", "normalisations", "detail"]
    assert done.json[0]["verdict"] == VERDICT
    assert done.json[4]["normalisations"] == ["reasoning_field", "no_finish_reason"]
    assert "80 %" in done.json[5]["detail"]
    again = run(*READ, "--jsonl", "-", "--json", stdin=(folder / "in.jsonl").read_bytes())
    assert again.out == done.out


def test_with_answer_and_source_a_line_has_its_ruling(run: Run, folder: Path) -> None:
    reply = json.dumps(VERDICT)
    lines = [
        {"id": "pass", "reply": reply, "answer": "30 minutes", "source": SOURCE},
        {"id": "undecided", "reply": reply, "answer": "30 minutes", "source": "Nothing."},
        {
            "id": "none",
            "reply": "...",
            "answer": "30 minutes",
            "source": [{"id": "x", "text": "y"}],
        },
        {"id": "no source", "reply": reply, "answer": "30 minutes"},
    ]
    write_lines(folder / "in.jsonl", lines)
    found = {line["id"]: line for line in run(*READ, "--jsonl", "in.jsonl", "--json").json}
    assert (found["pass"]["ruling"], found["pass"]["ruling_kind"]) == ("pass", "pass")
    assert found["undecided"]["ruling"] == "undecided"
    assert found["undecided"]["ruling_kind"] == "evidence_not_found"
    assert found["none"]["ruling"] is None
    assert "ruling" not in found["no source"]


def test_one_reply_from_a_file_or_standard_input(run: Run, folder: Path) -> None:
    (folder / "reply.txt").write_text(f"Sure:\n{json.dumps(VERDICT)}")
    assert run(*READ, "reply.txt").out.startswith("prose: ")
    tolerant = run(*READ, "reply.txt", "--policy", "tolerant")
    assert tolerant.out.startswith("verdict: pass (set aside: prose)\n{\n")
    assert run(*READ, stdin=b"...").out.startswith("silent: ")
    assert run(*READ, "--finish-reason", "length", stdin=b"{}").out.startswith("truncated: ")
    assert run(*READ, "--json", stdin=b"\xff\x00").json[0]["reading"] == "prose"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"id": "x"}, "in.jsonl:2: has no `reply`; null stands for none"),
        ({"reply": 7}, "in.jsonl:2: `reply` must be text"),
        ({"reply": "x", "finish_reason": 7}, "in.jsonl:2: `finish_reason` must be text"),
        ({"reply": "x", "usage": 7}, "in.jsonl:2: `usage` must be an object"),
        ({"reply": "x", "answer": "y", "source": 7}, "in.jsonl:2: `source` must be text"),
        ({"reply": "x", "answer": 7}, "in.jsonl:2: `answer` must be text"),
    ],
)
def test_a_line_that_is_wrong_is_named(
    run: Run, folder: Path, line: dict[str, object], message: str
) -> None:
    write_lines(folder / "in.jsonl", [{"reply": "x"}, line])
    done = run(*READ, "--jsonl", "in.jsonl")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"voirdire: {message}")


def test_bad_input_is_one_sentence(run: Run) -> None:
    assert "give either FILE or --jsonl" in run(*READ, "x", "--jsonl", "y").err
    assert "none.txt: cannot be read" in run(*READ, "none.txt").err
    assert "standard input: is empty" in run(*READ, "--jsonl", "-").err
    assert run(*READ, "none.txt").code == 2


def test_lone_surrogates_are_shown_as_such(run: Run, folder: Path) -> None:
    write_lines(folder / "in.jsonl", [{"id": "\ud800", "reply": '{"critique": "\ud800'}])
    assert run(*READ, "--jsonl", "in.jsonl").out.startswith("\\ud800: ")
    assert run(*READ, "--jsonl", "in.jsonl", "--json").json[0]["id"] == "\ud800"


def test_the_prompt_is_shown_byte_for_byte(run: Run) -> None:
    answer = "30 minutes — <|im_end|> “so”"
    shown = run(*SHOW, "--question", "How long?", "--answer", answer)
    (record,) = run(
        *SHOW, "--question", "How long?", "--answer", "-", "--json", stdin=answer.encode()
    ).json
    system, user = (message["content"] for message in record["messages"])
    assert shown.out.startswith(f"[system]\n{system}\n[user]\n{user}\n")
    assert json.loads(user)["answer"] == answer
    assert "<|im_end|>" not in user
    assert record["prompt_sha256"] in shown.out
    assert record["schema"]["additionalProperties"] is False
    assert "add --source FILE" in run("show-prompt", "--rubric", "rubric.yaml", "--answer", "x").err
