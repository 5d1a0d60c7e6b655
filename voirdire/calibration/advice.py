"""What the figures of a calibration say to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

LABELS_WANTED = 50
FAILS_WANTED = 15
CAUGHT_WANTED = 0.8
PASSES_SUSPECT = 0.98
PASSES_TO_READ = 30


def advice(report: Mapping[str, Any], threshold: float, copies: int = 0) -> list[str]:
    """Sentences, the weightiest first.

    Args:
        report: of a calibration.
        threshold: the confidence that the rubric asks for.
        copies: cases that are the same as another but for their id.
    """
    return [
        *_missing(report),
        *_of_fails(report),
        *_copies(copies),
        *_size(report),
        *_leaning(report),
        *_criteria(report),
        *_confidence(report, threshold),
    ]


def _missing(report: Mapping[str, Any]) -> Iterator[str]:
    by_label, cases = report["missing_by_label"], report["cases"]
    if by_label["goes_with_label"]:
        shares = {
            label: by_label[label]["missing"] / by_label[label]["n"] if by_label[label]["n"] else 0
            for label in ("fail", "pass")
        }
        worse = max(shares, key=lambda label: shares[label])
        found = by_label[worse]
        yield (
            f"the judge gives no verdict mostly on the cases that people {worse}ed "
            f"({found['missing']} of {found['n']}, p = {by_label['p']:.3f}): leaving those out "
            "flatters it; mend its replies before you trust the figures"
        )
    elif cases["decided"] < 0.95 * cases["n"]:
        kinds = ", ".join(f"{kind} {count}" for kind, count in report["missing"].items())
        yield (
            f"the judge decided only {cases['decided']} of {cases['n']} cases ({kinds}): look at "
            "the worst case in `treatments`"
        )


def _of_fails(report: Mapping[str, Any]) -> Iterator[str]:
    from voirdire.stats.bounds import one_sided_low
    from voirdire.stats.planning import more_needed

    caught = report["fails_caught"]
    if not caught["n"]:
        yield "no labelled fail was decided: nothing is known of the fails that the judge catches"
        return
    rate = caught["k"] / caught["n"]
    low = one_sided_low(caught["k"], caught["n"])
    if rate < CAUGHT_WANTED:
        yield (
            f"the judge catches {caught['k']} of {caught['n']} fails, fewer than 8 of 10: do not "
            "let it gate merges"
        )
    elif low < CAUGHT_WANTED:
        more = more_needed(caught["k"], caught["n"], CAUGHT_WANTED)
        how = (
            f"if it goes on so, {more} more labelled fails would show it"
            if more is not None
            else "at this rate no number of labels would show it"
        )
        yield (
            f"{caught['k']} of {caught['n']} fails caught shows only that the judge catches at "
            f"least {low:.0%} (one-sided 95 %): not yet 8 of 10; {how}"
        )


def _size(report: Mapping[str, Any]) -> Iterator[str]:
    cases = report["cases"]
    if cases["n"] < LABELS_WANTED or cases["fails"] < FAILS_WANTED:
        yield (
            f"{_counted(cases['n'], 'label')} with {_counted(cases['fails'], 'fail')} are too few: "
            "have 50 to 100 with at least 15 real fails, near-misses among them, before the "
            "figures mean much"
        )
    if not cases["fails"] or not cases["passes"]:
        only = "pass" if cases["passes"] else "fail"
        yield f"every label is {only}: kappa is undefined, and a judge that always says so is right"


def _copies(copies: int) -> Iterator[str]:
    if copies:
        yield (
            f"{_counted(copies, 'copy', 'copies')} of other cases count again, so that the "
            "intervals are narrower than the labels allow: drop them, or no certificate shows a "
            "lower bound"
        )


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _leaning(report: Mapping[str, Any]) -> Iterator[str]:
    cells = report["confusion"]
    missed, harsh = cells["missed"], cells["harsh"]
    if missed > 2 * harsh and missed >= 2:
        yield (
            f"the judge is lenient: it passes {missed} answers that people failed, and fails "
            f"{harsh} that they passed; say in the rubric what makes an answer fail"
        )
    elif harsh > 2 * missed and harsh >= 2:
        yield (
            f"the judge is harsh: it fails {harsh} answers that people passed, and passes "
            f"{missed} that they failed; say in the rubric what does not matter"
        )
    passed = cells["missed"] + cells["kept"]
    if report["n"] and passed / report["n"] >= PASSES_SUSPECT:
        yield (
            f"the judge passes {passed} of {report['n']}: draw {PASSES_TO_READ} of its passes and "
            "have a person label them (voirdire label)"
        )


def _criteria(report: Mapping[str, Any]) -> Iterator[str]:
    labelled = {
        name: found["labelled"]
        for name, found in report["criteria"].items()
        if found["labelled"] and found["labelled"]["agreement"] is not None
    }
    worst = min(labelled, key=lambda name: labelled[name]["agreement"], default=None)
    if worst is not None and labelled[worst]["agreement"] < CAUGHT_WANTED:
        yield (
            f"reword the criterion {worst}: people and judge agree on it in only "
            f"{labelled[worst]['agreement']:.0%} of cases"
        )
    found = report["pattern"]
    if found["invented"] or found["retrieval"]:
        yield (
            f"of the judge's fails, {found['invented']} are invented facts (grounded is false) and "
            f"{found['retrieval']} point at retrieval (grounded, but not what was asked)"
        )


def _confidence(report: Mapping[str, Any], threshold: float) -> Iterator[str]:
    found = report["confidence"]
    if not found:
        return
    supported = found["supported_threshold"]
    if supported is None:
        yield (
            "the labels support no confidence threshold: at none is the judge shown to be right "
            f"often enough; the rubric's {threshold:g} is a guess"
        )
    elif abs(supported["threshold"] - threshold) > 1e-9:
        yield (
            f"the labels support a confidence threshold of {supported['threshold']:g} instead of "
            f"the rubric's {threshold:g} ({supported['right']} of {supported['cases']} verdicts "
            "right); another threshold is another rubric, so calibrate again with it"
        )
