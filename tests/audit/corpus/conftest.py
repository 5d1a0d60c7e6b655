"""Corpora in the formats that are read, and what is read of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from voirdire.audit.corpus.item import Damage, Form, Item
from voirdire.audit.corpus.lines import items
from voirdire.audit.corpus.open import BLOCK_BYTES, Corpus

Found = list[Item | Damage]
FORM = Form()
ReadAll = Callable[..., Found]


@pytest.fixture
def read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReadAll:
    """Reads a corpus at paths below the test's folder."""
    monkeypatch.chdir(tmp_path)

    def read_all(
        *paths: str, form: Form = FORM, eval_id: str | None = None, size: int = BLOCK_BYTES
    ) -> Found:
        corpus = Corpus(paths, form, eval_id)
        found = list(corpus.blocks(size))
        places = [(block.file, number) for block in found for number, _ in items(block)]
        assert places == sorted(set(places)), "two texts at one place, or not in order"
        if corpus.total is not None:
            assert corpus.read == corpus.total
        return [item for block in found for _, item in items(block)]

    return read_all


def row(output: Any, provider: str = "m", **fields: Any) -> dict[str, Any]:
    """A row of promptfoo's results, with what the reading looks at."""
    return {
        "promptIdx": 0,
        "testIdx": 0,
        "testCase": {"vars": {}},
        "provider": {"id": provider, "label": ""},
        "response": {"output": output},
        "vars": {},
        "success": True,
        "failureReason": 0,
        "error": None,
        **fields,
    }


def results(*rows: Any) -> dict[str, Any]:
    """A results file."""
    return {
        "evalId": "eval-1",
        "results": {"version": 3, "prompts": [{"results": [1]}], "results": rows, "stats": {}},
        "config": {"results": {"results": ["not these"]}},
    }


def database(path: Path, evals: dict[str, Sequence[Any]]) -> sqlite3.Connection:
    """A database with the tables of promptfoo's that are read; the last eval is the latest."""
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("CREATE TABLE evals (id TEXT, created_at INTEGER)")
    connection.execute(
        "CREATE TABLE eval_results (id TEXT, eval_id TEXT, prompt_idx INT, test_idx INT,"
        " test_case TEXT, provider TEXT, response TEXT, error TEXT, success INT,"
        " failure_reason INT)"
    )
    for when, (name, outputs) in enumerate(evals.items()):
        connection.execute("INSERT INTO evals VALUES (?, ?)", (name, when))
        for index, output in enumerate(outputs):
            add(connection, name, index, json.dumps({"output": output}))
    connection.commit()
    return connection


def add(connection: sqlite3.Connection, eval_id: str, test: int, response: str | bytes) -> None:
    """A result more."""
    connection.execute(
        'INSERT INTO eval_results VALUES (?, ?, 0, ?, \'{"vars": {"q": 1}}\','
        ' \'{"id": "echo", "label": "a model"}\', CAST(? AS TEXT), NULL, 1, 0)',
        (f"r{-test}", eval_id, test, response),
    )
