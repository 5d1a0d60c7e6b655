"""A real small language model is examined, and found unfit for the right reasons.

Written down before it was first run, from what a model of 135 million parameters is: it writes
fluent English and follows no instruction of this length.

- Held to our schema alone, it must fail `voice` or `form`: a critique that does not come to its
  end is cut off, and one that does is followed by a verdict that disagrees with itself.
- Held to a schema so narrow that every reply is whole, it must fail `sight` and `negation`: it
  cannot tell right from wrong, and a minimal pair is the same text to it. None of its replies may
  be cut off: there is nothing left that could be.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from voirdire.calibration.labelled import Labelled
from voirdire.examination.battery import own_battery
from voirdire.examination.finding import Finding
from voirdire.examination.request import Request
from voirdire.examination.run import examine
from voirdire.grade import Case
from voirdire.journal import Journal, entries
from voirdire.rubric import Rubric
from voirdire.source import Source

pytestmark = pytest.mark.model

SLOTS = 2  # requests that the server works on at once
# Few words, since every one of them takes this model its time.
SOURCES = (
    Source("reset", "A reset link works once and expires after 30 minutes."),
    Source("plan", "The Team plan costs 12 dollars a month. It cannot be paid by cheque."),
)
ANSWERS = {
    "How long does the reset link work?": ("It expires after 30 minutes.", "It never expires."),
    "How often does the reset link work?": ("The reset link works once.", "It works 5 times."),
    "What is the Team plan?": ("The Team plan is 12 dollars a month.", "Team is free of charge."),
    "Can I pay by cheque?": ("It cannot be paid by cheque.", "Yes, send us a cheque."),
}
CASES = [
    Labelled(Case(SOURCES, question, answer, f"{number}-{label}"), label, {}, "", "", (), "", "")
    for number, (question, answers) in enumerate(ANSWERS.items())
    for label, answer in zip(("pass", "fail"), answers, strict=True)
]
RUBRIC = Rubric("small", {"grounded": "Is every statement of the answer in the source?"})
QUOTES = [source.text for source in SOURCES]
# A verdict's schema with so few values that even this model comes to its end.
NARROW = {
    "type": "object",
    "properties": {
        "critique": {"enum": ["looked at both"]},
        "criteria": {
            "type": "object",
            "properties": {"grounded": {"type": "boolean"}},
            "required": ["grounded"],
            "additionalProperties": False,
        },
        "evidence": {"type": "array", "items": {"enum": QUOTES}, "minItems": 1, "maxItems": 1},
        "verdict": {"enum": ["pass", "fail", "cannot_decide"]},
        "confidence": {"enum": [0.95]},
    },
    "required": ["critique", "criteria", "evidence", "verdict", "confidence"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def spec() -> Iterator[str]:
    """The spec of the judge that a server with the model is."""
    model = os.environ.get("VOIRDIRE_TEST_MODEL", "")
    if not Path(model).is_file():
        pytest.skip("VOIRDIRE_TEST_MODEL names no model; run `npm run test:model`, which gets one")
    xllamacpp = pytest.importorskip(
        "xllamacpp", reason="xllamacpp is not installed; run `npm run test:model`, which does it"
    )
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = 1536 * SLOTS
    params.n_parallel = SLOTS
    params.warmup = False
    params.verbosity = 0
    # Several threads wait for each other at every layer; on a busy machine, for very long.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    running = xllamacpp.Server(params)
    yield f"openai:smollm2@{running.listening_address}/v1"
    del running


def examined(
    spec: str, folder: Path, settings: Mapping[str, Any], questions: str, calls: int
) -> dict[str, Finding]:
    """Some findings on the model by their names, after no more than so many calls."""
    journal = folder / "journal.jsonl"
    request = Request(
        spec,
        own_battery(RUBRIC, CASES),
        Journal(journal),
        settings={"in_flight": SLOTS, "timeout_s": 150, "seed": 1, "retries": 0, **settings},
        questions=tuple(questions.split()),
        max_calls=calls,
        tested=("gpt-4.1",),
    )
    found = {one.name: one for one in examine(request)}
    asked, damaged = entries(journal)
    assert damaged == []
    errors = [entry.call["error"]["kind"] for entry in asked if "error" in entry.call]
    assert set(errors) <= {"budget"}  # every call that was made brought a reply
    assert 0 < len(asked) - len(errors) <= calls
    return found


def test_held_to_our_schema_it_is_cut_off_or_disagrees_with_itself(
    spec: str, tmp_path: Path
) -> None:
    found = examined(spec, tmp_path, {"max_tokens": 60}, "voice form pinned", 8)
    assert "fail" in (found["voice"].result, found["form"].result)
    assert found["pinned"].result == "pass"
    assert found["pinned"].figures["family"] == "huggingface"


def test_made_to_speak_it_cannot_see(spec: str, tmp_path: Path) -> None:
    response = {"type": "json_schema", "json_schema": {"name": "verdict", "schema": NARROW}}
    settings = {"max_tokens": 300, "extra": {"response_format": response}}
    found = examined(spec, tmp_path, settings, "sight constancy negation cost", 30)
    assert sum(found["constancy"].figures["decisions"].values()) == len(CASES)  # all were read
    assert (found["sight"].result, found["negation"].result) == ("fail", "fail")
    assert found["sight"].figures["examples"]
    assert found["cost"].figures["seconds_95"] > 0
