"""One canary: does the judge fail a wrong answer and pass a right one?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from voirdire.doctor.finding import Finding
from voirdire.errors import ConfigError
from voirdire.grade import Case, grade
from voirdire.journal import Journal
from voirdire.judges.spec import make_judge
from voirdire.plaintext import one_line
from voirdire.rubric import Rubric
from voirdire.source import Source

_RUBRIC = Rubric("canary", {"grounded": "Is every statement of the answer stated in the source?"})
_SOURCE = Source("library", "The library opens at 9:00. A reader's card costs 12 euros a year.")
_QUESTION = "What does a reader's card cost?"
_ANSWERS: Final = {
    "fail": ("canary-wrong", "A reader's card costs 20 euros a year."),
    "pass": ("canary-right", "A reader's card costs 12 euros a year."),
}
_KNOWN = {"fail": "a wrong answer", "pass": "a right answer"}


def canary(spec: str, settings: Mapping[str, Any], journal: Journal) -> list[Finding]:
    """Ask a judge about one wrong and one right answer; both calls are journalled.

    No kept verdict is used: what is looked at is whether the judge can be reached now. So it is
    asked once, unless ``retries`` says otherwise: one that hangs would be waited for for minutes.

    Raises:
        ConfigError: a spec or a setting that is not accepted.
    """
    judge = make_judge(spec, {"retries": 0, **settings})
    findings: list[Finding] = []
    for label, (identity, answer) in _ANSWERS.items():
        case = Case((_SOURCE,), _QUESTION, answer, identity)
        try:
            outcome = grade(case, _RUBRIC, judge, journal)
        except ConfigError as error:  # its key is missing, or the journal cannot be written
            return [*findings, Finding("judge", "problem", f"{judge.spec}: not asked", str(error))]
        said = f"{judge.spec}: {_KNOWN[label]} came out as {outcome.outcome.replace('_', ' ')}"
        if outcome.outcome == label:
            findings.append(Finding("judge", "ok", said))
            continue
        if outcome.outcome == "judge_error":
            mend = "see the raw reply with: voirdire journal list --last 2"
        else:
            mend = f"put more questions to it: voirdire examine --judge {judge.spec}"
        why = one_line(outcome.reason, 300)
        findings.append(Finding("judge", "problem", f"{said} ({why})", mend))
        if outcome.kind == "unreachable":  # the other answer would wait for it in vain, too
            break
    return findings
