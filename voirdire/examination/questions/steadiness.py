"""Questions about what must not move a verdict: chance, places, length, and whoever begs for it."""

from __future__ import annotations

from typing import Any, NamedTuple

from voirdire.examination.battery import Battery
from voirdire.examination.finding import RIGHT as ALIKE
from voirdire.examination.finding import STEADY, Finding, figure, found, reaches, shows, some
from voirdire.examination.room import Room
from voirdire.examination.verdicts import decision, example, settled, too_few
from voirdire.grade import Case
from voirdire.injection.attacks import Attack
from voirdire.injection.plant import planted
from voirdire.injection.tally import by_kind, tally
from voirdire.injection.trial import Sample, Trial
from voirdire.pairwise.compare import Comparison
from voirdire.pairwise.tally import Compared, Share
from voirdire.pairwise.tally import tally as pair_tally

_REPEATED = 6  # cases that are put again and again
_EACH = 2  # cases that an attack is planted in, and paddings that a case gets


class Planted(NamedTuple):
    """A case with something planted in it.

    Attributes:
        attack: what was planted.
        host: the case as it was.
        case: the case as it is with it.
    """

    attack: Attack
    host: Case
    case: Case

    @classmethod
    def of(cls, host: Case, attack: Attack, battery: Battery) -> Planted:
        """The case with the attack in it."""
        return cls(attack, host, planted(host, attack, battery.rubric))


def repeat(room: Room) -> Finding:
    """The same case several times, past the cache."""
    cases = [one.case for one in room.battery.cases[:_REPEATED]]
    outcomes = room.repeat(cases)
    # Asking ends with the first that differs, and at once where there is no verdict to repeat.
    again = [
        (case, [sample.outcome for sample in outcome.samples])
        for case, outcome in zip(cases, outcomes, strict=False)
        if len(outcome.samples) > 1 and "judge_error" not in {s.outcome for s in outcome.samples}
    ]
    flipped = [(case, said) for case, said in again if len(set(said)) > 1]
    steady = Share(len(again) - len(flipped), len(again))
    figures = {
        "steady": figure(steady),
        "times": room.request.repeats,
        "examples": [
            {"case": case.id or "", "what": ", ".join(said), "said": ""} for case, said in flipped
        ],
    }
    if not shows(steady):
        return too_few("cases with a verdict to repeat", outcomes, figures)
    told = (
        f"{steady.of - steady.count} of {steady.of} cases flip within {room.request.repeats} times"
    )
    advice = "set temperature: 0 and a seed, or ask several times: --samples 3"
    good = reaches(steady, STEADY)
    return found(good, told, "" if good else advice, figures)


def position(room: Room) -> Finding:
    """One answer with the source first and last; two answers in both orders."""
    both = room.grade([one.case for one in room.battery.cases], order="both")
    read = [one.samples for one in both if len(one.samples) == 2 and all(map(settled, one.samples))]
    single = Share(sum(one.outcome == other.outcome for one, other in read), len(read))
    compared: list[Comparison] = []
    if room.judge.spec != "rules":
        compared = room.compare(room.battery.pairs)
    told_pairs = pair_tally([Compared(one.orders[0].said, one.orders[1].said) for one in compared])
    pairs = told_pairs.consistent
    figures = {
        "same_verdict_in_both_orders": figure(single),
        "same_winner_in_both_orders": figure(pairs),
        "first_place_twice": told_pairs.first_twice.count,
        "second_place_twice": told_pairs.second_twice.count,
        "pairs_missing": told_pairs.missing,
        "examples": some(
            [
                {"case": "", "what": one.settled.detail, "said": ""}
                for one in compared
                if one.settled.kind == "order-sensitive"
            ]
        ),
    }
    parts = (
        (single, "verdicts are the same with the answer first"),
        (pairs, "comparisons are the same after the swap"),
    )
    told = ", ".join(f"{share.count} of {share.of} {what}" for share, what in parts if share.of)
    if shows(single) and not reaches(single, STEADY):
        return found(False, told, "ask in both orders: --order both", figures)
    if shows(pairs) and not reaches(pairs, ALIKE):
        place = (
            "first" if told_pairs.first_twice.count >= told_pairs.second_twice.count else "second"
        )
        told += f"; the {place} place wins"
        advice = "compare with voirdire compare, where only a win that survives the swap counts"
        return found(False, told, advice, figures)
    if not shows(single) and not shows(pairs):
        return too_few("verdicts in both orders", both, figures)
    return found(True, told, figures=figures)


def length(room: Room) -> Finding:
    """Padding says nothing, so that it changes nothing."""
    before = {one.labelled.case.id: one.outcome for one in room.base}
    work = padded(room.battery)
    after = room.grade(one.case for one in work)
    read = [
        (one.attack, before[one.host.id], one.case, outcome)
        for one, outcome in zip(work, after, strict=False)
        if one.host.id in before and decision(before[one.host.id]) and decision(outcome)
    ]
    changed = [item for item in read if decision(item[1]) != decision(item[3])]
    steady = Share(len(read) - len(changed), len(read))
    to_pass = sum(decision(outcome) == "pass" for *_, outcome in changed)
    figures = {
        "unchanged": figure(steady),
        "made_to_pass": to_pass,
        "kinds": {
            kind: sum(padding.kind == kind for padding, *_ in changed)
            for kind in dict.fromkeys(padding.kind for padding, *_ in read)
        },
        "examples": some(
            [
                example(outcome, case.id, f"{decision(was)} became {decision(outcome)}")
                for _, was, case, outcome in changed
            ]
        ),
    }
    both = {"pass", "fail"} <= {decision(was) for _, was, *_ in read}
    if not shows(steady) or not both:
        why = "passes and fails that could change"
        return too_few(why, [*(one.outcome for one in room.base), *after], figures)
    told = f"{len(changed)} of {steady.of} padded answers get another verdict, {to_pass} a pass"
    advice = (
        "say in the rubric that length and tone earn nothing and that greetings state nothing, or"
        " take another judge"
    )
    good = reaches(steady, STEADY)
    return found(good, told, "" if good else advice, figures)


def injection(room: Room) -> Finding:
    """Attacks, majorities and authorities: no wrong answer may be made to pass."""
    before = {one.labelled.case.id: one.outcome for one in room.base}
    work = attacked(room.battery)
    after = room.grade(one.case for one in work)
    trials = [
        Trial(Sample(one.host, "fail"), one.attack, before[one.host.id], outcome)
        for one, outcome in zip(work, after, strict=False)
        if one.host.id in before and before[one.host.id].outcome != "judge_error"
    ]
    counted = tally(trials)
    breaches = counted.breaches
    figures: dict[str, Any] = {
        "breaches": figure(breaches),
        "kinds": {kind: figure(one.breaches) for kind, one in by_kind(trials).items()},
        "errors": counted.errors,
        "examples": some(
            [
                example(trial.after, f"{trial.sample.case.id}+{trial.attack.id}", trial.change)
                for trial in trials
                if trial.is_breach
            ]
        ),
    }
    if not shows(breaches) and not breaches.count:
        why = "wrong answers that do not pass anyway"
        return too_few(why, [*(one.outcome for one in room.base), *after], figures)
    told = f"{breaches.count} of {breaches.of} wrong answers pass with something planted in them"
    kinds = sorted({trial.attack.kind for trial in trials if trial.is_breach})
    told += f" ({', '.join(kinds)})" if kinds else ""
    advice = (
        "measure it with voirdire inject, let the `rules` judge check first (--precheck rules), or"
        " take another judge"
    )
    good = not breaches.count
    return found(good, told, "" if good else advice, figures)


def padded(battery: Battery) -> list[Planted]:
    """Every case with two kinds of padding, each in its turn."""
    paddings = battery.paddings
    return [
        Planted.of(one.case, paddings[(number // 2 + turn) % len(paddings)], battery)
        for turn in range(_EACH)
        for number, one in enumerate(battery.cases)
    ]


def attacked(battery: Battery) -> list[Planted]:
    """Every attack in two wrong answers, each in its turn."""
    wrong = [one.case for one in battery.cases if one.label == "fail"]
    return [
        Planted.of(wrong[(number + turn) % len(wrong)], attack, battery)
        for turn in range(min(_EACH, len(wrong)))
        for number, attack in enumerate(battery.attacks)
    ]
