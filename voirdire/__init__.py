"""voirdire: examine the judge before you trust its verdict.

A companion to promptfoo: grades a model's answer against a source of truth and
fails closed. Import from the submodules; this file stays empty so that a door
that promptfoo starts once per assertion pays only for what it uses.
"""

__version__ = "0.1.0"
