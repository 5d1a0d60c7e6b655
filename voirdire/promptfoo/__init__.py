"""promptfoo's shapes: what it hands to a door, what it takes back, what it writes.

Nothing outside this package knows them.
"""
