"""Keep what is no decision from becoming a pass: promptfoo inverts, forces and averages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from voirdire.promptfoo.overruling import in_test

OUTVOTED = -1e200
"""Score of a non-decision where a threshold averages scores: it outweighs the other scores at any
weights that ``overruling`` lets pass as sound."""


class NotAVerdictError(Exception):
    """Raised to promptfoo where a returned non-decision would be turned into a pass."""


def kept_from_passing(
    result: dict[str, Any], context: Mapping[str, Any], config: Any
) -> dict[str, Any]:
    """A ``python`` assertion's result that decides nothing, so that promptfoo makes no pass of it.

    Args:
        result: not passed; changed in place where the test would overrule it.
        context: the assertion's.
        config: the assertion's, by which it is found in its test.

    Raises:
        NotAVerdictError: only a raised error is neither inverted nor ignored here.
    """
    overruling = in_test(context.get("test"), config)
    if overruling.averaged:
        # A raised assertion scores 0, which others can outvote; a score far below 0 they cannot.
        result["score"] = OUTVOTED
        result["pass"] = overruling.inverted
        if overruling.weightless:
            # No score counts at weight 0. A component that is none stops promptfoo's averaging,
            # which makes the test an error: the one non-pass that is left.
            result["componentResults"] = [None]
    elif overruling.inverted or overruling.weightless:
        raise_to_promptfoo(result["reason"])
    return result


def raise_to_promptfoo(reason: str) -> NoReturn:
    """Raise a reason for people.

    Raises:
        NotAVerdictError: always.
    """
    import sys

    sys.tracebacklimit = 0  # the reason is for people; where it was raised is not
    raise NotAVerdictError(reason)
