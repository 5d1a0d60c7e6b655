"""A certificate's cases judged again: is it still the judge that was certified?"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.calibration.labelled import Judged
from voirdire.certificate import load
from voirdire.drift.flips import DECIDED, flips, judge_moved
from voirdire.errors import ConfigError
from voirdire.grade import Setup


class Certified(NamedTuple):
    """What a certificate says of the calibration.

    Attributes:
        path: the certificate's file.
        spec: the judge's.
        policy: how its replies were read.
        setup: all that makes a verdict what it is.
        rubric: the rubric's version.
        date: of the calibration.
        cases: the path of the labelled cases, found beside the certificate.
        cases_sha256: their hash.
        sources_sha256: that of the texts they are judged by; empty where it was not kept.
        verdicts: case id → outcome.
    """

    path: Path
    spec: str
    policy: str
    setup: Setup
    rubric: str
    date: str
    cases: Path
    cases_sha256: str
    sources_sha256: str
    verdicts: Mapping[str, str]


def read_certified(path: Path) -> Certified:
    """Read what drift is measured from.

    Raises:
        ConfigError: no certificate, or one without a calibration and its verdicts.
    """
    certificate = load(path)
    calibration = certificate["calibration"]
    try:
        judge, cases = certificate["judge"], calibration["cases"]
        return Certified(
            path=path,
            spec=judge["spec"],
            policy=judge["policy"],
            setup=Setup(**{name: judge[name] for name in Setup._fields}),
            rubric=certificate["rubric"]["version"],
            date=calibration["date"],
            cases=_found(path.parent, cases["path"]),
            cases_sha256=cases["sha256"],
            sources_sha256=cases.get("sources_sha256", ""),
            verdicts=dict(calibration["verdicts"]),
        )
    except (KeyError, TypeError, ValueError):
        raise ConfigError(
            f"{path}: holds no verdicts to compare with; calibrate the judge with "
            "voirdire calibrate CASES --judge SPEC --certificate FILE"
        ) from None


def rejudged_record(
    certified: Certified,
    *,
    setup: Setup,
    rubric: str,
    cases_sha256: str,
    sources_sha256: str,
    judged: Sequence[Judged],
    again: Sequence[Judged] | None,
    is_model: bool,
) -> dict[str, Any]:
    """What changed since the certificate, as JSON values.

    Args:
        certified: the verdicts of then.
        setup, rubric, cases_sha256, sources_sha256: as they are now.
        judged: the verdicts of now.
        again: those of a second asking; ``None`` where there was none.
        is_model: whether a model is asked.

    Raises:
        ConfigError: scipy or statsmodels is not installed.
    """
    now = _outcomes(judged)
    replies = [one.outcome.reply for one in judged]
    found = flips(certified.verdicts, now)
    changed: list[str] = []
    reasons: list[str] = []
    cases = certified.cases_sha256 != cases_sha256
    if cases:
        changed.append("cases")
        reasons.append(
            "the cases are not those of the certificate: its verdicts may be of other answers"
        )
    if certified.sources_sha256 not in ("", sources_sha256):
        changed.append("sources")
        reasons.append(
            "the sources are not those of the certificate: a verdict may flip for their sake alone"
        )
    if certified.rubric != rubric:
        changed.append("rubric")
        reasons.append("the rubric is another wording than that of the certificate")
    elif certified.setup != setup:
        changed.append("judge")
        reasons.append(
            "the judge is set up otherwise than in the certificate: its model, its settings, the "
            "prompt, how replies are read or how often it is asked"
        )
    wavers = flips(now, _outcomes(again)) if again is not None else None
    moved, said = judge_moved(found, wavers, is_model=is_model)
    reasons += said
    if moved and not changed:
        changed.append("judge")
        reasons.append("its settings are the same: the model behind the name is another")
    return {
        "mode": "certificate",
        "certificate": str(certified.path),
        "since": certified.date,
        "changed": changed,
        "conclusion": _conclusion(changed, found.both),
        "reasons": reasons,
        "flips": found.to_json(),
        "flips_by_themselves": wavers.to_json() if wavers else None,
        "right": {
            "then": _right(judged, certified.verdicts),
            "now": _right(judged, now),
        },
        "missing": {
            "then": sum(one not in DECIDED for one in certified.verdicts.values()),
            "now": sum(one not in DECIDED for one in now.values()),
        },
        "fingerprint": {"then": certified.setup.fingerprint, "now": setup.fingerprint},
        "models": sorted({reply.model for reply in replies if reply and reply.model}),
    }


def _found(folder: Path, name: str) -> Path:
    """The cases as seen from the certificate; else from here, as they once were kept."""
    beside = Path(os.path.normpath(folder / name))
    return beside if beside.exists() else Path(name)


def _conclusion(changed: Sequence[str], both: int) -> str:
    if "cases" in changed:
        return "cannot be told: the cases changed; restore them, or calibrate anew"
    if changed:
        return f"the {' and the '.join(changed)} changed: calibrate anew before you trust a figure"
    if not both:
        return "cannot be told: no case has a verdict both times"
    return (
        "no change of the judge is shown: where a pass rate moved since, look at the product and "
        "its sources"
    )


def _outcomes(judged: Sequence[Judged]) -> dict[str, str]:
    return {str(one.labelled.case.id): one.outcome.outcome for one in judged}


def _right(judged: Sequence[Judged], outcomes: Mapping[str, str]) -> dict[str, int]:
    """How often the verdicts are those of the people, over the cases with one."""
    pairs = [
        (one.labelled.label, outcomes.get(str(one.labelled.case.id), "missing")) for one in judged
    ]
    decided = [(label, outcome) for label, outcome in pairs if outcome in DECIDED]
    return {"k": sum(label == outcome for label, outcome in decided), "n": len(decided)}
