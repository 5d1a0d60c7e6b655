"""Work that waits for replies, several items at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


def each(
    items: Sequence[T],
    one: Callable[[T], U],
    in_flight: int,
    tell: Callable[[T, U], None] | None = None,
) -> list[U]:
    """What comes of each item, in the order of the items.

    Args:
        items: what to work on.
        one: works on one of them; called in threads.
        in_flight: how many are worked on at once, 1 or more.
        tell: told of each as it is done, in the order of the items, in the caller's thread.

    Raises:
        BaseException: what ``one`` or ``tell`` raises, or an interrupt; what has not begun by
            then never begins.
    """
    done: list[U] = []
    with ThreadPoolExecutor(in_flight) as pool:
        try:
            for item, result in zip(items, pool.map(one, items), strict=True):
                done.append(result)
                if tell is not None:
                    tell(item, result)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return done
