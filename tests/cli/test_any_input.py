"""Whatever is typed or read, no traceback and a known exit code; help shows how it is meant."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Run
from voirdire.cli import main

COMMANDS = [
    ["judge"],
    ["read"],
    ["show-prompt"],
    ["compare"],
    ["inject"],
    ["cache"],
    ["journal"],
    ["audit"],
    ["calibrate"],
    ["examine"],
    ["gate"],
    ["corrected"],
    ["label"],
    ["lint"],
    ["sample"],
    ["drift"],
    ["agreement"],
    ["doctor"],
    ["init"],
    ["report"],
    ["run"],
    ["schema"],
]
WORDS = [
    *("judge", "read", "show-prompt", "compare", "inject", "cache", "journal"),
    *("calibrate", "gate", "corrected", "label", "lint", "sample", "drift", "audit", "--corpus"),
    *("--eval", "--production", "--check", "--certificate", "--min-kappa", "--history", "strict:"),
    *("list", "show", "export", "stats", "prune", "import", "--samples", "--order", "--a", "--b"),
    *("--rubric", "--source", "--question", "--answer", "--jsonl", "--judge", "--set", "--json"),
    *("--policy", "--journal", "--out", "--replay", "--last", "--case-id", "--precheck", "-"),
    *("rubric.yaml", "source.md", "cases.jsonl", "replies.jsonl", "junk", ".", "none", "rules"),
    *("replay:replies.jsonl", "replay:junk", "openai:", "strict", "tolerant", "seed=1", "", "--"),
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_help_has_examples(run: Run, arguments: list[str]) -> None:
    done = run(*arguments, "--help")
    assert done.code == 0
    assert "Examples:" in done.out
    assert f"voirdire {arguments[0]} " in done.out


def test_help_names_every_command(run: Run) -> None:
    done = run("--help")
    assert done.code == 0
    for name in ("judge", "read", "show-prompt", "journal"):
        assert f"  {name} " in done.out
    assert "Exit codes: 0" in done.out
    assert run("--version").out.startswith("voirdire, version ")
    assert run().code in (0, 2)
    assert run("judges").code == 2


@contextlib.contextmanager
def called_with(arguments: list[str], typed: bytes) -> Iterator[list[io.StringIO]]:
    """The command line's own process, as far as it can be had without one."""
    shown = [io.StringIO(), io.StringIO()]
    stdin = io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["voirdire", *arguments])
        patch.setattr(sys, "stdin", stdin)
        with contextlib.redirect_stdout(shown[0]), contextlib.redirect_stderr(shown[1]):
            yield shown


@settings(
    max_examples=300,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    arguments=st.lists(st.sampled_from(WORDS) | st.text(max_size=8), max_size=10),
    junk=st.binary(max_size=60),
    name=st.sampled_from(["rubric.yaml", "cases.jsonl", "replies.jsonl", "source.md"]),
    damaged=st.booleans(),
)
def test_no_traceback_ever(
    folder: Path, arguments: list[str], junk: bytes, name: str, damaged: bool
) -> None:
    before = {file: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    here = Path.cwd()
    os.chdir(folder)
    try:
        (folder / "junk").write_bytes(junk)
        if damaged:
            (folder / name).write_bytes(junk)
        with called_with(arguments, junk) as shown, pytest.raises(SystemExit) as end:
            main()
        assert end.value.code in (0, 1, 2), (arguments, shown[1].getvalue())
        assert "Traceback" not in shown[1].getvalue()
    finally:
        os.chdir(here)
        for file, data in before.items():
            file.write_bytes(data)


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    line=st.dictionaries(
        st.sampled_from(
            ["id", "reply", "finish_reason", "answer", "source", "usage", "refusal", "question"]
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=20),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["id", "text", "prompt", "x"]), inner, max_size=3)
            ),
            max_leaves=6,
        ),
    )
)
def test_any_object_in_a_line_is_read_or_refused(folder: Path, line: dict[str, object]) -> None:
    import json

    (folder / "line.jsonl").write_text(json.dumps(line))
    files = [str(folder / name) for name in ("rubric.yaml", "line.jsonl", "source.md")]
    journal = str(folder / "any.jsonl")
    for arguments in (
        ["read", "--rubric", files[0], "--jsonl", files[1]],
        [
            *("judge", "--rubric", files[0], "--jsonl", files[1], "--source", files[2]),
            *("--judge", "rules", "--journal", journal),
        ],
    ):
        with called_with(arguments, b"") as shown, pytest.raises(SystemExit) as end:
            main()
        assert end.value.code in (0, 1, 2), shown[1].getvalue()
