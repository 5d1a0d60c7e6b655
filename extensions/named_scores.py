"""promptfoo's door for results: ``extensions: [file://…/extensions/named_scores.py:extension_hook]``.

The drop-in door's outcomes become named scores, which promptfoo drops by itself.
"""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent))

from voirdire.promptfoo.scores import extension_hook

__all__ = ["extension_hook"]
