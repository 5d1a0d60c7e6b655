"""promptfoo's door for tests out of labelled cases: ``path: file://…:create_tests``."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from voirdire.promptfoo.labelled import create_tests

__all__ = ["create_tests"]
