"""What the real promptfoo leaves behind, read as a corpus: its database and its results files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import FAILED_TESTS, Promptfoo, Run
from voirdire.audit.corpus.item import Damage, Form, Item
from voirdire.audit.corpus.lines import items
from voirdire.audit.corpus.open import Corpus

pytestmark = pytest.mark.e2e

PROVIDER = r"""
module.exports = class {
  id() { return 'spoken'; }
  async callApi(prompt) {
    if (prompt.includes('broken')) return { error: 'the model is down' };
    if (prompt.includes('object')) return { output: { a: [1, 'é'] } };
    return { output: 'half \ud800 ' + prompt };
  }
};
"""
SUITE: dict[str, Any] = {
    "prompts": ['say {{what}} {"a": 1}'],
    "providers": ["echo", {"id": "file://spoken.js", "label": "my model"}],
    "tests": [{"vars": {"what": what}} for what in ("text", "object", "broken")],
}
EXPECTED = {
    ("echo", 'say text {"a": 1}'),
    ("echo", 'say object {"a": 1}'),
    ("echo", 'say broken {"a": 1}'),
    ("my model", 'half \ud800 say text {"a": 1}'),
    ("my model", '{"a":[1,"é"]}'),
}


@pytest.fixture(scope="module")
def run(promptfoo: Promptfoo, folders: Callable[[str], Path]) -> Run:
    folder = folders("a corpus")
    (folder / "spoken.js").write_text(PROVIDER, encoding="utf-8")
    done = promptfoo(folder, SUITE, "-o", str(folder / "results.jsonl"))
    assert done.code == FAILED_TESTS, done.printed
    return done


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("home/promptfoo.db", "promptfoo database"),
        ("results.json", "promptfoo results"),
        ("results.jsonl", "promptfoo rows"),
    ],
)
def test_every_output_is_a_text_and_every_error_is_counted(run: Run, name: str, kind: str) -> None:
    before = sorted(file.name for file in (run.folder / "home").iterdir())
    corpus = Corpus([str(run.folder / name)], Form())
    found = [item for block in corpus.blocks() for _, item in items(block)]
    texts = [item for item in found if isinstance(item, Item)]
    assert {(item.kind, item.text) for item in texts} == EXPECTED
    assert len(texts) == len(EXPECTED)
    (damage,) = (item for item in found if isinstance(item, Damage))
    assert damage.why == "no output (the model is down)"
    assert corpus.files[0]["format"] == kind
    assert sorted(file.name for file in (run.folder / "home").iterdir()) == before


def test_the_database_is_read_by_the_runs_own_id(run: Run) -> None:
    database = str(run.folder / "home" / "promptfoo.db")
    latest, named = Corpus([database], Form()), Corpus([database], Form(), run.results["evalId"])
    latest.read_hashes()
    named.read_hashes()
    assert latest.files == named.files
    assert named.files[0]["eval_id"] == run.results["evalId"]
