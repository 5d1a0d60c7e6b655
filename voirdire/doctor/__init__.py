"""The doctor: is all that a grounded suite needs there, and does it fit together?

Nothing here asks the network, but for a judge that the caller names.
"""
