"""The gate: whether a judge is good enough. It fails the judge, not the product."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from voirdire.certificate import failed_questions, load
from voirdire.errors import ConfigError
from voirdire.minima import measured


class Held(NamedTuple):
    """One measure held to its minimum.

    Attributes:
        name: of the measure; ends in ``_low`` where the lower bound is held.
        value: what was measured; ``None`` where it is undefined.
        least: the least that is borne.
    """

    name: str
    value: float | None
    least: float

    @property
    def holds(self) -> bool:
        """Whether it was measured, and is enough."""
        return self.value is not None and self.value >= self.least


class Measured(NamedTuple):
    """What is known of a judge.

    Attributes:
        calibration: its figures.
        failed: questions of its examination that it failed.
    """

    calibration: Mapping[str, Any]
    failed: list[str]


def load_measured(path: Path) -> Measured:
    """What a certificate, or the report of ``voirdire calibrate --json``, says of its judge.

    Raises:
        ConfigError: the file cannot be read, or holds no calibration.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot be read ({error.strerror}); write it with voirdire calibrate CASES "
            "--judge SPEC --certificate FILE"
        ) from None
    except (ValueError, RecursionError):
        raise ConfigError(f"{path}: is no JSON") from None
    failed: list[str] = []
    if isinstance(found, dict) and "voirdire_certificate" in found:
        certificate = load(path)
        found, failed = certificate["calibration"], failed_questions(certificate)
        if found is None:
            raise ConfigError(f"{path}: holds no calibration; run voirdire calibrate")
    if not isinstance(found, dict) or not {"agreement", "kappa", "cases"} <= found.keys():
        raise ConfigError(f"{path}: is neither a certificate nor a report of voirdire calibrate")
    return Measured(found, failed)


def held(calibration: Mapping[str, Any], minima: Mapping[str, float]) -> list[Held]:
    """The measures held to their minima.

    Args:
        calibration: of a certificate or a report.
        minima: by name, see ``voirdire.minima``.

    Raises:
        ConfigError: a measure is missing from the calibration.
    """
    try:
        return [Held(name, measured(calibration, name), least) for name, least in minima.items()]
    except (KeyError, TypeError, AttributeError):
        raise ConfigError("the calibration is damaged; calibrate anew") from None
