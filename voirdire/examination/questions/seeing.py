"""Questions about what a judge sees: the source, the answer, and small differences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from voirdire.calibration.labelled import Judged
from voirdire.examination.finding import (
    FEW,
    RIGHT,
    STEADY,
    Finding,
    figure,
    found,
    reaches,
    shows,
    some,
)
from voirdire.examination.room import Room
from voirdire.examination.verdicts import decision, example, too_few
from voirdire.grade import Outcome
from voirdire.pairwise.tally import Share

NO_SOURCE, OTHER_SOURCE = "no-source", "other-source"


def sight(room: Room) -> Finding:
    """Wrong answers fail, right ones pass; passes end without the source and with another."""
    base = [one for one in room.base if decision(one.outcome)]
    wrong, right = (_as_labelled(base, label) for label in ("fail", "pass"))
    passed = [
        one.labelled.case
        for one in base
        if (one.labelled.label, decision(one.outcome)) == ("pass", "pass")
    ]
    changed = [
        case._replace(id=f"{case.id}+{name}", sources=sources)
        for case in passed
        for name, sources in ((NO_SOURCE, ()), (OTHER_SOURCE, room.battery.other))
    ]
    outcomes = room.grade(changed)
    without, other = (_still_passing(outcomes[start::2]) for start in (0, 1))
    figures = {
        "wrong_answers_failed": figure(wrong),
        "right_answers_passed": figure(right),
        "still_passing_without_source": figure(without),
        "still_passing_with_other_source": figure(other),
        "examples": some(_unlike_label(base)),
    }
    told = (
        f"{wrong.count} of {wrong.of} wrong answers fail, {right.count} of {right.of} right ones"
        f" pass; {without.count} of {without.of} still pass without the source,"
        f" {other.count} of {other.of} with another one"
    )
    parts = (wrong, right, without, other)
    goods = (
        reaches(wrong, RIGHT),
        reaches(right, RIGHT),
        not reaches(without, 1 - RIGHT),
        not reaches(other, 1 - RIGHT),
    )
    if any(shows(share) and not good for share, good in zip(parts, goods, strict=True)):
        return found(False, told, _advice_on_sight(goods), figures)
    if not all(map(shows, parts)):
        asked = [*(one.outcome for one in room.base), *outcomes]
        return too_few(f"cases to tell ({told})" if base else "cases", asked, figures)
    return found(True, told, figures=figures)


def constancy(room: Room) -> Finding:
    """A judge that says the same to everything has not judged."""
    base = [one for one in room.base if decision(one.outcome)]
    labels = Counter(one.labelled.label for one in base)
    said = Counter(str(decision(one.outcome)) for one in base)
    most = Share(max(said.values(), default=0), len(base))
    figures = {"labels": dict(labels), "decisions": dict(said), "commonest": figure(most)}
    if min(labels["pass"], labels["fail"]) < FEW - 1:
        return too_few("cases of each label", [one.outcome for one in room.base], figures)
    told = ", ".join(f"{name} {count}" for name, count in said.most_common())
    told = f"to {labels['pass']} right and {labels['fail']} wrong answers it says: {told}"
    advice = (
        "its verdicts carry no information: shorten the rubric and the source, make sure that"
        " both reach the model, or take another judge"
    )
    # Where people themselves mostly say one thing, a judge may.
    usual = max(labels.values()) / len(base)
    if reaches(most, max(1 - (1 - STEADY) / 2, usual)):
        return found(False, told, advice, figures)
    return found(True, told, figures=figures)


def negation(room: Room) -> Finding:
    """Minimal pairs: the right answer passes, and its changed twin does not."""
    twins = room.battery.twins
    outcomes = room.grade(case for twin in twins for case in twin.cases)
    pairs = [
        (twin, right, wrong)
        for twin, right, wrong in zip(twins, outcomes[::2], outcomes[1::2], strict=False)
        if decision(right) and decision(wrong)
    ]
    told_apart = [
        (decision(right), decision(wrong) == "pass") == ("pass", False) for _, right, wrong in pairs
    ]
    kinds = {
        kind: figure(
            Share(
                sum(
                    told
                    for told, (twin, *_) in zip(told_apart, pairs, strict=True)
                    if twin.kind == kind
                ),
                sum(twin.kind == kind for twin, *_ in pairs),
            )
        )
        for kind in dict.fromkeys(twin.kind for twin, *_ in pairs)
    }
    share = Share(sum(told_apart), len(pairs))
    confused = [
        example(
            wrong, twin.id, f"{decision(right)}: {twin.right} · {decision(wrong)}: {twin.wrong}"
        )
        for told, (twin, right, wrong) in zip(told_apart, pairs, strict=True)
        if not told
    ]
    figures = {"told_apart": figure(share), "kinds": kinds, "examples": some(confused)}
    if not shows(share):
        return too_few("minimal pairs", outcomes, figures)
    told = f"{share.count} of {share.of} minimal pairs are told apart"
    advice = (
        "let the `rules` judge check figures first (--precheck rules), and say in the rubric that a"
        " number must be the source's for that very thing"
    )
    good = reaches(share, RIGHT)
    return found(good, told, "" if good else advice, figures)


def _as_labelled(base: Sequence[Judged], label: str) -> Share:
    said = [decision(one.outcome) for one in base if one.labelled.label == label]
    return Share(said.count(label), len(said))


def _still_passing(outcomes: Sequence[Outcome]) -> Share:
    said = [decision(outcome) for outcome in outcomes]
    return Share(said.count("pass"), sum(one is not None for one in said))


def _unlike_label(base: Sequence[Judged]) -> list[dict[str, str]]:
    return [
        example(
            one.outcome,
            one.labelled.case.id,
            f"a person says {one.labelled.label}, the judge {decision(one.outcome)}",
        )
        for one in base
        if decision(one.outcome) != one.labelled.label
    ]


def _advice_on_sight(goods: Sequence[bool]) -> str:
    if not all(goods[2:]):
        return (
            "it passes answers without looking at the source: make sure that the source reaches it"
            " (voirdire show-prompt), or take another judge"
        )
    return (
        "it is wrong where a person is sure: read the examples, reword the rubric, or take another"
        " judge; voirdire calibrate measures it on your cases"
    )
