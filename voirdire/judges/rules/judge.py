"""The judge that needs no model."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from voirdire.judges.base import Ask
from voirdire.judges.rules.verdicts import verdict
from voirdire.reply import Reply

VERSION = "2"  # to be raised with every change that can change a verdict


class RulesJudge:
    """Grounds by rule whatever can be checked by rule, and says so where nothing can.

    A pass means that every checkable fact of the answer stands in the sources; a fail names one
    that does not. Sentences without such facts are not judged.
    """

    @property
    def spec(self) -> str:
        """``rules``."""
        return "rules"

    @property
    def identity(self) -> Mapping[str, Any]:
        """The scheme and the version of the rules."""
        return {"scheme": "rules", "version": VERSION}

    @property
    def can_reask(self) -> bool:
        """False: the same question gets the same reply."""
        return False

    @property
    def cacheable(self) -> bool:
        """False: asking costs nothing."""
        return False

    def ask(self, ask: Ask) -> Reply:
        """Judge once. Reads the sources, the question and the answer; the prompt is not used."""
        began = time.perf_counter()
        text = json.dumps(verdict(ask), ensure_ascii=False)
        return Reply(
            text=text,
            finish_reason="stop",
            latency_ms=(time.perf_counter() - began) * 1000,
            raw=text,
            model=f"rules-{VERSION}",
        )
