"""promptfoo's door for the judge's own suite: passes where judge and person agree."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from voirdire.promptfoo.labelled import assertion as get_assert

__all__ = ["get_assert"]
