#!/usr/bin/env python3
"""``voirdire audit`` as a script: what does the eval's parser read, and what does production's?"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from voirdire.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "audit")
    main()
