"""promptfoo's door to recorded texts: ``file://…/providers/replay.py``. Nobody is asked."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from voirdire.promptfoo.canned import provider


def call_api(prompt, options, context):  # type: ignore[no-untyped-def]
    """The name and the arguments that promptfoo calls a provider with."""
    return provider(options, context)
