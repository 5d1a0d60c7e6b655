"""Grading: the two doors by which promptfoo asks for a verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voirdire.doorconfig import read_config
from voirdire.doorinput import as_text
from voirdire.errors import ConfigError, not_installed
from voirdire.grade import Outcome, grade
from voirdire.journal import Journal
from voirdire.judges.base import Judge
from voirdire.promptfoo.cache import uncached
from voirdire.promptfoo.overruled import OUTVOTED, kept_from_passing, raise_to_promptfoo
from voirdire.promptfoo.overruling import in_suite
from voirdire.promptfoo.scores import named_scores
from voirdire.promptfoo.suite import config_paths
from voirdire.promptfoo.tested import names_under_test
from voirdire.record import as_record
from voirdire.rubric import Rubric

if TYPE_CHECKING:  # loaded only where it is used: promptfoo waits for every import
    from voirdire.certificate import Standing

# Checks of promptfoo that ask any grading provider for {pass, score, reason}. Its agent-rubric
# takes agents alone; its search-rubric reads text alone, and inverts what is none.
_LABELS = ("llm-rubric", "trajectory:goal-success")


def assertion(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """The explicit door: a ``type: python`` assertion.

    Raises:
        NotAVerdictError: an undecided or a judge error that promptfoo would invert or ignore.
    """
    config = context.get("config")
    vars_ = context.get("vars") or {}
    result = graded(output, vars_, config, drop_in=False, tested=names_under_test(context))
    if is_decided(result):
        return result
    return kept_from_passing(result, context, config)


def provider(
    options: Mapping[str, Any] | None, context: Mapping[str, Any] | None
) -> dict[str, Any]:
    """The drop-in door: the grading provider of an ``llm-rubric``.

    Raises:
        NotAVerdictError: a judge error where ``on_judge_error`` is ``error``; an undecided or a
            judge error that promptfoo would ignore; a check that does not ask for a verdict.
    """
    context = context or {}
    vars_ = context.get("vars") or {}
    config = (options or {}).get("config") or {}
    label = (context.get("prompt") or {}).get("label")
    if label not in _LABELS:
        reason = (
            f"judge error (config): voirdire grades {', '.join(_LABELS)}, not {label!r}; "
            "give that assertion another provider"
        )
        if label == "select-best":  # asked once all is graded: raised there, it ends the whole run
            return {"error": reason}
        raise_to_promptfoo(reason)
    result = graded(vars_.get("output", ""), vars_, config, drop_in=True)
    metadata = result["metadata"]
    metadata.pop("renderedGradingPrompt", None)  # promptfoo writes its own prompt over it
    if not is_decided(result):
        overruling = in_suite(vars_, _LABELS)
        to_raise = config.get("on_judge_error") == "error"
        if overruling.weightless or (to_raise and _outcome(result) == "judge_error"):
            raise_to_promptfoo(result["reason"])
        metadata["graderError"] = True  # promptfoo hands a grader's error on, never inverted
        if overruling.averaged or not overruling.known:
            result["score"] = OUTVOTED
    return uncached(
        {
            "output": {key: result[key] for key in ("pass", "score", "reason")},
            "metadata": metadata,
            "tokenUsage": result["tokensUsed"],
        }
    )


def graded(
    output: Any,
    vars_: Mapping[str, Any],
    config: Any,
    *,
    drop_in: bool,
    tested: Sequence[str] = (),
) -> dict[str, Any]:
    """The assertion result; whatever goes wrong is a judge error, never an exception."""

    def judged() -> dict[str, Any]:
        checked = read_config(config, config_folders(), drop_in=drop_in)
        rubric = checked.rubric or _own_words(vars_.get("rubric"))
        standing = checked.standing(rubric)
        if checked.minimum is not None and standing and standing.status != "certified":
            from voirdire.promptfoo.certifying import command_for

            mend = f"run: {command_for(checked)}"
            return _unasked("uncertified", f"{standing.why}; {mend}", standing.status)
        outcome = grade(
            checked.case(as_text(output), vars_),
            rubric,
            checked.judge,
            Journal(checked.journal),
            policy=checked.policy,
            precheck=checked.precheck,
            memory=checked.memory(),
            quorum=checked.quorum,
            order=checked.order,
        )
        result = _result(outcome, rubric, checked.judge, tested, standing)
        result["metadata"]["voirdire"]["setup"] = checked.setup(rubric)._asdict()
        return result

    return never_raised(judged)


def config_folders() -> list[Path]:
    """Where a config's relative paths are looked for: the suite's folders, then this one."""
    return [*(path.parent for path in config_paths()), Path()]


def never_raised(graded: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The result of grading; whatever goes wrong is a judge error, never an exception."""
    try:
        return graded()
    except ConfigError as error:
        return _unasked("config", str(error))
    except ModuleNotFoundError as error:  # only the folder that npm installed is there
        return _unasked("config", not_installed(error))
    except Exception as error:  # a fault of ours must not become promptfoo's to interpret
        return _unasked("internal", f"{type(error).__name__}: {error}")


def _own_words(value: Any) -> Rubric:
    """The rubric of an ``llm-rubric`` that has only its own sentence: one criterion."""
    text = as_text(value or "").strip()
    if not text:
        raise ConfigError("config: no rubric; add `rubric: FILE.yaml`, or a `value` to llm-rubric")
    return Rubric(name="llm-rubric", criteria={"meets_rubric": text})


def _result(
    outcome: Outcome,
    rubric: Rubric,
    judge: Judge,
    tested: Sequence[str],
    standing: Standing | None,
) -> dict[str, Any]:
    record = as_record(outcome, judge, tested)
    if standing is not None:
        record["calibration"] = standing.status
    record["rubric"] = {"name": rubric.name, "version": rubric.version}
    record["prompt"] = f"[system]\n{outcome.prompt.system}\n[user]\n{outcome.prompt.user}"
    return assertion_result(record, record["attempts"] or 0)


def assertion_result(record: dict[str, Any], requests: int) -> dict[str, Any]:
    """What promptfoo takes from an assertion.

    Args:
        record: for ``metadata.voirdire``; has ``outcome``, ``reason``, ``tokens``, ``prompt``.
        requests: HTTP requests made.
    """
    passed = record["outcome"] == "pass"
    used = record["tokens"]
    return {
        "pass": passed,
        "score": 1.0 if passed else 0.0,
        "reason": record["reason"],
        "namedScores": named_scores(record["outcome"]),
        "tokensUsed": {
            "total": used["total"],
            "prompt": used["prompt"],
            "completion": used["completion"],
            "numRequests": requests,
        },
        "metadata": {
            "voirdire": record,
            "renderedGradingPrompt": record["prompt"],
        },
    }


def _unasked(kind: str, detail: str, calibration: str = "uncertified") -> dict[str, Any]:
    reason = f"judge error ({kind}): {detail}"
    record = {"outcome": "judge_error", "kind": kind, "reason": reason, "raw": None}
    record["calibration"] = calibration
    return {
        "pass": False,
        "score": 0.0,
        "reason": reason,
        "namedScores": named_scores("judge_error"),
        "tokensUsed": {"total": 0, "prompt": 0, "completion": 0, "numRequests": 0},
        "metadata": {"voirdire": record},
    }


def _outcome(result: Mapping[str, Any]) -> str:
    return str(result["metadata"]["voirdire"]["outcome"])


def is_decided(result: Mapping[str, Any]) -> bool:
    """Whether an assertion's result is a pass or a fail."""
    return _outcome(result) in ("pass", "fail")
