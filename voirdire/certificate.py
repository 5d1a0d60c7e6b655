"""The certificate: a file that says what was measured of which judge, and when.

It is for review and version control. Its hash guards against accident (a merge, a slip of the
hand), not against malice: whoever can write the file can write the hash.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.errors import ConfigError
from voirdire.grade import Setup
from voirdire.minima import COVERAGE, COVERAGE_WANTED, Minimum, measured

FORMAT = 1


class Standing(NamedTuple):
    """Whether a judge is certified.

    Attributes:
        status: ``certified``, ``uncertified``, ``changed`` or ``expired``.
        why: one clause for people; empty where it is certified.
    """

    status: str
    why: str = ""


def standing(
    path: Path | None, setup: Setup, minimum: Minimum | None = None, today: date | None = None
) -> Standing:
    """How a judge stands.

    Args:
        path: of the certificate; ``None`` where there is none.
        setup: the judge as it is now.
        minimum: what is asked for; ``None``: a calibration, and no failed examination. A
            coverage of ``COVERAGE_WANTED`` is asked for where no other is.
        today: the date, today by default.

    Raises:
        ConfigError: the certificate is there and cannot be used.
    """
    if path is None:
        return Standing("uncertified", "there is no certificate")
    certificate = load(path)
    calibration = certificate["calibration"]
    if certificate["judge"] | setup._asdict() != certificate["judge"]:
        return Standing("changed", f"{path} is of another judge ({_changed(certificate, setup)})")
    if calibration is None:
        return Standing("uncertified", f"{path} holds no calibration")
    if measured(calibration, "agreement") is None:
        return Standing("uncertified", f"{path}: the judge decided none of its cases")
    failed = failed_questions(certificate)
    if failed:
        return Standing("uncertified", f"{path}: the judge failed on {', '.join(failed)}")
    minimum = minimum or Minimum()
    age = ((today or date.today()) - date.fromisoformat(calibration["date"])).days
    if age < -1:  # a day ahead is another time zone
        return Standing("uncertified", f"{path} is dated {calibration['date']}, still to come")
    if minimum.max_age_days is not None and age > minimum.max_age_days:
        return Standing("expired", f"{path} is {age} days old, more than {minimum.max_age_days}")
    for name, least in {COVERAGE: COVERAGE_WANTED, **minimum.least}.items():
        value = measured(calibration, name)
        if value is None or value < least:
            shown = "not measured" if value is None else f"{value:.3f}"
            return Standing("uncertified", f"{path}: {name} is {shown}, below {least:g}")
    return Standing("certified")


def failed_questions(certificate: Mapping[str, Any]) -> list[str]:
    """The questions of the examination that the judge failed."""
    questions = (certificate["examination"] or {}).get("questions") or {}
    return [name for name, result in questions.items() if result == "fail"]


def load(path: Path) -> dict[str, Any]:
    """Read a certificate.

    Raises:
        ConfigError: it is missing, no certificate, or was changed since it was written.
    """
    try:
        certificate: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if certificate["voirdire_certificate"] != FORMAT:
            raise ConfigError(f"{path}: is a certificate of another version; calibrate anew")
        whole = certificate["sha256"] == _digest(certificate)
        _ = Setup(**{key: certificate["judge"][key] for key in Setup._fields})
        calibration, examination = certificate["calibration"], certificate["examination"]
        if calibration is not None:
            date.fromisoformat(calibration["date"])
        if examination is not None:
            examination["questions"].items()
    except OSError as error:
        raise ConfigError(
            f"{path}: the certificate cannot be read ({error.strerror}); write one with "
            "voirdire calibrate CASES --judge SPEC --certificate FILE"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ConfigError(f"{path}: is no certificate; calibrate the judge anew") from None
    if not whole:
        raise ConfigError(
            f"{path}: was changed after it was written (its hash differs); calibrate anew, or "
            "restore it"
        )
    return certificate


def certify(
    path: Path, judge: Mapping[str, Any], rubric: Mapping[str, Any], part: str, content: Any
) -> None:
    """Write a part of a certificate; the other part stays, if it is of the same judge.

    Args:
        path: the file, written whole or not at all.
        judge: ``spec`` and the fields of :class:`Setup`.
        rubric: its ``name`` and ``version``.
        part: ``calibration`` or ``examination``.
        content: what was measured, with its ``date``.

    Raises:
        ConfigError: the file cannot be written, or is something else.
    """
    from voirdire import __version__
    from voirdire.wholefile import write_whole

    parts: dict[str, Any] = {"calibration": None, "examination": None}
    if path.exists():
        before = load(path)
        if {key: before["judge"][key] for key in Setup._fields} == {
            key: judge[key] for key in Setup._fields
        }:
            parts = {name: before[name] for name in parts}
            if part == "examination" and parts[part] is not None:
                questions = _kept(parts[part]["questions"], content["questions"])
                content = {**content, "questions": questions}
    certificate = {
        "voirdire_certificate": FORMAT,
        "tool_version": __version__,
        "judge": dict(judge),
        "rubric": dict(rubric),
        **parts,
        part: content,
    }
    certificate["sha256"] = _digest(certificate)
    write_whole(path, json.dumps(certificate, indent=1) + "\n")


def path_from(folder: Path, file: str) -> str:
    """A file's path from a folder, as a certificate keeps it; whole where there is none."""
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # another drive
        return Path(file).absolute().as_posix()


def _kept(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """The results of two examinations: what is not asked again, or not shown, mends no fail."""
    return dict(now) | {
        name: result
        for name, result in before.items()
        if name not in now or (result == "fail" and now[name] == "not shown")
    }


def _digest(certificate: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in certificate.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode("ascii")).hexdigest()


def _changed(certificate: Mapping[str, Any], setup: Setup) -> str:
    """Which part of the setup is another."""
    names = [
        name
        for name, value in setup._asdict().items()
        if certificate["judge"][name] != value and name != "fingerprint"
    ]
    if certificate["judge"]["fingerprint"] != setup.fingerprint:
        names.insert(0, "model, settings, rubric or prompt")
    return ", ".join(names)
