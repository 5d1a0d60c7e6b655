"""``python -m voirdire``."""

from voirdire.cli import main

main()
