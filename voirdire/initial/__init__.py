"""``voirdire init``: a promptfoo project, grounded by a patch, or begun."""
