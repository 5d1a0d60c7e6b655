"""Errors a caller may see.

VoirdireError
 ├─ ConfigError      the user's input is wrong; nothing was asked of a judge (exit code 2)
 └─ JudgeCallError   the judge gave no reply; carries the kind of judge error (exit code 1)
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any


class VoirdireError(Exception):
    """Base of every error that voirdire raises on purpose."""

    exit_code = 1


class ConfigError(VoirdireError):
    """Bad input: one sentence that names the file, the line where known, and the mend."""

    exit_code = 2


class JudgeCallError(VoirdireError):
    """A judge call that produced no reply.

    Args:
        kind: ``unreachable``, ``no_record`` or ``budget``.
        detail: one sentence for people, free of secrets.
        raw: what the server did send, if anything (an error body), for the journal.
        status: the HTTP status, where one was received.
        failed: the attempts before the last one: ``cause``, ``status``, ``raw``.
    """

    def __init__(
        self,
        kind: str,
        detail: str,
        raw: str = "",
        status: int | None = None,
        failed: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.raw = raw
        self.status = status
        self.failed = failed


def not_installed(error: ModuleNotFoundError) -> str:
    """What to do where a door's folder is there, but not what it needs."""
    return (
        f"the Python that promptfoo uses ({sys.executable}) has no module {error.name!r}; install"
        " voirdire into it with pip, or set PROMPTFOO_PYTHON to one that has it"
    )
