#!/usr/bin/env python3
"""Print how the rules judge does on a file of minimal pairs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from voirdire.judges.rules.measure import main

if __name__ == "__main__":
    sys.exit(main())
