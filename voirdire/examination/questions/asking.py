"""Questions about asking itself: whom, at what price, and for how long."""

from __future__ import annotations

from statistics import median, quantiles
from typing import Any

from voirdire.examination.finding import Finding, found, shows
from voirdire.examination.room import Room
from voirdire.examination.verdicts import too_few
from voirdire.judges.families import family_of
from voirdire.pairwise.tally import Share

_CASES = 200
_MISSING = "no model was asked"


def pinned(room: Room) -> Finding:
    """One fixed version of a model, of another family than what it judges."""
    model = room.judge.model
    if model is None:
        return found(None, _MISSING)
    if not room.judge.replies and all(one.outcome.reply is None for one in room.base):
        return too_few("replies", [one.outcome for one in room.base])
    answered = sorted({reply.model for reply in room.judge.replies if reply.model})
    family = family_of(model.model)
    tested = {*room.request.tested, *(one.model for one in room.battery.cases if one.model)}
    others = sorted(filter(None, {family_of(name) for name in tested}))
    figures: dict[str, Any] = {
        "floating": model.floating,
        "models_that_answered": answered,
        "family": family,
        "tested_families": others,
    }
    if model.floating:
        told = "it names no fixed version of a model"
        return found(False, told, "write the id with its version, and drop allow_floating", figures)
    if len(answered) > 1:
        told = f"{len(answered)} different models answered"
        return found(False, told, "ask one host and one version: see models_that_answered", figures)
    if family and family in others:
        told = f"judge and model under test are both of the family {family}"
        advice = "take a judge of another family: models tend to favour answers of their own kind"
        return found(False, told, advice, figures)
    told = "one fixed name of a model"
    if not family or not others:
        told += "; whether the model under test is of another family is not known (--tested NAME)"
    return found(True, told, figures=figures)


def price(room: Room) -> Finding:
    """Cost and latency of 200 cases, held against the limits that were set, if any."""
    request = room.request
    times = sorted(reply.latency_ms / 1000 for reply in room.judge.replies if not reply.canned)
    if room.judge.model is None:
        return found(None, _MISSING)
    if not shows(Share(0, len(times))):
        if any(one.outcome.cache == "hit" for one in room.base):
            advice = "what was kept costs nothing: examine it with --no-cache to see"
            return found(None, "too few calls were made", advice)
        return too_few("calls", [one.outcome for one in room.base])
    slow = quantiles(times, n=20, method="inclusive")[-1]
    usages = [one.outcome.usage for one in room.base if one.outcome.cache != "hit"]
    known = room.judge.price
    costs = [known.of(usage) for usage in usages] if known else []
    priced = [cost for cost in costs if cost is not None]
    total = sum(priced) / len(priced) * _CASES if priced else None
    figures: dict[str, Any] = {
        "cost_of_200": None if total is None else round(total, 4),
        "cost_basis": known.basis if known and total is not None else None,
        "seconds_median": round(median(times), 2),
        "seconds_95": round(slow, 2),
        "minutes_for_200": round(
            sum(times) / len(times) * _CASES / int(request.settings.get("in_flight", 4)) / 60, 1
        ),
        "calls": len(times),
    }
    told = "the price is not known" if total is None else f"200 cases cost ${total:.4f}"
    told += f"; a call takes {median(times):.1f} s, 95 % of them at most {slow:.1f} s"
    if total is not None and request.most_cost is not None and total > request.most_cost:
        told += f"; the limit is ${request.most_cost:g}"
        return found(False, told, "take a smaller judge, or keep verdicts (--cache)", figures)
    if request.most_seconds is not None and slow > request.most_seconds:
        told += f"; the limit is {request.most_seconds:g} s"
        return found(False, told, "take a faster judge or host", figures)
    if total is None and request.most_cost is not None:
        return found(None, told, "give its price: --set 'prices={input: …, output: …}'", figures)
    return found(True, told, figures=figures)
