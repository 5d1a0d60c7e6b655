"""What promptfoo's results keep of one assertion, whoever graded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from voirdire.promptfoo.shaped import as_mapping, as_number, as_text

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
_CRASHED = (
    *("Python code execution failed", "Ruby code execution failed", "Custom function threw error"),
    *("Error running Python script", "Error running Ruby script", "checks not run:"),
)
_OURS = ("judge error (", "undecided: ")
_STRIPPED = "the results hold no grade of it"
_INVERTED = {"pass": "fail", "fail": "pass"}
_UNREADABLE = re.compile(r"Could not extract JSON|malformed response|not match expected format")


class Grade(NamedTuple):
    """One assertion's result.

    Attributes:
        metric: the assertion's ``metric``, or else its type.
        type: its type, ``not-`` left out.
        inverted: whether it was ``not-`` of that type.
        judged: whether a model or voirdire graded it, and no code of promptfoo's.
        outcome: one of :data:`OUTCOMES`, of the answer, whatever promptfoo counted. Of a ``not-``
            a pass is what its judge fails.
        kind: the outcome again, or why it is undecided or an error.
        reason: promptfoo's reason, or voirdire's.
        counted: whether promptfoo counts it as a pass.
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
    counted: bool = False
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


def grades(
    row: Mapping[str, Any],
    test: Mapping[str, Any],
    components: Sequence[Mapping[str, Any]],
    answer: str | None,
) -> Iterator[Grade]:
    """The grades of a row, in the suite's order.

    Args:
        row: of the results.
        test: its ``testCase``.
        components: what promptfoo kept of each assertion.
        answer: what the model said, if anything.
    """
    if _ended_by_error(row, components):  # promptfoo keeps no grades of such a row
        error = as_text(row.get("error")) or "error"
        # Nor the answer: only the trace tells an error in grading from one of the model.
        lost = answer is not None or "runAssertion" in error
        came = _raised(error) or (("judge_error", "lost") if lost else ("undecided", "no_answer"))
        yield from (_lost(one, test, came, error) for one in _asserts(test.get("assert")))
        return
    if not components:  # promptfoo can be told to strip them
        came = "judge_error", "lost"
        yield from (_lost(one, test, came, _STRIPPED) for one in _asserts(test.get("assert")))
    for item in components:
        parts = item.get("componentResults")
        apart = isinstance(parts, list) and any(isinstance(part, dict) for part in parts)
        if not apart and assertion_of(item).get("type") not in ("human", "assert-set"):
            yield _grade(item, test)


def _ended_by_error(row: Mapping[str, Any], components: Sequence[Mapping[str, Any]]) -> bool:
    """Whether the row came to an error: old results do not say why a row failed."""
    if "failureReason" in row or components:
        return row.get("failureReason") == 2
    return bool(row.get("error"))


def _lost(
    assertion: Mapping[str, Any], test: Mapping[str, Any], came: tuple[str, str], reason: str
) -> Grade:
    """The grade of an assertion that the results hold nothing of."""
    type_, inverted = _type(assertion)
    return Grade(
        metric=as_text(assertion.get("metric")) or f"{'not-' * inverted}{type_}",
        type=type_,
        inverted=inverted,
        judged=type_ in JUDGED or bool(_door(assertion, test)),
        outcome=came[0],
        kind=came[1],
        reason=reason,
        grader=_grader(assertion, test),
    )


def _grade(item: Mapping[str, Any], test: Mapping[str, Any]) -> Grade:
    assertion, metadata = assertion_of(item), as_mapping(item.get("metadata"))
    record, door = as_mapping(metadata.get("voirdire")), _door(assertion, test)
    type_, inverted = _type(assertion)
    reason = as_text(record.get("reason") or item.get("reason"))
    counted = item.get("pass") is True
    judged = type_ in JUDGED or bool(record or door)
    silent = False
    if record:
        outcome, kind = _recorded(record, counted, inverted)
    elif not counted and (came := _not_graded(reason, bool(door))):
        outcome, kind = came
        judged = judged or kind != "crashed"
    else:
        unreadable = judged and _UNREADABLE.search(reason[:500])
        silent = bool(metadata.get("graderError") or (unreadable and not counted))
        outcome = kind = "pass" if counted else "fail"
        if silent:
            outcome, kind = "judge_error", "unreadable" if unreadable else "grader_error"
    template = as_text(assertion.get("value")) if isinstance(assertion.get("value"), str) else ""
    shown = metadata.get("renderedGradingPrompt")
    return Grade(
        metric=as_text(assertion.get("metric")) or f"{'not-' * inverted}{type_}",
        type=type_,
        inverted=inverted,
        judged=judged,
        outcome=outcome,
        kind=kind,
        reason=reason,
        counted=counted,
        score=as_number(item.get("score")),
        thresholded=assertion.get("threshold") is not None,
        silent=silent,
        rubric=as_text(metadata.get("renderedAssertionValue")) or template,
        template=template,
        shown=as_text(record.get("prompt") or shown) if record.get("prompt") or shown else None,
        grader=as_text(record.get("judge")) or _grader(assertion, test),
        raw=as_text(record.get("raw") or record.get("payload")),
        canned=bool(record.get("canned") or metadata.get("canned")),
        record=record,
    )


def _recorded(record: Mapping[str, Any], counted: bool, inverted: bool) -> tuple[str, str]:
    """What voirdire's record says; a pass that anything beside it contradicts is none."""
    said = record.get("judge_said")
    if said is not None:  # a labelled case: promptfoo counts whether the judge agrees
        return (said, said) if said in OUTCOMES else ("judge_error", "contradicted")
    outcome, kind = record.get("outcome"), as_text(record.get("kind"))
    if outcome not in OUTCOMES:
        return "judge_error", "damaged"
    if outcome == "pass" and _verdict_is_no_pass(record):
        return "judge_error", "contradicted"
    if inverted and outcome in _INVERTED:
        outcome = kind = _INVERTED[outcome]
    if outcome == "pass" and not counted:
        return "judge_error", "contradicted"
    return outcome, kind or outcome


def _verdict_is_no_pass(record: Mapping[str, Any]) -> bool:
    verdict = as_mapping(record.get("verdict"))
    criteria = as_mapping(verdict.get("criteria")).values()
    return verdict.get("verdict", "pass") != "pass" or any(holds is False for holds in criteria)


def _not_graded(reason: str, by_us: bool) -> tuple[str, str] | None:
    """What is no fail of the answer, told from the reason alone."""
    if reason.startswith(_CRASHED):
        return _raised(reason) or ("judge_error", "crashed")
    # Promptfoo can be told to strip our record; our door's reason then still says it.
    return _raised(reason) if by_us and reason.startswith(_OURS) else None


def _raised(text: str) -> tuple[str, str] | None:
    """The outcome that voirdire raised, where promptfoo takes nothing else."""
    if found := _ERROR_KIND.search(text[:4000]):
        return "judge_error", found[1]
    is_ours = "NotAVerdictError" in text or text.startswith("undecided: ")
    if is_ours and (found := _UNDECIDED.search(text[:4000])):
        return "undecided", found[1]
    return None


def _asserts(value: Any) -> Iterator[Mapping[str, Any]]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            inner = item.get("assert") if item.get("type") == "assert-set" else None
            yield from _asserts(inner) if inner else (item,)


def _door(assertion: Mapping[str, Any], test: Mapping[str, Any]) -> str:
    """Our judge's spec, where the config of a door names one."""
    for config in (assertion.get("config"), as_mapping(_provider(assertion, test)).get("config")):
        if isinstance(judge := as_mapping(config).get("judge"), str):
            return judge
    return ""


def _grader(assertion: Mapping[str, Any], test: Mapping[str, Any]) -> str:
    """Who was to grade: our judge's spec where a config names one, else promptfoo's provider."""
    given = _provider(assertion, test)
    name = given.get("id") if isinstance(given, dict) else given
    return _door(assertion, test) or as_text(name)


def _provider(assertion: Mapping[str, Any], test: Mapping[str, Any]) -> Any:
    given = assertion.get("provider") or as_mapping(test.get("options")).get("provider")
    if isinstance(given, dict) and isinstance(given.get("text"), dict | str):
        return given["text"]
    return given


def _type(assertion: Mapping[str, Any]) -> tuple[str, bool]:
    name = as_text(assertion.get("type")) or "assertion"
    return name.removeprefix("not-"), name.startswith("not-")


def assertion_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The assertion that a component is the result of; empty where it names none."""
    return as_mapping(item.get("assertion"))
