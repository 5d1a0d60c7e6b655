"""Two runs of the same tests: what flipped, and what was another when it did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from voirdire.report.tally import Fact, Group

_CAUSES = {
    "prompt": ("prompt",),
    "answer": ("answer",),
    "rubric": ("rubric", "template", "rendered"),
    "judge": ("judge", "served", "setup"),
    "source": ("source",),
}
"""By which hashes each is known."""


def compared(before: str, after: str, groups: Sequence[Group]) -> dict[str, Any]:
    """The cases of both runs whose outcome is another.

    A model that only one run has is held against the one that only the other has, where there is
    one of each. ``changed`` names what was another: ``model``, ``prompt``, ``answer``, ``rubric``,
    ``judge``, ``source``; it is empty where nothing that was written down was: then the judge
    itself wavers.

    Args:
        before: the first run's name.
        after: the second's.
        groups: of both.
    """
    flips: list[dict[str, Any]] = []
    same = alone = 0
    for old, new in _pairs(before, after, groups):
        shared = old.facts.keys() & new.facts.keys()
        alone += len(old.facts.keys() ^ new.facts.keys())
        model = old.model if old.model == new.model else f"{old.model} → {new.model}"
        for key, fact in old.facts.items():
            if key not in shared:
                continue
            if fact.outcome == new.facts[key].outcome:
                same += 1
                continue
            flips.append(
                {
                    "case": fact.case,
                    "model": model,
                    "metric": old.metric,
                    "before": fact.outcome,
                    "after": new.facts[key].outcome,
                    "changed": list(_changed(fact, new.facts[key], old.model != new.model)),
                }
            )
    return {"before": before, "after": after, "flips": flips, "same": same, "alone": alone}


def _pairs(before: str, after: str, groups: Sequence[Group]) -> Iterator[tuple[Group, Group]]:
    runs = [
        {(group.model, group.metric): group for group in groups if group.run == name}
        for name in (before, after)
    ]
    models = [dict.fromkeys(model for model, _ in found) for found in runs]
    left = [
        [model for model in models[at] if model not in models[1 - at]] for at in range(len(runs))
    ]
    renamed = {left[0][0]: left[1][0]} if len(left[0]) == len(left[1]) == 1 else {}
    for (model, metric), group in runs[0].items():
        other = runs[1].get((renamed.get(model, model), metric))
        if other is not None:
            yield group, other


def _changed(old: Fact, new: Fact, renamed: bool) -> Iterator[str]:
    if renamed or old.provider != new.provider:
        yield "model"
    for name, known_by in _CAUSES.items():
        # The fingerprint is of the rubric, too: with another one it says nothing of the judge.
        own = name == "judge" and not _differ(old, new, "rubric")
        if any(_differ(old, new, one) for one in (*known_by, *["fingerprint"] * own)):
            yield name


def _differ(old: Fact, new: Fact, name: str) -> bool:
    """Where either run does not tell, nothing is claimed."""
    one, other = old.hashes.get(name), new.hashes.get(name)
    return one is not None and other is not None and one != other
