"""promptfoo's door to the deterministic checks: ``value: file://…/assertions/checks.py``."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from voirdire.promptfoo.checks import assertion as get_assert

__all__ = ["get_assert"]
