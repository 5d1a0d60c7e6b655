#!/usr/bin/env python3
"""``voirdire run`` as a script: ask several models, and let one judge decide on every answer."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from voirdire.cli import main

if __name__ == "__main__":
    sys.argv.insert(1, "run")
    main()
