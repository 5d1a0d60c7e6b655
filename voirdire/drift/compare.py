"""Two periods of calls side by side: which of product, judge, rubric and sources changed?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from voirdire.drift.calls import Heard, Side
from voirdire.drift.figures import decided, figures, shift, unreadable
from voirdire.drift.flips import DECIDED, SHOWN, flips, judge_moved

Key = Callable[[Heard], Hashable]

_LATER = {
    "judge": "calibrate it anew",
    "rubric": "calibrate the judge anew",
    "sources": "judge the old answers by the new sources to see what that alone does",
}


def compared(one: Side, other: Side) -> dict[str, Any]:
    """What changed from the first period to the second, as JSON values.

    Raises:
        ConfigError: scipy or statsmodels is not installed.
    """
    reasons: list[str] = []
    paired = _paired(one, other)
    changed = [
        name
        for name, moved in (
            ("judge", _judge(one, other, reasons)),
            ("rubric", _rubric(one, other, reasons)),
            ("sources", _sources(one, other, reasons)),
        )
        if moved
    ]
    found = flips(*paired)
    # The same prompts: neither the answer, the source nor the rubric is another.
    if found.both + found.lost + found.gained:
        models = any(heard.is_model for heard in (*one.calls, *other.calls))
        moved, said = judge_moved(found, None, is_model=models)
        reasons += [f"of the prompts judged in both periods: {sentence}" for sentence in said]
        if moved and "judge" not in changed:
            changed.insert(0, "judge")
    unread = shift(unreadable(one.calls), unreadable(other.calls))
    if unread["p"] < SHOWN:
        reasons.append(
            f"unreadable replies went from {_of(unread['before'])} to {_of(unread['after'])} "
            f"(Fisher's exact test, p = {unread['p']:.2g})"
        )
        # Another rubric, or longer sources, can make replies longer, and cut.
        if not changed:
            changed.append("judge")
    fails = shift(decided(one.calls), decided(other.calls))
    answers = _answers(one, other)
    changed += _product(fails, answers, changed, reasons)
    return {
        "mode": "journals",
        "changed": changed,
        "conclusion": _conclusion(changed, fails),
        "reasons": reasons,
        "before": figures(one),
        "after": figures(other),
        "fails": fails,
        "unreadable": unread,
        "criteria": _criteria(one, other),
        "answers": answers,
        "same_prompts": found.to_json(),
    }


def _judge(one: Side, other: Side, reasons: list[str]) -> bool:
    before = len(reasons)
    if _nothing_shared(one, other, lambda call: call.judge):
        reasons.append("another judge was asked")
    for name in _moved(one, other, lambda call: call.judge, lambda call: call.identity):
        reasons.append(f"{name or 'the judge'} has other settings, or is another judge")
    for name in _moved(one, other, _who, lambda call: call.model, apart=True):
        reasons.append(f"{name[0]}: the server names another model than before")
    for name in _moved(one, other, _who, lambda call: call.system, apart=True):
        reasons.append(f"{name[0]}: the server's own system fingerprint is another")
    wording = _moved(
        one, other, lambda call: (*_who(call), call.version), lambda call: call.fingerprint
    )
    if wording:
        reasons.append("the prompt's wording, or how replies are read, is another")
    return len(reasons) > before


def _rubric(one: Side, other: Side, reasons: list[str]) -> bool:
    names = _moved(one, other, lambda call: call.rubric, lambda call: call.version)
    reasons += [f"the rubric {name} is worded otherwise" for name in names]
    if _nothing_shared(one, other, lambda call: call.rubric):
        reasons.append("another rubric was judged by")
        return True
    return bool(names)


def _sources(one: Side, other: Side, reasons: list[str]) -> bool:
    named = _named(one), _named(other)
    cases = _moved(*named, lambda call: call.case_id, lambda call: call.sources)
    if cases:
        shown = ", ".join(str(case) for case in cases[:3])
        more = f" and {len(cases) - 3} more" if len(cases) > 3 else ""
        reasons.append(f"the sources of {shown}{more} are others")
        return True
    if _shared(*named, lambda call: call.case_id):
        return False
    old, new = ({call.sources for call in side.calls} for side in (one, other))
    # One set of sources for all answers, and another one later: no matter which answers.
    if len(old) == 1 and len(new) == 1 and old != new:
        reasons.append("all answers are held against other sources than before")
        return True
    return False


def _answers(one: Side, other: Side) -> dict[str, int]:
    """Cases of both periods, and those of them whose prompt is another for no other reason."""

    def place(call: Heard) -> Hashable:
        return (call.case_id, call.fingerprint, call.sources, call.sample)

    named = _named(one), _named(other)
    shared = _shared(*named, lambda call: call.case_id)
    others = _moved(*named, place, lambda call: call.prompt)
    return {"shared_cases": len(shared), "changed": len(others)}


def _product(
    fails: dict[str, Any], answers: dict[str, int], changed: Sequence[str], reasons: list[str]
) -> list[str]:
    if answers["changed"]:
        reasons.append(
            f"{answers['changed']} of {answers['shared_cases']} cases have other answers"
        )
    if fails["p"] >= SHOWN:
        return []
    reasons.append(
        f"fails went from {_of(fails['before'])} to {_of(fails['after'])} "
        f"(Fisher's exact test, p = {fails['p']:.2g})"
    )
    if changed:
        return []
    if not answers["shared_cases"]:
        reasons.append("no case is in both periods: what was asked may be other, too")
    return ["product"]


def _conclusion(changed: Sequence[str], fails: dict[str, Any]) -> str:
    if changed == ["product"]:
        return "the product changed: same judge, rubric and sources, and other shares of fails"
    if not changed:
        return "no change is shown"
    todo = "; ".join(dict.fromkeys(_LATER[name] for name in changed))
    moved = (
        "whether the product changed as well cannot be told from these"
        if fails["p"] < SHOWN
        else "the share of fails is not shown to have moved"
    )
    return f"changed: {', '.join(changed)}; {moved}; {todo}"


def _criteria(one: Side, other: Side) -> dict[str, Any]:
    names = sorted({name for side in (one, other) for call in side.calls for name in call.criteria})
    found = {}
    for name in names:
        sides = (
            [call.criteria[name] for call in side.calls if name in call.criteria]
            for side in (one, other)
        )
        found[name] = shift(*((held.count(False), len(held)) for held in sides))
    for value in found.values():
        # As many tests as criteria: each must show so much more (Bonferroni).
        value["moved"] = value["p"] * len(found) < SHOWN
    return found


def _paired(one: Side, other: Side) -> tuple[dict[str, str], dict[str, str]]:
    """The outcomes of the prompts of both periods, the latest of each."""
    sides = (
        {f"{call.prompt}/{call.sample}/{call.judge}": _outcome(call) for call in side.calls}
        for side in (one, other)
    )
    before, after = sides
    return before, after


def _outcome(call: Heard) -> str:
    return call.outcome if call.outcome in DECIDED else "missing"


def _who(call: Heard) -> tuple[str, str]:
    return call.judge, call.identity


def _named(side: Side) -> Side:
    """The calls that say whose answer they judge."""
    return side._replace(calls=[call for call in side.calls if call.case_id])


def _shared(one: Side, other: Side, key: Key) -> set[Hashable]:
    return {key(call) for call in one.calls} & {key(call) for call in other.calls}


def _nothing_shared(one: Side, other: Side, key: Key) -> bool:
    return bool(one.calls and other.calls) and not _shared(one, other, key)


def _moved(one: Side, other: Side, key: Key, value: Key, *, apart: bool = False) -> list[Any]:
    """Keys of both periods whose values are others in the second.

    Args:
        apart: whether only values count that have nothing in common; empty ones are not known.
    """
    before, after = _grouped(one.calls, key, value), _grouped(other.calls, key, value)
    shared = [name for name in after if name in before]
    if apart:
        known = [(name, before[name] - {""}, after[name] - {""}) for name in shared]
        return [name for name, old, new in known if old and new and not old & new]
    return [name for name in shared if before[name] != after[name]]


def _grouped(calls: Iterable[Heard], key: Key, value: Key) -> dict[Any, set[Any]]:
    found: dict[Any, set[Any]] = {}
    for call in calls:
        found.setdefault(key(call), set()).add(value(call))
    return found


def _of(share: dict[str, Any]) -> str:
    return f"{share['k']} of {share['n']}"
