"""promptfoo's explicit door: ``type: python, value: file://…/assertions/grounded.py``."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from voirdire.promptfoo.grading import assertion as get_assert

__all__ = ["get_assert"]
