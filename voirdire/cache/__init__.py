"""The verdict cache: a rerun is identical and free.

Only replies that were read as a verdict are kept, never an error. A key is a hash of all that a
verdict depends on, so nothing is ever served for another source, rubric, answer or judge.
"""
