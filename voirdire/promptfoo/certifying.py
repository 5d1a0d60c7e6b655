"""The command that certifies the judge of a config, as it is set there."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator

from voirdire.doorconfig import FILE_NAME, DoorConfig
from voirdire.judges.base import Judge
from voirdire.judges.settings import JudgeSettings

_OF_THE_JUDGE = ("temperature", "seed", "max_tokens", "reasoning", "extra")
"""Settings that make it another judge."""


def command_for(config: DoorConfig) -> str:
    """The command, with what the user alone knows in capital letters.

    Whoever runs it without a setting of the suite's certifies another judge.
    """
    words = ["voirdire", "calibrate", "CASES", "--rubric", "RUBRIC", "--judge", config.judge.spec]
    for setting in _settings(config.judge):
        words += ["--set", setting]
    if config.quorum is not None:
        words += ["--samples", str(config.quorum.samples), "--quorum", str(config.quorum.needed)]
    if config.order == "both":
        words += ["--order", "both"]
    if config.precheck is not None:
        words += ["--precheck", "rules"]
    if config.policy != "strict":
        words += ["--policy", config.policy]
    return shlex.join([*words, "--certificate", config.certificate or FILE_NAME])


def _settings(judge: Judge) -> Iterator[str]:
    given = getattr(judge, "settings", None)
    if not isinstance(given, JudgeSettings):
        return
    usual = JudgeSettings()._asdict()
    for name, value in given._asdict().items():
        if name in _OF_THE_JUDGE and value != usual[name]:
            yield f"{name}={json.dumps(dict(value) if name == 'extra' else value)}"
