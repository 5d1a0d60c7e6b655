"""A row of promptfoo's results with all that it holds of its grades, whoever graded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from voirdire.promptfoo.outputs import output_of

OUTCOMES: Final = ("pass", "fail", "undecided", "judge_error")
JUDGED: Final = frozenset(
    (
        *("llm-rubric", "g-eval", "factuality", "model-graded-factuality"),
        *("model-graded-closedqa", "answer-relevance", "context-faithfulness", "context-recall"),
        *("context-relevance", "conversation-relevance", "trajectory:goal-success"),
        *("search-rubric", "agent-rubric", "select-best", "pi"),
    )
)
"""Types of promptfoo's assertions that ask a model."""

_ERROR_KIND = re.compile(r"judge error \(([a-z_]{1,40})\)")
_UNDECIDED = re.compile(r"undecided: .{0,3000}?\(([a-z_]{1,40})\)", re.DOTALL)
_CRASHED = ("Python code execution failed", "Custom function threw error", "checks not run:")
_UNREADABLE = re.compile(r"Could not extract JSON|malformed response|not match expected format")


class Grade(NamedTuple):
    """One assertion's result.

    Attributes:
        metric: the assertion's ``metric``, or else its type.
        type: its type, ``not-`` left out.
        inverted: whether it was ``not-`` of that type.
        judged: whether a model or voirdire graded it, and no code of promptfoo's.
        outcome: one of :data:`OUTCOMES`, of the answer, whatever promptfoo counted.
        kind: the outcome again, or why it is undecided or an error.
        reason: promptfoo's reason, or voirdire's.
        score: promptfoo's; ``None`` where there is none.
        thresholded: whether the assertion asks for a score.
        silent: whether promptfoo counts as a failed answer what is an error of its grader.
        rubric: what was asked, as it was rendered; empty where it is not text.
        template: the same as it is written in the suite.
        shown: what promptfoo's judge was sent; ``None`` where that is not known.
        grader: the spec or the id of who graded; empty where it is not known.
        raw: the judge's reply; empty where it was not kept.
        canned: whether nobody was asked.
        record: ``metadata.voirdire``; empty for other graders.
    """

    metric: str
    type: str
    inverted: bool
    judged: bool
    outcome: str
    kind: str
    reason: str
    score: float | None = None
    thresholded: bool = False
    silent: bool = False
    rubric: str = ""
    template: str = ""
    shown: str | None = None
    grader: str = ""
    raw: str = ""
    canned: bool = False
    record: Mapping[str, Any] = {}


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
    """What a row of promptfoo's results says; ``None`` where it is none."""
    if not isinstance(row, dict):
        return None
    output, test = output_of(row), _mapping(row.get("testCase"))
    provider, response = row.get("provider"), _mapping(row.get("response"))
    canned = bool(_mapping(response.get("metadata")).get("canned"))
    sent = _text(_mapping(row.get("prompt")).get("raw"))
    case_id, description = output.vars.get("case_id"), _text(test.get("description"))
    number = row.get("testIdx")
    place = f"test-{number + 1}" if isinstance(number, int) else "test"
    named = "" if case_id is None else _text(case_id)
    seconds = _number(row.get("latencyMs"))
    grading = _mapping(row.get("gradingResult"))
    components = list(_components(grading))
    label, note = _label(components, output.vars, grading)
    prompt = row.get("promptIdx")
    return Graded(
        case=named or description or place,
        same=named or json.dumps(output.vars, sort_keys=True, default=str),
        description=description,
        provider=_text(provider.get("id") if isinstance(provider, dict) else provider),
        model=output.provider,
        prompt=prompt if isinstance(prompt, int) else 0,
        sent=sent,
        question=_text(output.vars.get("question") or sent),
        answer=output.text,
        cost=_number(row.get("cost")) or None,  # promptfoo writes 0 where it does not know
        seconds=None if canned or response.get("cached") or not seconds else seconds / 1000,
        tokens=_tokens(_mapping(response.get("tokenUsage"))),
        canned=canned,
        label=label,
        note=note,
        grades=tuple(_grades(row, test, components, output.text)),
    )


def _components(grading: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    found = grading.get("componentResults")
    yield from (item for item in found if isinstance(item, dict)) if isinstance(found, list) else ()


def _label(
    components: Sequence[Mapping[str, Any]], vars_: Mapping[str, Any], grading: Mapping[str, Any]
) -> tuple[str | None, str | None]:
    """What a person decided: in the viewer, or as our suite of labelled cases has it."""
    for item in reversed(components):
        if _assertion(item).get("type") == "human" and isinstance(item.get("pass"), bool):
            note = _text(grading.get("comment") or item.get("comment")) or None
            return "pass" if item["pass"] else "fail", note
        label = _mapping(_mapping(item.get("metadata")).get("voirdire")).get("label")
        if label in ("pass", "fail"):
            return str(label), _text(vars_.get("note")) or None
    return None, None


def _grades(
    row: Mapping[str, Any],
    test: Mapping[str, Any],
    components: Sequence[Mapping[str, Any]],
    answer: str | None,
) -> Iterator[Grade]:
    if row.get("failureReason") == 2:  # promptfoo keeps no grades of such a row
        error = _text(row.get("error")) or "error"
        for assertion in _asserts(test.get("assert")):
            # Nor the answer: only the trace tells an error in grading from one of the model.
            lost = answer is not None or "runAssertion" in error
            outcome, kind = _raised(error) or (
                ("judge_error", "lost") if lost else ("undecided", "no_answer")
            )
            type_, inverted = _type(assertion)
            yield Grade(
                metric=_text(assertion.get("metric")) or f"{'not-' * inverted}{type_}",
                type=type_,
                inverted=inverted,
                judged=type_ in JUDGED or "judge" in _mapping(assertion.get("config")),
                outcome=outcome,
                kind=kind,
                reason=error,
                grader=_grader(assertion, test),
            )
        return
    for item in components:
        parts = item.get("componentResults")
        apart = isinstance(parts, list) and any(isinstance(part, dict) for part in parts)
        if not apart and _assertion(item).get("type") not in ("human", "assert-set"):
            yield _grade(item, test)


def _grade(item: Mapping[str, Any], test: Mapping[str, Any]) -> Grade:
    assertion, metadata = _assertion(item), _mapping(item.get("metadata"))
    record = _mapping(metadata.get("voirdire"))
    type_, inverted = _type(assertion)
    reason = _text(record.get("reason") or item.get("reason"))
    passed, judged = bool(item.get("pass")), type_ in JUDGED or bool(record)
    outcome = kind = "pass" if passed else "fail"
    silent = False
    if record:
        said = record.get("judge_said") or record.get("outcome")
        outcome = said if said in OUTCOMES else "judge_error"
        kind = outcome if record.get("judge_said") else _text(record.get("kind")) or outcome
    elif not passed and reason.startswith(_CRASHED):
        raised = _raised(reason)
        outcome, kind = raised or ("judge_error", "crashed")
        judged = judged or raised is not None
    elif metadata.get("graderError") or (
        judged and not passed and _UNREADABLE.search(reason[:500])
    ):
        silent = True
        outcome = "judge_error"
        kind = "unreadable" if _UNREADABLE.search(reason[:500]) else "grader_error"
    template = _text(assertion.get("value")) if isinstance(assertion.get("value"), str) else ""
    shown = metadata.get("renderedGradingPrompt")
    return Grade(
        metric=_text(assertion.get("metric")) or f"{'not-' * inverted}{type_}",
        type=type_,
        inverted=inverted,
        judged=judged,
        outcome=outcome,
        kind=kind,
        reason=reason,
        score=_number(item.get("score")),
        thresholded=assertion.get("threshold") is not None,
        silent=silent,
        rubric=_text(metadata.get("renderedAssertionValue")) or template,
        template=template,
        shown=_text(record.get("prompt") or shown) if record.get("prompt") or shown else None,
        grader=_text(record.get("judge")) or _grader(assertion, test),
        raw=_text(record.get("raw") or record.get("payload")),
        canned=bool(record.get("canned") or metadata.get("canned")),
        record=record,
    )


def _raised(text: str) -> tuple[str, str] | None:
    """The outcome that voirdire raised, where promptfoo takes nothing else."""
    if found := _ERROR_KIND.search(text[:4000]):
        return "judge_error", found[1]
    if "NotAVerdictError" in text and (found := _UNDECIDED.search(text[:4000])):
        return "undecided", found[1]
    return None


def _asserts(value: Any) -> Iterator[Mapping[str, Any]]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            inner = item.get("assert") if item.get("type") == "assert-set" else None
            yield from _asserts(inner) if inner else (item,)


def _grader(assertion: Mapping[str, Any], test: Mapping[str, Any]) -> str:
    """Who was to grade: our judge's spec where a config names one, else promptfoo's provider."""
    given = assertion.get("provider") or _mapping(test.get("options")).get("provider")
    if isinstance(given, dict) and isinstance(given.get("text"), dict | str):
        given = given["text"]
    for config in (assertion.get("config"), _mapping(given).get("config")):
        if isinstance(judge := _mapping(config).get("judge"), str):
            return judge
    return _text(given.get("id") if isinstance(given, dict) else given)


def _type(assertion: Mapping[str, Any]) -> tuple[str, bool]:
    name = _text(assertion.get("type")) or "assertion"
    return name.removeprefix("not-"), name.startswith("not-")


def _assertion(item: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(item.get("assertion"))


def _tokens(usage: Mapping[str, Any]) -> dict[str, int]:
    details = _mapping(usage.get("completionDetails"))
    found = {
        "prompt": usage.get("prompt"),
        "completion": usage.get("completion"),
        "reasoning": details.get("reasoning"),
    }
    return {name: int(_number(value) or 0) for name, value in found.items()}


def _number(value: Any) -> float | None:
    # JSON of promptfoo's may hold what is no number of ours: NaN, and 1e999.
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) < 1e15 else None


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    try:
        return json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
