"""Comparing: the door that holds an output against a reference answer, in both orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from voirdire.doorconfig import DoorConfig, read_config
from voirdire.doorinput import as_text, find
from voirdire.errors import ConfigError
from voirdire.journal import Journal
from voirdire.pairwise.compare import Comparison, Pair, compare
from voirdire.pairwise.record import as_record
from voirdire.pairwise.swap import SAID_TIE, Settled
from voirdire.promptfoo.grading import (
    assertion_result,
    config_folders,
    is_decided,
    never_raised,
)
from voirdire.promptfoo.overruled import kept_from_passing
from voirdire.rubric import Rubric
from voirdire.yamlfile import read_text

FIELDS = (
    "rubric",
    "source",
    "judge",
    "vars",
    "policy",
    "journal",
    "cache",
    "reference",
    "allow_tie",
)
VARS = ("question", "source", "case_id", "reference")


def assertion(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """A ``type: python`` assertion: passes where the output beats the reference.

    Raises:
        NotAVerdictError: an undecided or a judge error that promptfoo would invert or ignore.
    """
    config = context.get("config")
    vars_ = context.get("vars") or {}
    result = never_raised(lambda: _compared(as_text(output), vars_, config))
    return result if is_decided(result) else kept_from_passing(result, context, config)


def read_comparison(config: Any, folders: Sequence[Path]) -> tuple[DoorConfig, bool]:
    """The door's config, checked, and whether a tie passes.

    Raises:
        ConfigError: names the field that is wrong and what it may be.
    """
    checked = read_config(config, folders, fields=FIELDS, var_fields=VARS)
    allow_tie = config.get("allow_tie", False)
    if not isinstance(allow_tie, bool):
        raise ConfigError(f"config: allow_tie: must be true or false, not {allow_tie!r}")
    return checked, allow_tie


def read_reference(configured: Any, folders: Sequence[Path]) -> Any:
    """The reference of a config: the text of the file that it names, or else as it stands.

    Raises:
        ConfigError: the file cannot be read.
    """
    if isinstance(configured, str) and configured.startswith("file://"):
        return read_text(find(configured, folders), "reference answer")
    return configured


def _compared(output: str, vars_: Mapping[str, Any], config: Any) -> dict[str, Any]:
    folders = config_folders()
    checked, allow_tie = read_comparison(config, folders)
    if checked.rubric is None:
        raise ConfigError("config: no rubric; add `rubric: FILE.yaml`")
    question, case_id = checked.var("question", vars_), checked.var("case_id", vars_)
    pair = Pair(
        a=output,
        b=_reference(config.get("reference"), checked, vars_, folders),
        question=None if question is None else as_text(question),
        sources=() if config.get("source") == "none" else checked.sources(vars_),
        id=None if case_id is None else str(case_id),
    )
    journal = Journal(checked.journal)
    comparison = compare(
        pair,
        checked.rubric,
        checked.judge,
        journal,
        policy=checked.policy,
        memory=checked.memory(),
    )
    requests = sum(order.heard.reply.attempts for order in comparison.orders if order.heard.reply)
    return assertion_result(_record(comparison, checked.rubric, allow_tie), requests)


def _reference(
    configured: Any, checked: DoorConfig, vars_: Mapping[str, Any], folders: Sequence[Path]
) -> str:
    value = read_reference(configured, folders)
    if value is None:
        value = checked.var("reference", vars_)
    if value is None:
        raise ConfigError(
            "config: no reference answer; give the tests a var `reference`, or add `reference: …`"
        )
    text = as_text(value)
    if not text.strip():
        raise ConfigError("the reference answer is empty")
    return text


def _record(comparison: Comparison, rubric: Rubric, allow_tie: bool) -> dict[str, Any]:
    """The comparison's record with what it means for the output: A is the output."""
    one, two = comparison.orders
    return {
        **as_record(comparison),
        "outcome": _outcome(comparison.settled, allow_tie),
        "reason": f"{comparison.reason} [A is the output, B the reference]",
        "comparison": comparison.settled.outcome,
        "rubric": {"name": rubric.name, "version": rubric.version},
        "prompt": (
            f"[system]\n{one.prompt.system}\n[user, A first]\n{one.prompt.user}\n"
            f"[user, B first]\n{two.prompt.user}"
        ),
    }


def _outcome(settled: Settled, allow_tie: bool) -> str:
    if settled.outcome == "tie":
        if settled.kind != SAID_TIE:
            return "undecided"
        return "pass" if allow_tie else "fail"
    return {"a": "pass", "b": "fail"}.get(settled.outcome, settled.outcome)
