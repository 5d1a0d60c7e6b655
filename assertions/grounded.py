"""promptfoo's explicit door: ``type: python, value: file://…/assertions/grounded.py``."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from voirdire.promptfoo import assertion as get_assert  # noqa: E402

__all__ = ["get_assert"]
