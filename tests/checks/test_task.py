"""``npm run checks``: what its exit code says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.setup.conftest import make

if TYPE_CHECKING:
    from tests.setup.conftest import Checkout

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the miniature is built for POSIX")

# Writes the counts that it is told, and a failed row where there is a failure among them.
PROMPTFOO = """\
const fs = require("fs");
const args = process.argv.slice(2);
const [successes, failures, errors] = process.env.FAKE_COUNTS.split(" ").map(Number);
const row = { success: false, testCase: { description: "a ticket" },
              gradingResult: { reason: "1 of 2 checks failed: links: x" } };
const results = { stats: { successes, failures, errors }, results: failures ? [row] : [] };
console.log(args.join(" "));
fs.writeFileSync(args[args.indexOf("-o") + 1], JSON.stringify({ results }));
process.exit(Number(process.env.FAKE_EXIT || 0));
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    made = make(tmp_path_factory.mktemp("checks"))
    Path(made.root / "promptfoo.js").write_text(PROMPTFOO)
    return made


@pytest.mark.parametrize(
    ("counts", "promptfoo", "code"),
    [
        ("4 0 0", 0, 0),
        ("3 1 0", 100, 1),
        ("3 0 1", 100, 1),
        # A pass rate that the user is content with, and a filter that leaves no test.
        ("3 1 0", 0, 1),
        ("0 0 0", 0, 2),
        ("4 0 0", 1, 2),
    ],
)
def test_only_a_run_in_which_every_test_passed_ends_with_0(
    checkout: Checkout, counts: str, promptfoo: int, code: int
) -> None:
    found, said = checkout.run("checks", FAKE_COUNTS=counts, FAKE_EXIT=str(promptfoo))
    assert found == code, said
    assert "eval -c promptfooconfig.checks.yaml -o " in said


def test_what_failed_is_named(checkout: Checkout) -> None:
    _, said = checkout.run("checks", "--filter-pattern", "x", FAKE_COUNTS="3 1 0", FAKE_EXIT="100")
    assert "--filter-pattern x" in said
    assert "failed: a ticket: 1 of 2 checks failed: links: x" in said
