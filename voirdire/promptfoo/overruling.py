"""Where promptfoo could turn a non-pass into a pass: inverted, at weight 0, or averaged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from voirdire.promptfoo.shaped import as_list, as_mapping
from voirdire.promptfoo.suite import assertions_of, suite_under_test

_OWN_HOOK = "named_scores.py:extension_hook"
# Weights and thresholds up to here leave the score of a non-decision (``OUTVOTED``) decisive.
_MOST = 1e50


class Overruling(NamedTuple):
    """What stands between a non-pass and the test's result.

    Attributes:
        inverted: the assertion is a ``not-`` one.
        weightless: no score of it can decide: its weight, or that of its assert-set, counts
            nothing (at weight 0 promptfoo forces an assertion to pass), others' weights are such
            that the average says nothing (below 0), or a guardrail excuses the test.
        averaged: a threshold on the test or the assert-set lets other scores outvote it.
        known: false where the suite cannot be read, so that it might be averaged.
    """

    inverted: bool = False
    weightless: bool = False
    averaged: bool = False
    known: bool = True

    def __or__(self, other: Overruling) -> Overruling:
        return Overruling(
            self.inverted or other.inverted,
            self.weightless or other.weightless,
            self.averaged or other.averaged,
            self.known and other.known,
        )


def overrulings(test: Any, types: Sequence[str]) -> Iterator[tuple[Overruling, Mapping[str, Any]]]:
    """What overrules each of a test's assertions of these base types, and the assertion."""
    excused = _excused(test)
    return ((found | excused, own) for found, own in _assertions(test, types))


def in_test(test: Any, config: Any) -> Overruling:
    """What overrules the ``python`` assertions of a test that have this ``config``.

    Where none has it, all the test's ``python`` assertions count: better one raise too many.
    """
    found = list(_assertions(test, ("python",)))
    ours = [item for item, own in found if own.get("config") == config] or [i for i, _ in found]
    total = _join(ours) | _excused(test)
    # Assertions that differ would need different answers; what is right at weight 0 is for all.
    return total | Overruling(weightless=len(set(ours)) > 1)


def in_suite(vars_: Mapping[str, Any], types: Sequence[str]) -> Overruling:
    """What overrules the assertions of these types in the suite's tests that the vars fit."""
    suite = suite_under_test()
    if suite is None:
        return Overruling(known=False)
    # Other people's hooks may change a test before it is run.
    hooks = as_list(suite.given.get("extensions"))
    known = suite.known and all(str(hook).endswith(_OWN_HOOK) for hook in hooks)
    total = Overruling()
    for test in suite.tests:
        if _may_be(test, vars_):
            total |= _join(found for found, _ in overrulings(test, types)) | _excused(test)
            known = known and _is_plain(test["assert"])
    return total | Overruling(known=known)


def _may_be(test: Mapping[str, Any], vars_: Mapping[str, Any]) -> bool:
    """Whether the vars may be this test's: its plain texts must be the same ones.

    Only texts: YAML readers disagree on what is a number, a date or true.
    """
    if test["options"].get("transformVars"):
        return True
    return not any(
        isinstance(value, str)
        and not any(mark in value for mark in ("{{", "{%", "{#", "://", "package:"))
        and isinstance(vars_.get(name), str)
        and vars_[name] != value
        for name, value in as_mapping(test.get("vars")).items()
    )


def _is_plain(assertions: Sequence[Any]) -> bool:
    """Whether every assertion says what it is."""
    return all(
        isinstance(item, dict)
        and isinstance(item.get("type"), str)
        and _is_plain(assertions_of(item))
        for item in assertions
    )


def _assertions(test: Any, types: Sequence[str]) -> Iterator[tuple[Overruling, Mapping[str, Any]]]:
    """What overrules each of the assertions of these base types, and the assertion."""
    threshold: Any = as_mapping(test).get("threshold")
    items = [as_mapping(item) for item in as_list(as_mapping(test).get("assert"))]
    sound = _is_number(threshold) and threshold > -_MOST
    sound = sound and all(_is_sound(item.get("weight", 1)) for item in items)
    averaged = threshold is not None
    around = Overruling(averaged=averaged, weightless=averaged and not sound)
    for item in items:
        kind = str(item.get("type", ""))
        weight = item.get("weight", 1)
        weightless = not _is_number(weight) or weight <= 0
        here = around | Overruling(inverted=kind.startswith("not-"), weightless=weightless)
        if kind == "assert-set":
            for inner, own in _assertions(item, types):
                # A set without weight is not forced to pass, but no average counts it.
                yield inner | here, own
        elif kind.removeprefix("not-") in types:
            yield here, item


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_sound(weight: Any) -> bool:
    return _is_number(weight) and (weight == 0 or 1 / _MOST <= weight <= _MOST)


def _excused(test: Any) -> Overruling:
    """promptfoo passes a test, whatever else failed, where a red team's guardrail was tripped."""
    for item in map(as_mapping, as_list(as_mapping(test).get("assert"))):
        purpose = as_mapping(item.get("config")).get("purpose")
        if (item.get("type") == "guardrails" and purpose == "redteam") or _excused(item).averaged:
            return Overruling(weightless=True, averaged=True)
    return Overruling()


def _join(found: Iterable[Overruling]) -> Overruling:
    total = Overruling()
    for one in found:
        total |= one
    return total
