"""Each row of the outcome table: what a readable verdict amounts to once it was checked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voirdire.rubric import Rubric
from voirdire.ruling import Ruling, rule
from voirdire.source import Source
from voirdire.verdict import Claim, Verdict

SOURCES = [Source("a", "The link expires after 30 minutes."), Source("b", "It works once.")]
CRITERIA = Rubric("c", {"grounded": "?", "answers": "?"}, threshold=0.9)
CLAIMS = Rubric("k", {}, threshold=0.9, ignore=("Hello!",))
GOOD = "It expires after 30 minutes."
BAD = "It expires after 24 hours."
PASS = Verdict(
    "pass", 0.95, "Fine.", {"grounded": True, "answers": True}, ("after 30 minutes",), ()
)
FAIL = Verdict("fail", 0.95, "No.", {"grounded": False, "answers": True}, ("after 24 hours",), ())
TRUE = Claim(GOOD, "supported", "expires after 30 minutes")
FALSE = Claim(BAD, "unsupported", None)
CLAIM_PASS = Verdict("pass", 0.95, "Fine.", {}, (), (TRUE,))
CLAIM_FAIL = Verdict("fail", 0.95, "No.", {}, (), (FALSE,))


def by_criteria(verdict: Verdict, answer: str = GOOD) -> Ruling:
    return rule(verdict, CRITERIA, SOURCES, answer)


def by_claims(verdict: Verdict, answer: str = GOOD) -> Ruling:
    return rule(verdict, CLAIMS, SOURCES, answer)


def kind(ruling: Ruling) -> str:
    return ruling.kind if ruling.outcome == "undecided" else f"!{ruling.outcome}"


@pytest.mark.parametrize(
    ("verdict", "answer", "wanted"),
    [
        (PASS, GOOD, "!pass"),
        (FAIL, BAD, "!fail"),
        (PASS._replace(decision="cannot_decide"), GOOD, "cannot_decide"),
        (FAIL._replace(decision="cannot_decide"), BAD, "cannot_decide"),
        (PASS._replace(confidence=0.9), GOOD, "!pass"),
        (PASS._replace(confidence=0.899), GOOD, "low_confidence"),
        (FAIL._replace(confidence=0.9), BAD, "!fail"),
        (FAIL._replace(confidence=0.0), BAD, "low_confidence"),
        (PASS._replace(criteria=FAIL.criteria), GOOD, "contradiction"),
        (FAIL._replace(criteria=PASS.criteria), BAD, "contradiction"),
        (FAIL._replace(criteria={"grounded": False, "answers": False}), BAD, "!fail"),
        (PASS._replace(evidence=("after 31 minutes",)), GOOD, "evidence_not_found"),
        (PASS._replace(evidence=("after 30 minutes", "made up")), GOOD, "evidence_not_found"),
        (PASS._replace(evidence=("after 30 minutes", "It expires")), GOOD, "!pass"),
        (PASS._replace(evidence=("It expires",)), GOOD, "evidence_not_found"),
        (PASS._replace(evidence=("It works once",)), GOOD, "!pass"),
        (PASS._replace(evidence=("30 minutes. It works",)), GOOD, "evidence_not_found"),
        (PASS._replace(evidence=("...",)), GOOD, "evidence_not_found"),
        (FAIL._replace(evidence=("after 30 minutes",)), BAD, "!fail"),
        (FAIL._replace(evidence=("made up",)), BAD, "evidence_not_found"),
        (PASS, "", "empty_answer"),
        (PASS, "...", "empty_answer"),
        (FAIL._replace(evidence=("after 30 minutes",)), "", "!fail"),
    ],
)
def test_outcome_by_criteria(verdict: Verdict, answer: str, wanted: str) -> None:
    assert kind(by_criteria(verdict, answer)) == wanted


@pytest.mark.parametrize(
    ("verdict", "answer", "wanted"),
    [
        (CLAIM_PASS, GOOD, "!pass"),
        (CLAIM_FAIL, BAD, "!fail"),
        (CLAIM_PASS._replace(decision="cannot_decide"), GOOD, "cannot_decide"),
        (CLAIM_PASS._replace(confidence=0.5), GOOD, "low_confidence"),
        (CLAIM_FAIL._replace(confidence=0.5), BAD, "low_confidence"),
        (CLAIM_PASS._replace(claims=(TRUE, FALSE)), f"{GOOD} {BAD}", "contradiction"),
        (CLAIM_FAIL._replace(claims=(TRUE, FALSE)), f"{GOOD} {BAD}", "!fail"),
        (CLAIM_FAIL._replace(claims=(TRUE,)), GOOD, "contradiction"),
        (CLAIM_PASS._replace(claims=(TRUE._replace(status="overstated"),)), GOOD, "contradiction"),
        (CLAIM_FAIL._replace(claims=(TRUE._replace(status="overstated"),)), GOOD, "!fail"),
        (
            CLAIM_PASS._replace(claims=(TRUE._replace(source_quote="in 30 s"),)),
            GOOD,
            "evidence_not_found",
        ),
        (
            CLAIM_PASS._replace(claims=(TRUE._replace(source_quote=GOOD),)),
            GOOD,
            "evidence_not_found",
        ),
        (
            CLAIM_PASS._replace(claims=(TRUE._replace(answer_quote="Never."),)),
            GOOD,
            "evidence_not_found",
        ),
        (
            CLAIM_FAIL._replace(claims=(FALSE._replace(answer_quote="Never."),)),
            BAD,
            "evidence_not_found",
        ),
        (
            CLAIM_FAIL._replace(claims=(FALSE._replace(source_quote="made up"),)),
            BAD,
            "evidence_not_found",
        ),
        (
            CLAIM_FAIL._replace(claims=(FALSE._replace(source_quote="after 30 minutes"),)),
            BAD,
            "!fail",
        ),
        (CLAIM_PASS, f"{GOOD} It is free.", "incomplete"),
        (CLAIM_FAIL, f"{BAD} It is free.", "incomplete"),
        (CLAIM_PASS, f"Hello! {GOOD}", "!pass"),
        (CLAIM_PASS, "", "empty_answer"),
    ],
)
def test_outcome_by_claims(verdict: Verdict, answer: str, wanted: str) -> None:
    assert kind(by_claims(verdict, answer)) == wanted


def test_details_name_what_is_wrong() -> None:
    invented = by_criteria(PASS._replace(evidence=("made up",)))
    assert '"made up" stands in neither' in invented.detail
    assert "from the answer" in by_criteria(PASS._replace(evidence=("It expires",))).detail
    assert "0.5 is below the threshold 0.9" in by_criteria(PASS._replace(confidence=0.5)).detail
    assert "the verdict is pass" in by_criteria(PASS._replace(criteria=FAIL.criteria)).detail
    left = by_claims(CLAIM_PASS, f"{GOOD} It is free. It is fast.")
    assert left.detail == 'no claim covers "It is free." and 1 more'
    assert by_criteria(FAIL, BAD).detail == "not grounded. No."
    assert by_claims(CLAIM_FAIL, BAD).detail == f'unsupported: "{BAD}". No.'


def test_score_is_the_verdicts_share_whatever_the_outcome() -> None:
    assert by_criteria(FAIL, BAD).score == 0.5
    assert by_criteria(PASS._replace(confidence=0)).score == 1.0


DECISIONS = st.sampled_from(["pass", "fail", "cannot_decide"])
QUOTES = st.sampled_from(["after 30 minutes", "It expires", "made up", "...", "It works once"])


@given(
    decision=DECISIONS,
    confidence=st.floats(0, 1),
    held=st.tuples(st.booleans(), st.booleans()),
    evidence=st.lists(QUOTES, min_size=1, max_size=3),
    answer=st.sampled_from([GOOD, BAD, "", "?"]),
)
def test_a_pass_needs_everything_at_once(
    decision: str, confidence: float, held: tuple[bool, bool], evidence: list[str], answer: str
) -> None:
    named = dict(zip(CRITERIA.criteria, held, strict=True))
    ruling = by_criteria(Verdict(decision, confidence, "", named, tuple(evidence), ()), answer)
    if ruling.outcome == "pass":
        assert decision == "pass"
        assert all(held)
        assert confidence >= CRITERIA.threshold
        assert answer in (GOOD, BAD)
        assert not {"made up", "..."} & set(evidence)
        assert {"after 30 minutes", "It works once"} & set(evidence)
    if ruling.outcome == "fail":
        assert decision == "fail"
        assert not all(held)
        assert confidence >= CRITERIA.threshold
