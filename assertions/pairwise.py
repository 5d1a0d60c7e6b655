"""promptfoo's door for comparisons: ``type: python, value: file://…/assertions/pairwise.py``."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from voirdire.promptfoo.pairwise import assertion as get_assert

__all__ = ["get_assert"]
