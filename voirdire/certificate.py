"""The certificate: a file that says what was measured of which judge, and when.

It is for review and version control. Its hash guards against accident (a merge, a slip of the
hand), not against malice: whoever can write the file can write the hash.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.errors import ConfigError
from voirdire.grade import Setup

FORMAT = 1
MEASURES = (
    "agreement",
    "kappa",
    "balanced_accuracy",
    "youden_j",
    "mcc",
    "fails_caught",
    "passes_kept",
    "precision_of_fails",
)
"""Measures that a minimum may name, each with ``_low`` for the lower bound of its interval."""
MOST = 2**53
"""No count or measure is beyond it."""
_SIGNED = ("kappa", "youden_j", "mcc")
_DAYS = re.compile(r"[0-9]{1,6}d")


class Minimum(NamedTuple):
    """What a certificate must show.

    Attributes:
        least: measures, ``_low`` for their lower bounds, ``n`` for labels, ``fails`` for labelled
            fails; and the least value that is borne.
        max_age_days: how old the calibration may be; ``None``: of any age.
    """

    least: Mapping[str, float] = {}
    max_age_days: int | None = None


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
        minimum: what is asked for; ``None``: a calibration, and no failed examination.
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
    questions = (certificate["examination"] or {}).get("questions") or {}
    failed = [name for name, result in questions.items() if result == "fail"]
    if failed:
        return Standing("uncertified", f"{path}: the judge failed on {', '.join(failed)}")
    minimum = minimum or Minimum()
    age = ((today or date.today()) - date.fromisoformat(calibration["date"])).days
    if age < -1:  # a day ahead is another time zone
        return Standing("uncertified", f"{path} is dated {calibration['date']}, still to come")
    if minimum.max_age_days is not None and age > minimum.max_age_days:
        return Standing("expired", f"{path} is {age} days old, more than {minimum.max_age_days}")
    for name, least in minimum.least.items():
        value = measured(calibration, name)
        if value is None or value < least:
            shown = "not measured" if value is None else f"{value:.3f}"
            return Standing("uncertified", f"{path}: {name} is {shown}, below {least:g}")
    return Standing("certified")


def measured(calibration: Mapping[str, Any], name: str) -> float | None:
    """A measure of a calibration by its name; ``None`` where it is undefined, or no number."""
    base = name.removesuffix("_low")
    found = calibration.get("cases" if name in ("n", "fails") else base)
    if not isinstance(found, dict):
        return None
    if name in ("n", "fails"):
        return _number(found.get(name))
    if base != name or "value" in found:
        return _number(found.get("low" if base != name else "value"))
    k, n = _number(found.get("k")), _number(found.get("n"))
    return k / n if k is not None and n else None


def read_minimum(value: Any, where: str = "config: require_certificate") -> Minimum | None:
    """Read ``true`` or ``kappa>=0.6, fails_caught_low>=0.6, max_age: 90d``.

    Returns:
        ``None`` where no certificate is asked for.

    Raises:
        ConfigError: names what cannot be read.
    """
    if value is False:
        return None
    if value is True:
        return Minimum()
    least: dict[str, float] = {}
    age: int | None = None
    if isinstance(value, dict):
        parts = [
            f"{key}: {part}" if key == "max_age" else f"{key}>={part}"
            for key, part in value.items()
        ]
    elif isinstance(value, str) and value.strip():
        parts = value.split(",")
    else:
        raise ConfigError(f"{where}: must be true or minima such as kappa>=0.6, not {value!r}")
    for part in parts:
        name, found, number = part.partition(">=")
        is_least = bool(found)
        if not found:
            name, found, number = part.partition(":")
        name, number = name.strip(), number.strip()
        try:
            if name in least or (name == "max_age" and age is not None):
                raise ConfigError(f"{where}: {name} stands twice; keep one")
            if name == "max_age" and not is_least and _DAYS.fullmatch(number):
                age = int(number[:-1])
            else:
                least[name] = _least(name, number)
        except ValueError:
            names = ", ".join((*MEASURES, "n", "fails"))
            raise ConfigError(
                f"{where}: {part.strip()!r} cannot be read; write max_age: 90d, or NAME>=NUMBER "
                f"with one of {names} (_low for a lower bound) and a number that it can reach"
            ) from None
    return Minimum(least, age)


def _least(name: str, text: str) -> float:
    """A minimum that can hold somebody to something: NaN or minus infinity never would."""
    base, number = name.removesuffix("_low"), float(text)
    if name in ("n", "fails"):
        low, high = 0.0, math.inf
    elif base in MEASURES:
        low, high = (-1.0 if base in _SIGNED else 0.0), 1.0
    else:
        raise ValueError
    if not low <= number <= high or math.isinf(number):
        raise ValueError
    return number


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


def _kept(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """The results of two examinations: what is not asked again, or not shown, mends no fail."""
    return dict(now) | {
        name: result
        for name, result in before.items()
        if name not in now or (result == "fail" and now[name] == "not shown")
    }


def _number(value: Any) -> float | None:
    """A number that can be compared: NaN would be above and below nothing."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if abs(value) <= MOST else None


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
