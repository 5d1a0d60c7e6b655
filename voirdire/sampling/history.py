"""What came of each period, kept in a file that a schedule appends to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.calibration.judging import NO_REPLY
from voirdire.errors import ConfigError
from voirdire.grade import Outcome
from voirdire.jsonl import objects
from voirdire.locks import locked
from voirdire.sampling.draw import Drawn


class Tested(NamedTuple):
    """The outcomes of one period's sample.

    Attributes:
        period, per: which one.
        judge: the judge's spec.
        fingerprint: of the judge and the rubric; periods of another cannot be compared.
        of: answers in the log.
        drawn: answers in the sample.
        passed, failed, undecided: how many of them came to that.
        errors: kind of judge error → how many.
        sample: hash of what was drawn.
        source: hash of the shared sources; empty where there were none.
    """

    period: str
    per: str
    judge: str
    fingerprint: str
    of: int
    drawn: int
    passed: int
    failed: int
    undecided: int
    errors: Mapping[str, int]
    sample: str
    source: str

    @property
    def decided(self) -> int:
        """Answers that passed or failed."""
        return self.passed + self.failed

    @property
    def missing(self) -> int:
        """Answers without a verdict: undecided, or a judge error."""
        return self.drawn - self.decided

    def stands_for(self, drawn: Drawn) -> bool:
        """Whether the sample need not be judged again.

        It is the same one, and every answer reached the judge; or it comes from more of the
        period's answers than the log still holds.
        """
        if self.of > drawn.of:
            return True
        return self.sample == drawn.sha256 and not set(self.errors) & set(NO_REPLY)


def tested(
    drawn: Drawn, outcomes: Sequence[Outcome], *, per: str, judge: str, mark: str, source: str
) -> Tested:
    """Count what came of a sample."""
    counts = dict.fromkeys(("pass", "fail", "undecided", "judge_error"), 0)
    errors: dict[str, int] = {}
    for outcome in outcomes:
        counts[outcome.outcome] += 1
        if outcome.outcome == "judge_error":
            errors[outcome.kind] = errors.get(outcome.kind, 0) + 1
    return Tested(
        period=drawn.period,
        per=per,
        judge=judge,
        fingerprint=mark,
        of=drawn.of,
        drawn=len(outcomes),
        passed=counts["pass"],
        failed=counts["fail"],
        undecided=counts["undecided"],
        errors=errors,
        sample=drawn.sha256,
        source=source,
    )


def read_history(path: Path | None) -> list[Tested]:
    """The periods of a history, each as it was last written, in order; none without a file.

    Raises:
        ConfigError: it cannot be read, or a line is damaged.
    """
    if path is None or not path.exists() or path.stat().st_size == 0:
        return []
    found = [_read(value, where) for where, value in objects(path)]
    latest = {(one.per, one.fingerprint, one.period): one for one in found}
    return sorted(latest.values(), key=lambda one: one.period)


def append(path: Path, one: Tested) -> None:
    """Write one period at the end of the history.

    Raises:
        ConfigError: it cannot be written.
    """
    data = (json.dumps(one._asdict()) + "\n").encode("ascii")
    try:
        with locked(path.with_suffix(".lock")), path.open("ab+") as file:
            if file.tell():
                file.seek(-1, 2)
                if file.read(1) != b"\n":  # an editor left its last line open
                    data = b"\n" + data
            file.write(data)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror})") from None


def _read(value: Mapping[str, Any], where: str) -> Tested:
    try:
        one = Tested(**value)
        texts = (one.period, one.per, one.judge, one.fingerprint, one.sample, one.source)
        counts = (one.of, one.drawn, one.passed, one.failed, one.undecided, *one.errors.values())
        whole = all(isinstance(text, str) for text in texts) and all(
            type(count) is int and count >= 0 for count in counts
        )
        parts = one.passed + one.failed + one.undecided + sum(one.errors.values())
        if not whole or parts != one.drawn or one.drawn > one.of:
            raise ValueError
    except (TypeError, AttributeError, ValueError):
        raise ConfigError(f"{where}: not a line of a history; mend or drop it") from None
    return one
