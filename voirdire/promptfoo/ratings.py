"""What people and judges said of each answer of a run: the thumbs of promptfoo's viewer too.

A thumb is stored as one more of a row's grades, its assertion of the type ``human``. The comment
stands there as it was when the thumb was given, and beside it as it was last written.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.errors import ConfigError
from voirdire.journal import Damage
from voirdire.promptfoo.asked import Reader
from voirdire.promptfoo.outputs import SQLITE, Output, StoredEval, is_row, output_of
from voirdire.promptfoo.shaped import as_mapping
from voirdire.promptfoo.streamed import is_results, rows
from voirdire.source import Source

_HIGHLIGHT = "!highlight"  # what the viewer puts before the comment of a row that it marks
_COLUMNS = (
    "provider, response, test_case, success, failure_reason, error, grading_result, test_idx,"
    " prompt_idx"
)


class Answered(NamedTuple):
    """One answer of a run.

    Attributes:
        id: the test's ``case_id``, or its number; where one test has several answers, who wrote
            it stands before.
        question: what it answers, if anything.
        sources: the documents of truth that the run names; empty where it names none.
        fault: why they cannot be read; empty otherwise.
        answer: what the model said.
        model: its label, or else its id.
        rating: what a person decided, ``pass`` or ``fail``; empty where nobody did.
        comment: what the person wrote; may be empty.
        outcome: what the judge made of it: ``pass``, ``fail``, ``undecided`` or ``judge_error``;
            empty where nobody judged.
        confidence: the judge's own, 0 to 1; ``None`` where it gave none.
        where: ``file#row``.
    """

    id: str
    question: str | None
    sources: tuple[Source, ...]
    fault: str
    answer: str
    model: str
    rating: str
    comment: str
    outcome: str
    confidence: float | None
    where: str


def is_run(path: Path) -> bool:
    """Whether a file holds a run of promptfoo: its results, its rows or its database."""
    try:
        with path.open("rb") as file:
            if file.read(len(SQLITE)) == SQLITE:
                return True
            file.seek(0)
            if path.suffix.lower() == ".jsonl":
                return is_row(json.loads(file.readline()))
            return path.suffix.lower() == ".json" and is_results(file)
    except (OSError, ValueError, RecursionError):
        return False


def answers(path: Path, folders: Sequence[Path], *, rated: bool = False) -> list[Answered | Damage]:
    """The answers of a run that :func:`is_run`, of a database's latest eval.

    Args:
        path: the file.
        folders: where the files that the suite names are looked for, in order.
        rated: only those that a person rated.

    Raises:
        ConfigError: it cannot be read, or is damaged past telling its rows apart.
    """
    reader = Reader(folders)
    keys: list[tuple[str, str, str]] = []
    found: list[tuple[int, Answered | Damage]] = []
    for number, row in enumerate(_rows(path), 1):
        where = f"{path}#{number}"
        output = output_of(row)
        if not isinstance(row, dict):
            found.append((-1, Damage(where, output.why)))
            continue
        rating, comment = _rating(as_mapping(row.get("gradingResult")))
        asked = reader.asked(row.get("testCase"), output.vars)
        keys.append(_key(row, output, asked.case_id))
        if rated and not rating:
            continue
        if output.text is None or asked.lost:
            found.append((-1, Damage(where, asked.lost or output.why)))
            continue
        outcome, confidence = _judged(as_mapping(row.get("gradingResult")))
        answered = Answered(
            id="",
            question=asked.question,
            sources=asked.sources,
            fault=asked.fault,
            answer=output.text,
            model=output.provider,
            rating=rating,
            comment=comment,
            outcome=outcome,
            confidence=confidence,
            where=where,
        )
        found.append((len(keys) - 1, answered))
    ids = _ids(keys)
    return [item._replace(id=ids[at]) if isinstance(item, Answered) else item for at, item in found]


def _rows(path: Path) -> Iterator[Any]:
    try:
        with path.open("rb") as file:
            if file.read(len(SQLITE)) == SQLITE:
                yield from _Graded(path, str(path)).graded()
                return
            file.seek(0)
            if path.suffix.lower() == ".json":
                yield from rows(file, str(path))
                return
            for line in file:
                if line.strip():
                    try:
                        yield json.loads(line)
                    except (ValueError, RecursionError):
                        yield None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None


class _Graded(StoredEval):
    """A stored eval with the grades of its rows."""

    def graded(self) -> Iterator[dict[str, Any] | None]:
        """Its rows, shaped as those of a results file; ``None`` where one is no JSON."""
        order = "ORDER BY test_idx, prompt_idx, id"
        query = f"SELECT {_COLUMNS} FROM eval_results WHERE eval_id = ? {order}"
        try:
            with closing(self._open(self._at_rest())) as connection:
                for row in connection.execute(query, (self.id,)):
                    yield _stored(row)
        except sqlite3.Error as error:
            raise self._unreadable(error) from None


def _stored(row: tuple[Any, ...]) -> dict[str, Any] | None:
    provider, response, test_case, success, failure_reason, error, grades, test, prompt = row
    try:
        case = _json(test_case)
        return {
            "provider": _json(provider),
            "response": _json(response),
            "vars": as_mapping(case).get("vars"),
            "testCase": case,
            "success": success,
            "failureReason": failure_reason,
            "error": error.decode("utf-8", "replace") if isinstance(error, bytes) else error,
            "gradingResult": _json(grades),
            "testIdx": test,
            "promptIdx": prompt,
        }
    except (ValueError, RecursionError):
        return None


def _json(column: Any) -> Any:
    return json.loads(column.decode("utf-8")) if isinstance(column, bytes) else column


def _rating(grading: Mapping[str, Any]) -> tuple[str, str]:
    """What a person decided, and wrote; empty where nobody did."""
    given = [item for item in _components(grading) if _is_human(item)]
    if not given or not isinstance(given[-1].get("pass"), bool):
        return "", ""
    comments = (grading.get("comment"), given[-1].get("comment"))
    comment = next((text for text in comments if isinstance(text, str) and text.strip()), "")
    return "pass" if given[-1]["pass"] else "fail", comment.removeprefix(_HIGHLIGHT).strip()


def _judged(grading: Mapping[str, Any]) -> tuple[str, float | None]:
    """What our judge made of it, else all assertions together; people apart."""
    grades = [item for item in _components(grading) if not _is_human(item)]
    for item in grades:
        record = as_mapping(as_mapping(item.get("metadata")).get("voirdire"))
        if isinstance(record.get("outcome"), str):
            sure = as_mapping(record.get("verdict")).get("confidence")
            is_number = isinstance(sure, float | int) and not isinstance(sure, bool)
            return record["outcome"], sure if is_number else None
    if any(as_mapping(item.get("metadata")).get("graderError") for item in grades):
        return "judge_error", None
    if not grades:
        return "", None
    return "pass" if all(item.get("pass") is True for item in grades) else "fail", None


def _components(grading: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    found = grading.get("componentResults")
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def _is_human(item: Mapping[str, Any]) -> bool:
    return as_mapping(item.get("assertion")).get("type") == "human"


def _key(row: Mapping[str, Any], output: Output, case_id: str) -> tuple[str, str, str]:
    """What tells a row from others: its test, its provider, its prompt."""
    test, prompt = row.get("testIdx"), row.get("promptIdx")
    base = case_id or f"test-{test + 1 if isinstance(test, int) else test}"
    return base, output.provider, str(prompt + 1 if isinstance(prompt, int) else prompt)


def _ids(keys: Sequence[tuple[str, str, str]]) -> list[str]:
    """For each row the shortest name that no other row has."""
    forms = [
        [base for base, _, _ in keys],
        [f"{provider}/{base}" for base, provider, _ in keys],
        [f"{provider}/{base}/prompt-{prompt}" for base, provider, prompt in keys],
    ]
    counts = [Counter(form) for form in forms]
    seen: Counter[str] = Counter()
    found = []
    for names in zip(*forms, strict=True):
        alone = (name for name, count in zip(names, counts, strict=True) if count[name] == 1)
        name = next(alone, None)
        if name is None:  # the same test, several times
            seen[names[-1]] += 1
            name = f"{names[-1]}/{seen[names[-1]]}"
        found.append(name)
    return found
