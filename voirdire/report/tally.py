"""What is counted while runs are read: of each grade a few hashes, never its texts."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from voirdire.promptfoo.graded import Graded
from voirdire.promptfoo.grades import Grade
from voirdire.promptfoo.shaped import as_amount, as_number
from voirdire.promptfoo.written import RUN
from voirdire.report.signs import signs

CaseKey = tuple[str, int]
"""What two models, or two runs, have in common of a test: its name, and the how many-th time."""
DECIDED = ("pass", "fail")
_EXAMPLES = 3


class Fact(NamedTuple):
    """A grade without its texts; each hash tells whether something is another.

    Attributes:
        case: the case's name for people.
        outcome: what came of it.
        kind: of the outcome.
        provider: the model's id.
        hashes: of what the outcome depends on, as far as that is known: ``prompt``, ``answer``;
            ``rubric``, or ``template`` and ``rendered``; ``judge``, ``served``, ``setup`` and
            ``fingerprint``; ``source``.
    """

    case: str
    outcome: str
    kind: str
    provider: str
    hashes: dict[str, bytes]


class Sign:
    """How often something suspicious was seen, and of what."""

    def __init__(self) -> None:
        self.count = 0
        self.examples: list[str] = []

    def add(self, examples: Iterable[str]) -> None:
        """In one more grade; the first few examples are kept, each once."""
        self.count += 1
        for example in examples:
            if len(self.examples) < _EXAMPLES and example not in self.examples:
                self.examples.append(example)

    def lines(self, whose: str, of: int) -> Iterator[str]:
        """The evidence: the count with the first example, then the others."""
        first, *others = self.examples
        yield f"{whose}: {self.count} of {of}: {first}"
        yield from (f"{whose}: {example}" for example in others)


class Group:
    """The grades of one model by one metric in one run.

    Args:
        run: the run's name.
        model: the model's.
        metric: the metric's.
    """

    def __init__(self, run: str, model: str, metric: str) -> None:
        self.run, self.model, self.metric = run, model, metric
        self.facts: dict[CaseKey, Fact] = {}
        self.outcomes: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.judged = self.canned = self.inverted = self.ours = False
        self.cost: float | None = None
        self.judge_cost: float | None = 0.0
        self.seconds: list[float] = []
        self.tokens: Counter[str] = Counter()
        self.criteria: dict[str, Counter[bool]] = defaultdict(Counter)
        self.confidences: Counter[float] = Counter()
        self.graders: Counter[str] = Counter()
        self.by_setup: dict[str, Counter[str]] = defaultdict(Counter)
        self.signs: dict[str, Sign] = defaultdict(Sign)
        self._seen: Counter[str] = Counter()

    @property
    def cases(self) -> int:
        """All grades."""
        return sum(self.outcomes.values())

    @property
    def decided(self) -> int:
        """Passes and fails."""
        return self.outcomes["pass"] + self.outcomes["fail"]

    def add_answer(self, answer: Graded) -> None:
        """Count what the answer took, once an answer."""
        self.canned = self.canned or answer.canned
        if answer.cost is not None and not answer.canned:
            self.cost = (self.cost or 0.0) + answer.cost
        if answer.seconds is not None:
            self.seconds.append(answer.seconds)
        self.tokens.update(answer.tokens)

    def add(self, answer: Graded, grade: Grade) -> None:
        """Count one grade."""
        self._seen[answer.same] += 1
        key = (answer.same, self._seen[answer.same])
        self.facts[key] = Fact(
            answer.case, grade.outcome, grade.kind, answer.provider, _hashes(answer, grade)
        )
        self.outcomes[grade.outcome] += 1
        if grade.outcome not in DECIDED:
            self.kinds[grade.kind] += 1
        if grade.outcome == "judge_error":
            self.errors[grade.kind] += 1
        self.judged = self.judged or grade.judged
        self.canned = self.canned or grade.canned
        self.inverted = self.inverted or grade.inverted
        self.ours = self.ours or grade.template == RUN
        if grade.judged:
            self.graders[grade.grader] += 1
        self._add_record(grade)
        seen: dict[str, list[str]] = {}
        for kind, example in signs(answer, grade):
            seen.setdefault(kind, []).append(example)
        for kind, examples in seen.items():
            self.signs[kind].add(examples)

    def _add_record(self, grade: Grade) -> None:
        record = grade.record
        if grade.judged:
            cost = as_amount(record.get("cost", 0.0)) if record else None
            known = cost is not None and self.judge_cost is not None
            self.judge_cost = (self.judge_cost or 0.0) + (cost or 0.0) if known else None
        if isinstance(setup := record.get("setup"), dict):
            self.by_setup[setup_key(setup)][grade.outcome] += 1
        verdict = record.get("verdict")
        if not isinstance(verdict, dict):
            return
        if grade.outcome in DECIDED and isinstance(verdict.get("criteria"), dict):
            for name, holds in verdict["criteria"].items():
                if isinstance(holds, bool):
                    self.criteria[str(name)][holds] += 1
        if (sure := as_number(verdict.get("confidence"))) is not None:
            self.confidences[sure] += 1


class Tally:
    """The groups of all runs, in the order in which they were met."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str, int, str], Group] = {}

    def add(self, run: str, answer: Graded) -> None:
        """Count an answer with its grades."""
        for metric in dict.fromkeys(grade.metric for grade in answer.grades):
            self._group(run, answer, metric).add_answer(answer)
        for grade in answer.grades:
            self._group(run, answer, grade.metric).add(answer, grade)

    def names(self) -> dict[tuple[str, str, int], str]:
        """What a model is called in a run, by its name and prompt: by both, where it had more."""
        prompts = Counter((run, model) for run, model, _ in {key[:3] for key in self._groups})
        return {
            (run, model, prompt): (
                f"{model} · prompt {prompt + 1}" if prompts[run, model] > 1 else model
            )
            for run, model, prompt, _ in self._groups
        }

    def groups(self) -> list[Group]:
        """All groups, their models called as :meth:`names` says."""
        names = self.names()
        for (run, model, prompt, _), group in self._groups.items():
            group.model = names[run, model, prompt]
        return list(self._groups.values())

    def _group(self, run: str, answer: Graded, metric: str) -> Group:
        key = (run, answer.model, answer.prompt, metric)
        if key not in self._groups:
            self._groups[key] = Group(run, answer.model, metric)
        return self._groups[key]


def setup_key(setup: Mapping[str, Any]) -> str:
    """All that makes a judge what it is, as one text."""
    return json.dumps(setup, sort_keys=True, default=str)


def _hashes(answer: Graded, grade: Grade) -> dict[str, bytes]:
    record, setup = grade.record, grade.record.get("setup")
    found: dict[str, Any] = {"prompt": answer.sent}
    if answer.answer is not None or grade.kind == "no_answer":
        found["answer"] = answer.answer
    # Of a grade that is lost nobody knows by what and by whom it was made.
    if record:
        found |= {
            "rubric": record.get("rubric"),
            "judge": grade.grader,
            "served": record.get("model"),
            "fingerprint": record.get("fingerprint"),
            "setup": isinstance(setup, dict) and setup_key({**setup, "fingerprint": None}),
            "source": record.get("source_sha256"),
        }
    elif grade.silent or grade.outcome in DECIDED:
        found |= {"template": grade.template, "judge": grade.grader or "promptfoo's default"}
        if grade.judged and grade.shown is not None:
            found["rendered"] = grade.rubric
    return {name: _hash(value) for name, value in found.items() if value or name == "answer"}


def _hash(value: Any) -> bytes:
    return hashlib.sha256(repr(value).encode("utf-8", "replace")).digest()[:8]
