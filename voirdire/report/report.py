"""The report of promptfoo runs, as JSON values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from voirdire import __version__
from voirdire.certificate import standing
from voirdire.errors import ConfigError
from voirdire.grade import Setup
from voirdire.promptfoo.runs import Run
from voirdire.report.compared import compared
from voirdire.report.flags import flags
from voirdire.report.labels import Labels
from voirdire.report.leaderboard import calibrated, kinds, leaderboard, setup_of
from voirdire.report.rows import MOST, Rows
from voirdire.report.tally import Tally

FORMAT = 1
_MEASURES = ("agreement", "kappa", "fails_caught", "passes_kept", "confusion")


def make_report(
    runs: Sequence[Run],
    *,
    certificate: Path | None = None,
    calibration: Path | None = None,
    cases: Path | None = None,
    most: int = MOST,
) -> dict[str, Any]:
    """Read the runs once, and say what they hold.

    Args:
        runs: at least one; where there are more, the first and the last are compared.
        certificate: of the judge, for corrected pass rates.
        calibration: what ``voirdire calibrate --out`` wrote, for what confidence is worth.
        cases: answers that people labelled, for the disagreements.
        most: grades that are kept with their texts.

    Raises:
        ConfigError: a file cannot be read, or is something else.
    """
    measured = _calibration(calibration, certificate)
    tally, rows = Tally(), Rows(Labels(cases), most)
    read = []
    for run in runs:
        counted = damaged = 0
        for answer in run.answers():
            if answer is None:
                damaged += 1
                continue
            counted += 1
            tally.add(run.name, answer)
            rows.add(run.name, answer)
        if not counted:
            raise ConfigError(f"{run.name}: holds no answer; run the eval again")
        read.append(
            {
                "name": run.name,
                "eval_id": run.eval_id,
                "at": run.at,
                "rows": counted,
                "damaged": damaged,
            }
        )
    groups = tally.groups()
    kept = rows.kept(tally.names())
    return {
        "voirdire_report": FORMAT,
        "tool_version": __version__,
        "runs": read,
        "flags": flags(groups, _certified(certificate)),
        "leaderboard": leaderboard(groups, certificate),
        "compared": compared(runs[0].name, runs[-1].name, groups) if len(runs) > 1 else None,
        "kinds": kinds(groups),
        "calibration": measured,
        "rows": kept,
        "rows_left_out": rows.seen - len(kept),
    }


def _certified(certificate: Path | None) -> str | None:
    """The certificate's judge, unless it failed its examination."""
    if certificate is None:
        return None
    found = calibrated(certificate)
    setup = Setup(**{name: found["judge"][name] for name in Setup._fields})
    return setup_of(found) if standing(certificate, setup).status == "certified" else None


def _calibration(path: Path | None, certificate: Path | None) -> dict[str, Any] | None:
    """What was measured of the judge; a certificate does not hold what confidence is worth."""
    if path is None:
        if certificate is None:
            return None
        whole = calibrated(certificate)
        found, judge = whole["calibration"], whole["judge"]["spec"]
    else:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            judge = found["judge"]
            _ = [found[name]["value"] for name in ("agreement", "kappa")]
            _ = [found[name]["k"] + found[name]["n"] for name in ("fails_caught", "passes_kept")]
            _ = [found["confusion"], found["confidence"], found["date"]]
        except OSError as error:
            raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ConfigError(
                f"{path}: is no calibration; write one with voirdire calibrate CASES --out FILE"
            ) from None
    confidence = found.get("confidence") or {}
    return {
        "judge": judge,
        "date": found["date"],
        **{name: found.get(name) for name in _MEASURES},
        "brier": confidence.get("brier"),
        "reliability": confidence.get("reliability") or [],
        "supported_threshold": confidence.get("supported_threshold"),
    }
