"""The verdict: its JSON schema, and the strict check that a value meets it.

The schema is what a judge's API is sent; the check is what every reply must pass. They
say the same (a test holds them together with the jsonschema library), but the check is
plain code: promptfoo starts one process per assertion and cannot wait for an import.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from voirdire.strictjson import shorten

VERDICTS = ("pass", "fail", "cannot_decide")
STATUSES = ("supported", "overstated", "unsupported")
MAX_CRITIQUE = 2000
MAX_QUOTE = 280
CRITIQUE = {"type": "string", "maxLength": MAX_CRITIQUE}
"""JSON Schema of a critique."""
CONFIDENCE = {"type": "number", "minimum": 0, "maximum": 1}
"""JSON Schema of a confidence."""


class Claim(NamedTuple):
    """One claim of the answer, as a judge sees it.

    Attributes:
        answer_quote: the claim's words in the answer.
        status: ``supported``, ``overstated`` or ``unsupported``.
        source_quote: the words of the source that settle it; ``None`` where there are none.
    """

    answer_quote: str
    status: str
    source_quote: str | None


class Verdict(NamedTuple):
    """A verdict that met the schema whole.

    Attributes:
        decision: ``pass``, ``fail`` or ``cannot_decide``.
        confidence: 0 to 1, as the judge states it.
        critique: the judge's reasons, written before its decision.
        criteria: criterion name → whether it holds (criteria mode; empty in claim mode).
        evidence: quotes (criteria mode).
        claims: claims in order (claim mode).
    """

    decision: str
    confidence: float
    critique: str
    criteria: dict[str, bool]
    evidence: tuple[str, ...]
    claims: tuple[Claim, ...]

    @property
    def score(self) -> float:
        """Share of criteria, or of claims, that hold: 0 to 1."""
        held = (
            [claim.status == "supported" for claim in self.claims]
            if self.claims
            else list(self.criteria.values())
        )
        return sum(held) / len(held)

    def to_json(self) -> dict[str, Any]:
        """The verdict as the judge's own schema has it."""
        body: dict[str, Any] = {"critique": self.critique}
        if self.claims:
            body["claims"] = [
                {
                    "answer_quote": claim.answer_quote,
                    "status": claim.status,
                    "source_quote": claim.source_quote,
                }
                for claim in self.claims
            ]
        else:
            body["criteria"] = dict(self.criteria)
            body["evidence"] = list(self.evidence)
        body["verdict"] = self.decision
        body["confidence"] = self.confidence
        return body


def verdict_schema(criteria: tuple[str, ...]) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of the verdict; claim mode where ``criteria`` is empty.

    Fields stand in the order in which a judge should write them: the critique first.
    """
    body: dict[str, Any] = {"critique": dict(CRITIQUE)}
    if criteria:
        body["criteria"] = closed({name: {"type": "boolean"} for name in criteria})
        body["evidence"] = quotes_schema()
    else:
        claim = closed(
            {
                "answer_quote": {"type": "string", "minLength": 1},
                "status": {"type": "string", "enum": list(STATUSES)},
                "source_quote": {"type": ["string", "null"], "minLength": 1},
            }
        )
        claim["if"] = {"properties": {"status": {"const": "supported"}}}
        claim["then"] = {"properties": {"source_quote": {"type": "string"}}}
        body["claims"] = {"type": "array", "items": claim, "minItems": 1}
    body["verdict"] = {"type": "string", "enum": list(VERDICTS)}
    body["confidence"] = dict(CONFIDENCE)
    return closed(body)


def quotes_schema() -> dict[str, Any]:
    """JSON Schema of a list of quotes, at least one."""
    quote = {"type": "string", "minLength": 1, "maxLength": MAX_QUOTE}
    return {"type": "array", "items": quote, "minItems": 1}


def closed(properties: dict[str, Any]) -> dict[str, Any]:
    """JSON Schema of an object that has these properties, all of them and no other."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def check_verdict(value: Any, criteria: tuple[str, ...]) -> Verdict | str:
    """The verdict that a parsed JSON value is, or one sentence that says why it is none.

    Args:
        value: what the reply's JSON parsed to.
        criteria: the rubric's criteria, all of which must be answered; empty in claim mode.
    """
    middle = ("criteria", "evidence") if criteria else ("claims",)
    fault = fields_fault(value, ("critique", *middle, "verdict", "confidence"), "the reply")
    if fault:
        return fault
    critique, decision, confidence = value["critique"], value["verdict"], value["confidence"]
    fault = (
        critique_fault(critique)
        or choice_fault("verdict", decision, VERDICTS)
        or confidence_fault(confidence)
    )
    if fault:
        return fault
    held: dict[str, bool] = {}
    evidence: tuple[str, ...] = ()
    claims: list[Claim] = []
    if criteria:
        fault = _criteria(value["criteria"], criteria) or quotes_fault(value["evidence"])
        if fault:
            return fault
        held = {name: value["criteria"][name] for name in criteria}
        evidence = tuple(value["evidence"])
    else:
        if not isinstance(value["claims"], list) or not value["claims"]:
            return "claims must be a list of at least one claim"
        for index, item in enumerate(value["claims"], 1):
            fault = _claim(item, f"claim {index}")
            if fault:
                return fault
            claims.append(Claim(item["answer_quote"], item["status"], item["source_quote"]))
    return Verdict(decision, float(confidence), critique, held, evidence, tuple(claims))


def fields_fault(value: Any, names: tuple[str, ...], where: str) -> str:
    """Why a value is no object with exactly these fields; empty where it is one."""
    if not isinstance(value, dict):
        return f"{where} is {_kind(value)}, not an object"
    missing = [name for name in names if name not in value]
    if missing:
        return f"{where} lacks {', '.join(missing)}"
    extra = [name for name in value if name not in names]
    if extra:
        return f"{where} has an unexpected field {shorten(extra[0])}"
    return ""


def critique_fault(value: Any) -> str:
    """Why a value is no critique; empty where it is one."""
    if isinstance(value, str) and len(value) <= MAX_CRITIQUE:
        return ""
    return f"critique must be a string of at most {MAX_CRITIQUE} characters"


def choice_fault(name: str, value: Any, accepted: tuple[str, ...]) -> str:
    """Why a field's value is none of those accepted; empty where it is one."""
    if isinstance(value, str) and value in accepted:
        return ""
    return f"{name} must be one of {', '.join(accepted)}, not {_show(value)}"


def confidence_fault(value: Any) -> str:
    """Why a value is no confidence; empty where it is one."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"confidence must be a number, not {_show(value)}"
    return "" if 0 <= value <= 1 else f"confidence must lie between 0 and 1, not {_show(value)}"


def _criteria(value: Any, names: tuple[str, ...]) -> str:
    fault = fields_fault(value, names, "criteria")
    if fault:
        return fault
    for name in names:
        if not isinstance(value[name], bool):
            return f"criterion {name} must be true or false, not {_show(value[name])}"
    return ""


def quotes_fault(value: Any) -> str:
    """Why a value is no list of quotes; empty where it is one."""
    if not isinstance(value, list) or not value:
        return "evidence must be a list of at least one quote"
    for quote in value:
        if not isinstance(quote, str) or not 1 <= len(quote) <= MAX_QUOTE:
            return f"every evidence quote must be a string of 1 to {MAX_QUOTE} characters"
    return ""


def _claim(value: Any, where: str) -> str:
    fault = fields_fault(value, ("answer_quote", "status", "source_quote"), where)
    if fault:
        return fault
    quote, status, source = value["answer_quote"], value["status"], value["source_quote"]
    if not isinstance(quote, str) or not quote:
        return f"{where}: answer_quote must be a string that is not empty"
    fault = choice_fault("status", status, STATUSES)
    if fault:
        return f"{where}: {fault}"
    if source is not None and (not isinstance(source, str) or not source):
        return f"{where}: source_quote must be a string that is not empty, or null"
    if status == "supported" and source is None:
        return f"{where} is supported but quotes no source"
    return ""


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}
    return names.get(type(value), "a number")


def _show(value: Any) -> str:
    if isinstance(value, str):
        return shorten(value)
    if isinstance(value, (dict, list)) or (isinstance(value, int) and abs(value) > 1e15):
        return _kind(value)  # writing out thousands of digits is slow, and then an error
    return shorten(str(value))[1:-1]
