"""What promptfoo wrote: its ``results.json``, one row an answer, one grade an assertion."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.errors import ConfigError
from voirdire.promptfoo import grades
from voirdire.promptfoo.graded import graded
from voirdire.promptfoo.streamed import is_results, rows


@dataclass(frozen=True)
class Grade:
    """One assertion's result.

    Attributes:
        metric: the assertion's ``metric``, or else its type.
        outcome: ``pass``, ``fail``, ``undecided`` or ``judge_error``.
        kind: the outcome's kind where voirdire graded; the outcome else.
        reason: promptfoo's reason.
        shown: the prompt that the judge was sent; empty where nobody wrote it down.
        canned: whether nobody was asked.
        record: ``metadata.voirdire``; empty for other graders.
    """

    metric: str
    outcome: str
    kind: str
    reason: str
    shown: str
    canned: bool
    record: Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """One test of a run.

    Attributes:
        case_id: the var ``case_id``.
        output: the answer that was graded.
        error: promptfoo's own error; empty where there was none.
        grades: by metric.
    """

    case_id: str
    output: str
    error: str
    grades: Mapping[str, Grade]


def load_rows(path: Path) -> list[Row]:
    """The rows of a results file.

    Raises:
        ConfigError: it is missing, or not what ``promptfoo eval -o results.json`` writes.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))["results"]["results"]
        return [_row(row) for row in found]
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror}); run the eval first"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ConfigError(
            f"{path}: is no results file; write one with promptfoo eval -o results.json"
        ) from None


def graded_by(path: Path) -> Iterator[tuple[str, grades.Grade]]:
    """What voirdire graded in a results file: the model, and its grade.

    Raises:
        ConfigError: it is missing, or not what ``promptfoo eval -o results.json`` writes.
    """
    try:
        with path.open("rb") as stream:
            if not is_results(stream):
                raise ConfigError(
                    f"{path}: is no results file; write one with promptfoo eval -o results.json"
                )
            stream.seek(0)
            for answer in filter(None, map(graded, rows(stream, str(path)))):
                # One a metric: of two under one name the last.
                for grade in {grade.metric: grade for grade in answer.grades}.values():
                    if grade.record:
                        yield answer.model, grade
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None


def _row(row: Mapping[str, Any]) -> Row:
    grading = row.get("gradingResult") or {}
    grades = [_grade(item) for item in grading.get("componentResults") or []]
    output = (row.get("response") or {}).get("output")
    return Row(
        case_id=str((row.get("vars") or {}).get("case_id", "")),
        output=output if isinstance(output, str) else json.dumps(output),
        error="" if row.get("failureReason") != 2 else str(row.get("error") or "error"),
        grades={grade.metric: grade for grade in grades},
    )


def _grade(item: Mapping[str, Any]) -> Grade:
    assertion = item.get("assertion") or {}
    metadata = item.get("metadata") or {}
    record = metadata.get("voirdire") or {}
    reason = str(item.get("reason", ""))
    if metadata.get("graderError") and not record:
        outcome = "judge_error"
    else:
        outcome = "pass" if item.get("pass") else "fail"
    outcome = record.get("outcome", outcome)
    return Grade(
        metric=str(assertion.get("metric") or assertion.get("type")),
        outcome=outcome,
        kind=record.get("kind", outcome),
        reason=reason,
        shown=str(record.get("prompt") or metadata.get("renderedGradingPrompt") or ""),
        canned=bool(record.get("canned") or metadata.get("canned")),
        record=record,
    )
