"""A run of voirdire's own as promptfoo's results file, for its viewer and for every reader of one.

``promptfoo import`` takes it, and ``promptfoo view`` then shows it.
"""

from __future__ import annotations

import json
import random
import string
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voirdire import __version__
from voirdire.promptfoo.grading import assertion_result
from voirdire.promptfoo.scores import named_scores
from voirdire.runs.done import Answer, Done
from voirdire.runs.questions import Question
from voirdire.source import text_hash
from voirdire.wholefile import write_pieces

RUN = "voirdire run"
"""What stands where a suite has its assertion's value."""
_NONE, _ASSERT, _ERROR = 0, 1, 2


class Header(NamedTuple):
    """What the rows of a run share.

    Attributes:
        description: of the eval.
        models: the models' specs, in order; each is a column of the viewer.
        template: the prompt, not filled in.
        metric: the rubric's name.
        judge: the judge's spec.
    """

    description: str
    models: Sequence[str]
    template: str
    metric: str
    judge: str


def write(
    path: Path, header: Header, done: Sequence[Done], filled: Callable[[Question], str]
) -> str:
    """Write a results file, whole or not at all.

    Args:
        path: the file.
        header: what the rows share.
        done: the rows.
        filled: the prompt of a question.

    Returns:
        The eval's id.

    Raises:
        ConfigError: it cannot be written.
    """
    now = time.time()
    identity = f"eval-{_letters(3)}-{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(now))}"
    write_pieces(path, _pieces(identity, now, header, done, filled))
    return identity


def _pieces(
    identity: str,
    now: float,
    header: Header,
    done: Sequence[Done],
    filled: Callable[[Question], str],
) -> Iterator[str]:
    """The file in pieces: each row holds its source twice, and there may be many."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now % 1 * 1000):03d}Z"
    tests = {
        one.id: n
        for n, one in enumerate({pair.question.id: pair.question for pair in done}.values())
    }
    assertion = _assertion(header)
    columns = {model: n for n, model in enumerate(header.models)}
    by_model = {model: [one for one in done if one.model == model] for model in header.models}
    prompts = [_column(header, model, by_model[model]) for model in header.models]
    yield f'{{"evalId": {_json(identity)},\n"results": {{"version": 3, '
    yield f'"timestamp": {_json(stamp)},\n"prompts": {_json(prompts)},\n"results": [\n'
    for number, one in enumerate(done):
        row = _row(one, header, assertion, columns[one.model], tests[one.question.id], filled)
        yield (",\n" if number else "") + _json(row)
    yield f'\n],\n"stats": {_json(_stats(done))}}},\n'
    rest = {
        "config": {
            "description": header.description,
            "prompts": [header.template],
            "providers": list(header.models),
            "defaultTest": {"assert": [assertion]},
        },
        "shareableUrl": None,
        "metadata": {"evaluationCreatedAt": stamp, "voirdire": {"version": __version__}},
        "vars": ["case_id", "question", "source"],
    }
    yield _json(rest)[1:] + "\n"


def _row(
    one: Done,
    header: Header,
    assertion: Mapping[str, Any],
    column: int,
    test: int,
    filled: Callable[[Question], str],
) -> dict[str, Any]:
    variables = {
        "case_id": one.question.id,
        "question": one.question.text,
        "source": _source(one.question),
    }
    grade = _grade(one, assertion)
    passed = one.outcome == "pass"
    failure = _NONE if passed else _ERROR if grade is None else _ASSERT
    row = {
        "cost": one.answer.cost if one.answer else None,
        "gradingResult": grade,
        "id": text_hash(f"{one.model}\0{one.question.id}")[:32],
        "latencyMs": one.answer.latency_ms if one.answer else 0,
        "namedScores": grade["namedScores"] if grade else {},
        "prompt": {"raw": filled(one.question), "label": header.template},
        "promptId": text_hash(header.template),
        "promptIdx": column,
        "provider": {"id": one.model, "label": ""},
        "response": _response(one),
        "score": 1 if passed else 0,
        "success": passed,
        "testCase": {
            "description": one.question.id,
            "vars": variables,
            "assert": [assertion],
            "options": {},
            "metadata": {},
        },
        "testIdx": test,
        "tokenUsage": {**_tokens([one.answer]), "assertions": _judge_tokens([one])},
        "vars": variables,
        "metadata": {},
        "failureReason": failure,
    }
    if not passed:
        row["error"] = one.fault.detail if one.fault else grade["reason"] if grade else ""
    return row


def _grade(one: Done, assertion: Mapping[str, Any]) -> dict[str, Any] | None:
    if one.verdict is None:
        return None
    record = {**one.verdict, "prompt": one.judge_prompt}
    result = assertion_result(record, record["attempts"] or 0)
    scores = {str(assertion["metric"]): result["score"], **result["namedScores"]}
    return {
        "pass": result["pass"],
        "score": result["score"],
        "reason": result["reason"],
        "namedScores": scores,
        "tokensUsed": result["tokensUsed"],
        "componentResults": [{**result, "assertion": assertion}],
    }


def _response(one: Done) -> dict[str, Any]:
    if one.fault is not None:
        told = {"model_error": one.fault.kind, "raw": one.fault.raw}
        return {"error": one.fault.detail, "metadata": {"voirdire": told}}
    answer = one.answer or Answer("")
    metadata: dict[str, Any] = {
        "voirdire": {
            "finish_reason": answer.finish_reason,
            "reasoning": answer.reasoning,
            "model": answer.served,
            "notes": list(answer.notes),
            "attempts": answer.attempts,
        }
    }
    if answer.recorded:
        metadata["canned"] = True
    return {
        "output": answer.text,
        "cost": answer.cost,
        "cached": False,
        "tokenUsage": _tokens([answer]),
        "isRefusal": answer.refused,
        "metadata": metadata,
    }


def _source(question: Question) -> Any:
    if len(question.sources) == 1:
        return question.sources[0].text
    return [source._asdict() for source in question.sources]


def _assertion(header: Header) -> dict[str, Any]:
    return {
        "type": "python",
        "metric": header.metric,
        "value": RUN,
        "config": {"judge": header.judge},
    }


def _column(header: Header, model: str, done: Sequence[Done]) -> dict[str, Any]:
    counts = _counts(done)
    graded = [one for one in done if one.verdict is not None]
    names = {header.metric: counts["pass"], **dict.fromkeys(named_scores(""), 0)}
    for one in graded:
        for name, value in named_scores(one.outcome).items():
            names[name] += value
    return {
        "id": text_hash(header.template),
        "raw": header.template,
        "label": header.template,
        "provider": model,
        "metrics": {
            "score": counts["pass"],
            "testPassCount": counts["pass"],
            "testFailCount": counts["fail"],
            "testErrorCount": counts["error"],
            "assertPassCount": counts["pass"],
            "assertFailCount": counts["fail"],
            "totalLatencyMs": sum(one.answer.latency_ms for one in done if one.answer),
            "tokenUsage": {
                **_tokens([one.answer for one in done]),
                "assertions": _judge_tokens(done),
            },
            "namedScores": names,
            "namedScoresCount": dict.fromkeys(names, len(graded)),
            "namedScoreWeights": dict.fromkeys(names, len(graded)),
            "cost": sum(one.answer.cost or 0 for one in done if one.answer),
        },
    }


def _stats(done: Sequence[Done]) -> dict[str, Any]:
    counts = _counts(done)
    return {
        "successes": counts["pass"],
        "failures": counts["fail"],
        "errors": counts["error"],
        "tokenUsage": {**_tokens([one.answer for one in done]), "assertions": _judge_tokens(done)},
    }


def _counts(done: Sequence[Done]) -> dict[str, int]:
    passed = sum(one.outcome == "pass" for one in done)
    errors = sum(one.verdict is None for one in done)
    return {"pass": passed, "fail": len(done) - passed - errors, "error": errors}


def _tokens(answers: Sequence[Answer | None]) -> dict[str, Any]:
    found = [one for one in answers if one is not None]
    prompt = sum(one.prompt_tokens or 0 for one in found)
    completion = sum(one.completion_tokens or 0 for one in found)
    return {
        "prompt": prompt,
        "completion": completion,
        "cached": 0,
        "total": prompt + completion,
        "numRequests": sum(one.attempts for one in found),
        "completionDetails": {"reasoning": sum(one.reasoning_tokens or 0 for one in found)},
    }


def _judge_tokens(done: Sequence[Done]) -> dict[str, Any]:
    records = [one.verdict for one in done if one.verdict is not None]
    used = [record["tokens"] for record in records]
    return {
        "prompt": sum(one["prompt"] for one in used),
        "completion": sum(one["completion"] for one in used),
        "cached": 0,
        "total": sum(one["total"] for one in used),
        "numRequests": sum(record["attempts"] or 0 for record in records),
        "completionDetails": {"reasoning": sum(one["reasoning"] for one in used)},
    }


def _letters(count: int) -> str:
    return "".join(random.choices(string.ascii_letters + string.digits, k=count))


def _json(value: Any) -> str:
    # Half a surrogate pair is written as an escape, which any text survives.
    return json.dumps(value, ensure_ascii=True)
