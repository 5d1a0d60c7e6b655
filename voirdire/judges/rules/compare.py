"""Hold each fact of an answer against the sources."""

from __future__ import annotations

import re

from voirdire.judges.rules.case import ECHO, FOUND, MISSING, WRONG, Case, Finding
from voirdire.judges.rules.citations import misattributed
from voirdire.judges.rules.fact import Fact
from voirdire.judges.rules.labels import released
from voirdire.judges.rules.passage import Passage
from voirdire.judges.rules.values import absent_value, found_value
from voirdire.judges.rules.wording import check_code, check_name, check_quote

_VALUES = frozenset(
    ["number", "quantity", "duration", "money", "percentage", "date", "time", "version"]
)
_NEGATION = re.compile(r"\b(?:no|not|never|nor|neither|cannot|without|instead|beyond|past|over|"
                       r"exceeds?|outside|too|unfortunately|sorry|afraid)\b|n't\b",
                       re.IGNORECASE)  # fmt: skip


def compare(case: Case) -> list[Finding]:
    """The findings on every fact, in the answer's order."""
    findings: list[Finding] = []
    for passage in case.passages:
        here = [_check(fact, passage, case) for fact in passage.facts]
        findings += _citations(_weigh_echoes(here, case), passage, case)
    return findings


def _check(fact: Fact, passage: Passage, case: Case) -> Finding:
    if fact.kind == "name" and fact.group == "name":
        return check_name(fact, passage, case)
    if fact.kind == "quote":
        return check_quote(fact, passage, case)
    if fact.kind == "id":
        return check_code(fact, passage, case)
    same = case.truth.find(fact) or released(fact, passage, case.truth)
    if same:
        return found_value(fact, passage, same, case)
    if fact.kind in _VALUES:
        return absent_value(fact, passage, case)
    if fact.kind == "url" and _host_only(fact, case):
        return Finding(fact, passage, FOUND)
    if any(key in case.question.keys for key in fact.keys):
        return Finding(fact, passage, ECHO)
    if fact.group == "weekday" and _weekday_in_words(fact, case):
        return Finding(fact, passage, FOUND)
    return Finding(fact, passage, MISSING, None, "is not in the source")


def _weigh_echoes(here: list[Finding], case: Case) -> list[Finding]:
    """Let a value of the question pass only where the sentence denies or corrects it."""
    if not any(finding.status == ECHO and finding.ref for finding in here):
        return here
    text = here[0].passage.folded[here[0].passage.piece.start : here[0].passage.piece.end]
    if _NEGATION.search(text):
        return here
    corrected = {finding.fact.group for finding in here if finding.status == FOUND}
    return [
        finding._replace(status=WRONG, why="contradicts the source")
        if finding.status == ECHO
        and finding.ref
        and finding.fact.group not in corrected
        and not case.question.given.intersection(finding.fact.keys)
        else finding
        for finding in here
    ]


def _citations(here: list[Finding], passage: Passage, case: Case) -> list[Finding]:
    """Turn what cites the wrong source into a fault."""
    if not case.may_compare(5):
        return here
    wrong = dict(misattributed(passage, case.truth))
    return [
        finding._replace(status=WRONG, ref=wrong[finding.fact],
                         why="is cited for what another source says")
        if finding.fact in wrong
        else finding
        for finding in here
    ] if wrong else here  # fmt: skip


def _host_only(fact: Fact, case: Case) -> bool:
    url = str(fact.keys[0][1])
    return not set("/?#") & set(url) and any(
        str(ref.fact.keys[0][1]).split("/", 1)[0] == url
        for ref in case.truth.by_group.get("url", ())[:2000]
    )


def _weekday_in_words(fact: Fact, case: Case) -> bool:
    weekend = fact.keys[0][1] in ("saturday", "sunday")
    named = {"weekend", "weekends"} if weekend else {"weekday", "weekdays"}
    return bool(case.truth.words & (named | {"daily"}))
