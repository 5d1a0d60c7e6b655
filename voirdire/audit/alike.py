"""The quick answer to whether two parsers gave the same value, yes for nearly all pairs."""

from __future__ import annotations

from typing import Any


def alike(one: Any, other: Any) -> bool:
    """Whether two values are plain JSON of the same types and equal throughout.

    A yes means that :func:`voirdire.audit.value.same` would say so of both in plain JSON; a no says
    nothing. Any Python objects may be given.
    """
    try:
        return _alike(one, other)
    except RecursionError:  # nested deep, or holds itself
        return False


def _alike(one: Any, other: Any) -> bool:
    # Python says that True == 1, in keys too, so types are compared beside values. Scalars are not
    # handed to another call: there are many, and this runs for every text of a corpus.
    kind = type(one)
    if kind is not type(other):
        return False
    if kind is dict:
        if len(one) != len(other):
            return False
        for key, member in one.items():
            if type(key) is not str or key not in other:
                return False
            theirs = other[key]
            kind = type(member)
            if kind is str or kind is bool or kind is float or kind is int:
                if type(theirs) is not kind or member != theirs:
                    return False
            elif not _alike(member, theirs):
                return False
        return True
    if kind is list:
        if len(one) != len(other):
            return False
        for member, theirs in zip(one, other):  # noqa: B905 (of the same length)
            kind = type(member)
            if kind is str or kind is bool or kind is float or kind is int:
                if type(theirs) is not kind or member != theirs:
                    return False
            elif not _alike(member, theirs):
                return False
        return True
    if kind is str or kind is bool or kind is float or kind is int:
        return bool(one == other)
    return one is None
