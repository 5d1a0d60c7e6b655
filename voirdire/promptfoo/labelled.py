"""The suite of the judge: each labelled case is a test, passed where judge and person agree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voirdire.calibration.labelled import LABELS, Labelled
from voirdire.errors import ConfigError
from voirdire.promptfoo.grading import config_folders, graded, is_decided, never_raised
from voirdire.promptfoo.overruled import kept_from_passing
from voirdire.promptfoo.tested import names_under_test

_SCORES = {
    ("fail", "fail"): "fail_caught",
    ("fail", "pass"): "fail_missed",
    ("pass", "fail"): "pass_lost",
    ("pass", "pass"): "pass_kept",
}


def assertion(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """A ``type: python`` assertion: passes where the judge decides as the person did.

    The test var ``label`` holds what the person decided, ``note`` why. The config is that of the
    grounded door.

    Raises:
        NotAVerdictError: an undecided or a judge error that promptfoo would invert or ignore.
    """
    config = context.get("config")
    vars_ = context.get("vars") or {}
    result = never_raised(lambda: _compared(output, vars_, context))
    return result if is_decided(result) else kept_from_passing(result, context, config)


def _compared(output: Any, vars_: Mapping[str, Any], context: Mapping[str, Any]) -> dict[str, Any]:
    label = str(vars_.get("label", "")).lower()
    if label not in LABELS:
        raise ConfigError(f"this test has no var `label` that is pass or fail, but {label!r}")
    tested = names_under_test(context)
    result = graded(output, vars_, context.get("config"), drop_in=False, tested=tested)
    record = result["metadata"]["voirdire"]
    if not is_decided(result):
        return {**result, "reason": f"person: {label} · {result['reason']}"}
    said, agrees = record["outcome"], record["outcome"] == label
    note = f" (person: {vars_['note']})" if vars_.get("note") and not agrees else ""
    word = "agrees" if agrees else "DISAGREES"
    reason = f"{word}: person {label}, judge {said}: {result['reason']}{note}"
    record |= {"judge_said": said, "label": label, "reason": reason}
    record["outcome"] = record["kind"] = "pass" if agrees else "fail"
    result["namedScores"] |= {name: float(pair == (label, said)) for pair, name in _SCORES.items()}
    return {**result, "pass": agrees, "score": float(agrees), "reason": reason}


def create_tests(config: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """promptfoo's tests out of a file of labelled cases.

    Args:
        config: ``cases``, the file.

    Raises:
        ConfigError: the file cannot be read, or holds no labelled case.
    """
    from voirdire.calibration.cases import load_cases
    from voirdire.doorinput import find

    named = (config or {}).get("cases")
    if not isinstance(named, str):
        raise ConfigError("config: no cases; add `cases: FILE` with labelled cases")
    loaded = load_cases(find(named, [*config_folders(), Path()]), sources=())
    return [_test(one) for one in loaded.cases]


def _test(one: Labelled) -> dict[str, Any]:
    """A test that puts to the judge what calibration would: no question where there is none."""
    vars_: dict[str, Any] = {"case_id": one.case.id, "label": one.label, "note": one.note}
    if one.case.question is not None:
        vars_["question"] = one.case.question
    test = {"description": f"{one.case.id} · person: {one.label}", "vars": vars_}
    if one.case.sources:
        vars_["source"] = [source._asdict() for source in one.case.sources]
        # Or promptfoo would make a test of each excerpt.
        test["options"] = {"disableVarExpansion": True}
    return test
