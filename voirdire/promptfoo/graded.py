"""A row of promptfoo's results with all that it holds of its grades, whoever graded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from voirdire.promptfoo.grades import Grade, assertion_of, grades
from voirdire.promptfoo.outputs import output_of
from voirdire.promptfoo.shaped import as_amount, as_mapping, as_text


class Graded(NamedTuple):
    """One answer of a run with its grades.

    Attributes:
        case: the var ``case_id``, else the description, else ``test-N``.
        same: what two runs of the same test have in common: the ``case_id``, else all vars.
        description: the test's; may be empty.
        provider: the provider's id.
        model: its label, or else its id.
        prompt: which prompt of the suite, from 0.
        sent: the prompt as it was sent to the model.
        question: the var ``question``, else the prompt.
        answer: what the model said; ``None`` where it said nothing.
        cost: US dollars of the answer; ``None`` where that is not known.
        seconds: that it took; ``None`` where nobody was asked for it.
        tokens: ``prompt``, ``completion`` and ``reasoning``, which is a part of ``completion``.
        canned: whether the answer was recorded.
        label: what a person decided in the viewer, or in the suite; ``None`` where nobody did.
        note: why.
        grades: in the suite's order.
    """

    case: str
    same: str
    description: str
    provider: str
    model: str
    prompt: int
    sent: str
    question: str
    answer: str | None
    cost: float | None
    seconds: float | None
    tokens: Mapping[str, int]
    canned: bool
    label: str | None
    note: str | None
    grades: tuple[Grade, ...]


def graded(row: Any) -> Graded | None:
    """What a row of promptfoo's results says; ``None`` where it is none, or nested too deep."""
    try:
        return _graded(row) if isinstance(row, dict) else None
    except RecursionError:
        return None


def _graded(row: Mapping[str, Any]) -> Graded:
    output, test = output_of(row), as_mapping(row.get("testCase"))
    provider, response = row.get("provider"), as_mapping(row.get("response"))
    canned = bool(as_mapping(response.get("metadata")).get("canned"))
    sent = as_text(as_mapping(row.get("prompt")).get("raw"))
    case_id, description = output.vars.get("case_id"), as_text(test.get("description"))
    number = row.get("testIdx")
    place = f"test-{number + 1}" if isinstance(number, int) else "test"
    named = "" if case_id is None else as_text(case_id)
    seconds = as_amount(row.get("latencyMs"))
    grading = as_mapping(row.get("gradingResult"))
    components = list(_components(grading))
    label, note = _label(components, output.vars, grading)
    prompt = row.get("promptIdx")
    return Graded(
        case=named or description or place,
        same=named or json.dumps(output.vars, sort_keys=True, default=str),
        description=description,
        provider=as_text(provider.get("id") if isinstance(provider, dict) else provider),
        model=output.provider,
        prompt=prompt if isinstance(prompt, int) else 0,
        sent=sent,
        question=as_text(output.vars.get("question") or sent),
        answer=output.text,
        cost=as_amount(row.get("cost")) or None,  # promptfoo writes 0 where it does not know
        seconds=None if canned or response.get("cached") or not seconds else seconds / 1000,
        tokens=_tokens(as_mapping(response.get("tokenUsage"))),
        canned=canned,
        label=label,
        note=note,
        grades=tuple(grades(row, test, components, output.text)),
    )


def _components(grading: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    found = grading.get("componentResults")
    yield from (item for item in found if isinstance(item, dict)) if isinstance(found, list) else ()


def _label(
    components: Sequence[Mapping[str, Any]], vars_: Mapping[str, Any], grading: Mapping[str, Any]
) -> tuple[str | None, str | None]:
    """What a person decided: in the viewer, or as our suite of labelled cases has it."""
    for item in reversed(components):
        if assertion_of(item).get("type") == "human" and isinstance(item.get("pass"), bool):
            note = as_text(grading.get("comment") or item.get("comment")) or None
            return "pass" if item["pass"] else "fail", note
        label = as_mapping(as_mapping(item.get("metadata")).get("voirdire")).get("label")
        if label in ("pass", "fail"):
            return str(label), as_text(vars_.get("note")) or None
    return None, None


def _tokens(usage: Mapping[str, Any]) -> dict[str, int]:
    details = as_mapping(usage.get("completionDetails"))
    found = {
        "prompt": usage.get("prompt"),
        "completion": usage.get("completion"),
        "reasoning": details.get("reasoning"),
    }
    return {name: int(as_amount(value) or 0) for name, value in found.items()}
