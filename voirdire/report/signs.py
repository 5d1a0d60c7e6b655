"""What is suspicious of a single grade, told from what promptfoo keeps of it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator

from voirdire.judges.families import family_of
from voirdire.judges.pins import is_floating
from voirdire.plaintext import one_line
from voirdire.promptfoo.graded import Graded
from voirdire.promptfoo.grades import Grade

_WIDE = 160
_READ_AS_JSON = ("llm-rubric", "trajectory:goal-success")
# promptfoo's own reason where the reply gave none.
_NO_REASON = "Grading passed"
_ITS_INSTRUCTIONS = "You are grading output according to a user-specified rubric."
_DOCUMENT = (
    r"\b(?:r[eé]sum[eé]s?|cv|documents?|documentation|docs|sources?(?! code)|contexts?"
    r"|help cent(?:re|er)|knowledge base|handbook|manual|articles?|excerpts?|passages?"
    r"|transcripts?|reference text|polic(?:y|ies)|contracts?|reports?|job posting"
    r"|fact ?sheet|data ?sheet|catalog(?:ue)?|specifications?)\b"
)
_LEANS_ON = (
    r"\b(?:support|ground|bas(?:ed|is)|accord|faithful|consisten|contradict|invent|fabricat"
    r"|hallucinat|backed|found in|stated in|present in|appears? in|match|true to|against|beyond)"
)
_SPEAKS_OF_DOCUMENT = re.compile(
    rf"{_LEANS_ON}[^.?!]{{0,80}}?{_DOCUMENT}|{_DOCUMENT}[^.?!]{{0,80}}?{_LEANS_ON}", re.IGNORECASE
)
_READS_LIKE_A_FAIL = re.compile(
    r"\s*(?:fail(?:s|ed|ure)?\b|verdict: fail|no[,.:;!]|not (?:supported|grounded|met|correct)"
    r"|unsupported\b|incorrect\b|the (?:answer|output|response) (?:fails|is (?:wrong|incorrect"
    r"|unsupported|not (?:supported|grounded|correct))|does not (?:meet|satisfy|pass)))",
    re.IGNORECASE,
)
_VARIABLE = re.compile(r"\{\{.{0,500}?\}\}", re.DOTALL)
# So much text beside rubric and answer may hold a document; a rubric so long may itself.
_ROOM, _LONG_RUBRIC = 200, 1500
_SCHEMES = ("openai", "anthropic", "openrouter", "ollama")
_KIND_OF_CALL = re.compile(r"(?:chat|responses|messages|completion|completions):")


def signs(answer: Graded, grade: Grade) -> Iterator[tuple[str, str]]:
    """The kinds of flags that a grade speaks for, each with its evidence."""
    if not grade.judged:
        return
    if grade.silent:
        yield "silent_error", f"{answer.case}: {one_line(grade.reason, _WIDE)}"
    if blind := _blind(answer, grade):
        yield "blind", blind
    if opened := _fail_open(grade):
        yield "fail_open", f"{answer.case}: {opened}"
    if grade.kind == "evidence_not_found" or _without_evidence(grade):
        yield "evidence_missing", f"{answer.case}: {one_line(grade.reason, _WIDE)}"
    yield from _of_grader(answer, grade)


def _blind(answer: Graded, grade: Grade) -> str:
    record = grade.record
    if record:
        if record.get("source_sha256") == [] and record.get("fingerprint"):
            return "no source hash in what the judge was shown"
        return ""
    if grade.type != "llm-rubric" or not _speaks_of_document(grade.rubric):
        return ""
    if grade.shown is None and _VARIABLE.search(grade.template):
        return ""  # nobody wrote down what the variables held
    own = _VARIABLE.sub("", grade.template)
    if len(own) > _LONG_RUBRIC or _beside(answer, grade, own) >= _ROOM:
        return ""
    rubric = one_line(grade.template or grade.rubric, _WIDE)
    return f"the rubric {rubric!r} came with the answer and nothing else"


def _speaks_of_document(rubric: str) -> bool:
    return _SPEAKS_OF_DOCUMENT.search(rubric[:_LONG_RUBRIC]) is not None


def _beside(answer: Graded, grade: Grade, own: str) -> int:
    """Characters that the judge was shown beside the rubric's own words and the answer."""
    if grade.shown is None:
        return 0
    rest = 0
    for text in _messages(grade.shown):
        if text.startswith(_ITS_INSTRUCTIONS):
            continue
        said = answer.answer or ""
        rest += len(text) - (len(said) if said and said in text else 0)
    return rest - len(own)


def _messages(shown: str) -> list[str]:
    """The texts of a chat's messages, or the one text that is no chat."""
    try:
        found = json.loads(shown)
    except (ValueError, RecursionError):
        return [shown]
    items = found if isinstance(found, list) else [found]
    texts = [item.get("content") if isinstance(item, dict) else item for item in items]
    return [text if isinstance(text, str) else json.dumps(text) for text in texts]


def _fail_open(grade: Grade) -> str:
    """Why a pass may be promptfoo's own, not the judge's; it does not keep the reply.

    Its reading takes a reply without ``pass`` for a pass, with a reason of its own where the reply
    gave none, and with the score as the reply has it.
    """
    if grade.record:
        turned = grade.counted and grade.outcome != "pass" and not grade.record.get("judge_said")
        return f"a pass of which voirdire's own record says {grade.outcome}" if turned else ""
    if grade.type not in _READ_AS_JSON or grade.outcome != "pass" or grade.inverted:
        return ""
    if grade.score is not None and grade.score < 0.5 and not grade.thresholded:
        return f"a pass with the score {grade.score:g}: {one_line(grade.reason, _WIDE)}"
    if grade.reason == _NO_REASON:
        return f"a pass for which the reply gave no reason ({_NO_REASON!r} is promptfoo's own)"
    if _READS_LIKE_A_FAIL.match(grade.reason[:_WIDE]):
        return f"a pass whose reason reads like a fail: {one_line(grade.reason, _WIDE)}"
    return ""


def _without_evidence(grade: Grade) -> bool:
    verdict = grade.record.get("verdict")
    if grade.outcome not in ("pass", "fail") or not isinstance(verdict, dict):
        return False
    return bool(verdict.get("criteria")) and not verdict.get("evidence")


def _of_grader(answer: Graded, grade: Grade) -> Iterator[tuple[str, str]]:
    record, judge = grade.record, grade.grader
    if record.get("same_family") or (not record and _same_family(judge, answer.provider)):
        family = record.get("judge_family") or family_of(judge)
        yield "same_family", f"{judge} judges {answer.model}: both are of the family {family}"
    if record.get("floating") or (not record and floats(judge)):
        yield "floating", f"the judge {judge} names no fixed version"
    if floats(answer.provider):
        yield "floating", f"the model under test {answer.provider} names no fixed version"
    status = record.get("calibration") or "uncertified"
    if status != "certified":
        yield "uncertified", f"{judge or 'a judge that the results do not name'}: {status}"


def _same_family(judge: str, tested: str) -> bool:
    family = family_of(judge)
    return family is not None and family == family_of(tested)


def floats(name: str) -> bool:
    """Whether a promptfoo provider's id may mean another model tomorrow; unknown ids do not."""
    scheme, model = _scheme_and_model(name)
    if not model or "@" in model:  # at a server of its own
        return False
    return is_floating(scheme, model, own_server=False, allowed=True)


def judge_option(name: str) -> str:
    """Who graded, as ``--judge`` takes it: promptfoo's providers go by other names there."""
    if name == "rules" or name.startswith("replay:"):
        return shlex.quote(name)
    scheme, model = _scheme_and_model(name)
    if not model:
        return "SPEC"
    option = shlex.quote(f"{scheme}:{model}")
    return f"{option} --set allow_floating=true" if floats(name) else option


def _scheme_and_model(name: str) -> tuple[str, str]:
    """Of an id that voirdire's clients could ask; both empty for others."""
    scheme, _, rest = name.partition(":")
    if scheme not in _SCHEMES:
        return "", ""
    return scheme, _KIND_OF_CALL.sub("", rest, count=1) if _KIND_OF_CALL.match(rest) else rest
