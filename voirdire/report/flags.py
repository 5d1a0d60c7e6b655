"""Red flags: what makes a run's figures worth less than they look, and the command that settles it.

Most are seen in single grades (``voirdire.report.signs``); those here are of all grades by one
metric, whoever's answers they are of.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from voirdire.errors import ConfigError
from voirdire.intervals import available
from voirdire.report.leaderboard import pairs
from voirdire.report.signs import judge_option
from voirdire.report.tally import Group

COVERAGE = 0.95
_FEW = 5
"""Cases below which that all pass, or all fail, says nothing."""
_SOME = 10
"""The same of criteria, of stated confidence, and of models that are told apart."""

_CASES = "CASES.jsonl"
_INIT = "voirdire init"
_AGAIN = "{again}"
_CALIBRATE = f"voirdire calibrate {_CASES} --judge {{judge}}"
KINDS: Final = {
    "blind": ("{n} of {of} were judged blind: no source was in the judge's prompt", _INIT),
    "fail_open": (
        "{n} of {of} may be promptfoo's own passes: it reads a reply without `pass` as one",
        _INIT,
    ),
    "silent_error": (
        "{n} of {of} are errors of the grader that promptfoo counts as failed answers",
        _AGAIN,
    ),
    "all_pass": (
        "all {n} decided cases passed",
        "voirdire examine --judge {judge} --questions sight,constancy",
    ),
    "no_variance": ("its verdicts tell nothing apart", _CALIBRATE),
    "errors_on_one_model": (
        "judge errors fall on one model: its pass rate leaves out what others' counts",
        _AGAIN,
    ),
    "coverage": (
        f"fewer than {COVERAGE:.0%} of the cases were decided",
        _AGAIN,
    ),
    "criterion_never_fails": (
        "a criterion that never fails decides nothing, or is never looked at",
        _CALIBRATE,
    ),
    "evidence_missing": (
        "{n} of {of} verdicts have no quote that is in the texts",
        "voirdire examine --judge {judge} --questions evidence",
    ),
    "same_family": (
        "{n} of {of} were judged by a model of the answer's own family, which tends to favour it",
        f"{_CALIBRATE} --compare OTHER",
    ),
    "floating": (
        "{n} of {of} hang on a model that may be another tomorrow",
        "voirdire examine --judge {judge} --questions pinned",
    ),
    "uncertified": (
        "{n} of {of} were judged without a valid certificate: nobody knows how often it is wrong",
        f"{_CALIBRATE} --certificate voirdire.certificate.json",
    ),
}
"""Each kind with its sentence and its command, the gravest first."""
_FROM_SIGNS = (
    *("blind", "fail_open", "silent_error", "evidence_missing"),
    *("same_family", "floating", "uncertified"),
)


class Found(NamedTuple):
    """A flag of one metric before its sentence is written, and the groups it was seen in."""

    kind: str
    evidence: list[str]
    groups: Sequence[Group]
    number: int = 0


def wanted(names: str) -> list[str]:
    """The kinds in a list with commas.

    Raises:
        ConfigError: one is no kind of flag.
    """
    found = [name.strip() for name in names.split(",") if name.strip()]
    for name in found:
        if name not in KINDS:
            raise ConfigError(f"--fail-on: {name!r} is no flag; write some of {', '.join(KINDS)}")
    return found


def flags(groups: Sequence[Group], certified: str | None) -> list[dict[str, Any]]:
    """The flags of all runs, the gravest first.

    Args:
        groups: what was counted.
        certified: the setup of a judge whose certificate was given and holds.
    """
    several = len({group.run for group in groups}) > 1
    metrics: dict[str, list[Group]] = {}
    for group in groups:
        if group.judged:
            metrics.setdefault(group.metric, []).append(group)

    def name(group: Group) -> str:
        return f"{group.run}: {group.model}" if several else group.model

    raised = []
    for metric, mine in metrics.items():
        for found in _found(mine, name, certified):
            raised.append(_flag(metric, found, mine))
    order = list(KINDS)
    return sorted(raised, key=lambda flag: order.index(flag["kind"]))


def _flag(metric: str, found: Found, groups: Sequence[Group]) -> dict[str, Any]:
    sentence, command = KINDS[found.kind]
    graders = sum((group.graders for group in found.groups), Counter())
    judge = next((name for name, _ in graders.most_common() if name), "")
    if found.kind == "fail_open" and all(group.by_setup for group in found.groups):
        command = _AGAIN  # our own record says otherwise: the results are not as they were written
    of = sum(group.cases for group in groups)
    return {
        "kind": found.kind,
        "metric": metric,
        "text": f"{metric}: {sentence.format(n=found.number, of=of)}",
        "evidence": found.evidence,
        "command": command.format(judge=judge_option(judge), again=_again(found.groups[-1])),
    }


def _again(group: Group) -> str:
    """How the cases that failed are asked again; promptfoo's cache would answer as before."""
    if group.ours:
        return "voirdire run, with the options it had: it asks again what came to an error"
    command, run = "npx promptfoo eval --no-cache", group.run
    if run.endswith(".jsonl"):  # promptfoo takes no failed tests from lines
        return command
    named = run if run.endswith(".json") else run.rpartition("#")[2]
    return f"{command} --filter-failing {shlex.quote(named)}"


def _found(
    groups: Sequence[Group], name: Callable[[Group], str], certified: str | None
) -> Iterator[Found]:
    for kind in _FROM_SIGNS:
        seen = [group for group in groups if kind in group.signs]
        if kind == "uncertified" and certified:
            seen = [group for group in seen if set(group.by_setup) != {certified}]
        if seen:
            evidence = [
                line for group in seen for line in group.signs[kind].lines(name(group), group.cases)
            ]
            yield Found(kind, evidence, seen, sum(group.signs[kind].count for group in seen))
    if passed := _alike(groups, "pass"):
        evidence = [*_all_alike(groups, "pass", name)]
        yield Found("all_pass", evidence, passed, sum(group.decided for group in passed))
    same = [*_all_alike(groups, "fail", name), *_one_confidence(groups), *_not_told_apart(groups)]
    if same:
        yield Found("no_variance", same, groups)
    if few := [group for group in groups if group.decided / group.cases < COVERAGE]:
        evidence = [
            f"{name(group)}: {group.decided} of {group.cases} ({group.decided / group.cases:.0%});"
            f" {', '.join(f'{kind} {count}' for kind, count in group.kinds.most_common())}"
            for group in few
        ]
        yield Found("coverage", evidence, few)
    if uneven := [*_on_one_model(groups)]:
        ill = [group for group in groups if group.outcomes["judge_error"]]
        yield Found("errors_on_one_model", uneven, ill)
    if never := [*_never_fail(groups)]:
        yield Found("criterion_never_fails", never, groups)


def _alike(groups: Sequence[Group], outcome: str) -> list[Group]:
    return [
        group
        for group in groups
        if group.decided >= _FEW and group.outcomes[outcome] == group.decided
    ]


def _all_alike(
    groups: Sequence[Group], outcome: str, name: Callable[[Group], str]
) -> Iterator[str]:
    alike = _alike(groups, outcome)
    words = {"pass": "passed", "fail": "failed"}[outcome]
    for group in alike:
        yield f"{name(group)}: {group.decided} of {group.decided} {words}"
    if len(alike) == len(groups) > 1:
        yield f"no model has any other verdict: all {len(alike)} {words} throughout"


def _one_confidence(groups: Sequence[Group]) -> Iterator[str]:
    stated = sum((group.confidences for group in groups), Counter())
    rules = all(name == "rules" for group in groups for name in group.graders)  # they are certain
    if len(stated) == 1 and stated.total() >= _SOME and not rules:
        yield f"the confidence {next(iter(stated)):g} is stated in all {stated.total()} verdicts"


def _not_told_apart(groups: Sequence[Group]) -> Iterator[str]:
    for run in dict.fromkeys(group.run for group in groups):
        models = [group for group in groups if group.run == run]
        first, others = models[0], models[1:]
        if not others or len({*first.outcomes} & {"pass", "fail"}) < 2:
            continue
        shared = [list(pairs(first, other)) for other in others]
        if all(len(found) >= _SOME and all(a == b for a, b in found) for found in shared):
            yield (
                f"all {len(models)} models have the same outcome in every case that is decided for"
                f" both, {len(shared[0])} of them"
            )


def _on_one_model(groups: Sequence[Group]) -> Iterator[str]:
    for run in dict.fromkeys(group.run for group in groups):
        models = [group for group in groups if group.run == run]
        errors, cases = (
            sum(group.outcomes["judge_error"] for group in models),
            sum(group.cases for group in models),
        )
        for group in models:
            mine = group.outcomes["judge_error"]
            rest, others = errors - mine, cases - group.cases
            if mine < 3 or not others or mine / group.cases <= 2 * rest / others:
                continue
            chance = _chance((mine, group.cases - mine), (rest, others - rest))
            if chance is None or chance < 0.05:
                p = "" if chance is None else f", p = {chance:.2g}"
                yield (
                    f"{group.model}: {mine} of {group.cases}; all others {rest} of {others}{p}"
                    f" ({', '.join(f'{kind} {count}' for kind, count in group.errors.items())})"
                )


def _chance(mine: tuple[int, int], others: tuple[int, int]) -> float | None:
    """Fisher's exact test; ``None`` where scipy is not there."""
    if not available():
        return None
    from voirdire.stats.tests import fisher

    return fisher(mine, others)


def _never_fail(groups: Sequence[Group]) -> Iterator[str]:
    criteria: dict[str, Counter[bool]] = {}
    for group in groups:
        for name, counts in group.criteria.items():
            criteria.setdefault(name, Counter()).update(counts)
    for name, counts in criteria.items():
        if not counts[False] and counts[True] >= _SOME:
            yield f"{name}: failed in 0 of {counts[True]} verdicts"
