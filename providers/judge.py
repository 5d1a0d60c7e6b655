"""promptfoo's drop-in door: ``provider: file://…/providers/judge.py`` on an ``llm-rubric``."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from voirdire.promptfoo.grading import provider


def call_api(prompt, options, context):  # type: ignore[no-untyped-def]
    """The name and the arguments that promptfoo calls a provider with."""
    return provider(options, context)
