"""What people said of the answers of a run, found again by the answer."""

from __future__ import annotations

from pathlib import Path

from voirdire.calibration.cases import load_cases
from voirdire.calibration.labelled import Labelled
from voirdire.promptfoo.graded import Graded


class Labels:
    """Labels by answer: a label is of one answer, not of whatever answers the case today.

    Args:
        path: labelled cases, as for ``voirdire calibrate``; ``None``: only those in the run.

    Raises:
        ConfigError: the file cannot be read, or holds no labelled case.
    """

    def __init__(self, path: Path | None) -> None:
        self._by_answer: dict[str, list[Labelled]] = {}
        for one in load_cases(path, sources=()).cases if path else ():
            self._by_answer.setdefault(one.case.answer.strip(), []).append(one)

    def of(self, answer: Graded) -> tuple[str | None, str | None]:
        """The label and the note of an answer; those of the file before those of the run."""
        for one in self._by_answer.get((answer.answer or "").strip(), ()):
            name, question = str(one.case.id), one.case.question
            known = name == answer.case or name.endswith(f"/{answer.case}")
            if known or (question and question == answer.question):
                return one.label, one.note or None
        return answer.label, answer.note
