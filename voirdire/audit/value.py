"""JSON values as parsers give them: which are equal, and how they are shown."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import Enum
from typing import Any

MOST_PARTS = 1_000_000
"""Most objects, lists and scalars that a value may be made of."""
_MANY_PARTS = 10_000
"""So many are looked at before it is asked whether the value holds itself."""


class NotJsonError(ValueError):
    """A parser gave something that JSON cannot say."""


class Repeated:
    """An object in which a key stands more than once: its members in order.

    Only a parser that answers in JSON text can give one; a Python dict cannot hold it.
    """

    def __init__(self, members: list[tuple[str, Any]]) -> None:
        self.members = members

    def __repr__(self) -> str:
        return f"Repeated({self.members!r})"


def from_text(text: str) -> Any:
    """A value out of JSON text; NaN and Infinity are kept, and so are repeated keys.

    Raises:
        ValueError: it is no JSON.
        RecursionError: it is nested too deep for Python.
    """
    return json.loads(text, object_pairs_hook=_object)


def _object(members: list[tuple[str, Any]]) -> Any:
    found = dict(members)
    return found if len(found) == len(members) else Repeated(members)


def plain(value: Any, *, repeated: bool = True) -> Any:
    """The JSON value that a Python object stands for: models, data classes and tuples too.

    Args:
        value: what a parser gave.
        repeated: whether repeated keys are kept; else the last one stands, as in most readers.

    Raises:
        NotJsonError: JSON has no such value.
    """
    # A stack of places to fill, not recursion: values may be nested deeper than Python's calls.
    top: list[Any] = [None]
    open_places: list[tuple[Any, Any, Any]] = [(value, top, 0)]
    seen = 0
    while open_places:
        item, holder, place = open_places.pop()
        seen += 1
        # Of a value that holds itself, the end is never reached. What makes its parts anew
        # whenever it is asked for them may do so, too, and not be told by looking.
        if seen > MOST_PARTS or (seen == _MANY_PARTS and _holds_itself(value)):
            raise NotJsonError("a value that holds itself, or of more than a million parts")
        kind = type(item)
        if item is None or kind in (str, bool, int, float):
            holder[place] = item
        elif isinstance(item, Repeated) and not repeated:
            open_places.append((dict(item.members), holder, place))
        elif isinstance(item, Repeated):
            members: list[Any] = [None] * len(item.members)
            holder[place] = Repeated(members)
            for index, (key, member) in enumerate(item.members):
                pair = [key, None]
                members[index] = pair
                open_places.append((member, pair, 1))
        elif isinstance(item, Enum):
            open_places.append((item.value, holder, place))
        elif isinstance(item, Mapping):
            made: dict[str, Any] = {}
            holder[place] = made
            for key, member in item.items():
                name = _key(key)
                made[name] = None
                open_places.append((member, made, name))
        elif isinstance(item, (list, tuple)):
            row: list[Any] = [None] * len(item)
            holder[place] = row
            open_places.extend((member, row, index) for index, member in enumerate(item))
        elif isinstance(item, (str, int, float)):
            holder[place] = str(item) if isinstance(item, str) else item + 0
        elif isinstance(item, Decimal):
            holder[place] = int(item) if item.is_finite() and item == int(item) else float(item)
        else:
            open_places.append((_as_data(item), holder, place))
    return top[0]


def _holds_itself(value: Any) -> bool:
    """Whether lists, tuples and dicts stand within themselves; each is looked at once."""
    begun: set[int] = set()  # and not ended: those that hold the one looked at
    ended: set[int] = set()
    waiting = [(value, False)]
    while waiting:
        item, is_end = waiting.pop()
        if is_end:
            begun.remove(id(item))
            ended.add(id(item))
        elif id(item) in begun:
            return True
        elif type(item) in (dict, list, tuple) and id(item) not in ended:
            begun.add(id(item))
            waiting.append((item, True))
            waiting += [(member, False) for member in _members(item)]
    return False


def _members(item: Any) -> Iterable[Any]:
    return item.values() if type(item) is dict else item


def _key(key: Any) -> str:
    """A key as the json module writes it: numbers, true, false and null become text."""
    if isinstance(key, str):
        return str(key)
    if key is None or isinstance(key, (bool, int, float)):
        return json.dumps(key)
    raise NotJsonError(f"a key of type {type(key).__name__}")


def _as_data(item: Any) -> Any:
    if callable(dump := getattr(item, "model_dump", None)):  # pydantic
        return dump(mode="json", by_alias=True)
    if dataclasses.is_dataclass(item) and not isinstance(item, type):
        return {field.name: getattr(item, field.name) for field in dataclasses.fields(item)}
    raise NotJsonError(f"a {type(item).__name__}")


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal, as :func:`plain` gives them.

    1 and 1.0 are, and objects whose keys stand in another order. true and 1 are not, nor NaN and
    null, nor an object with a repeated key and one without. NaN equals itself: both parsers read
    the same.
    """
    pairs = [(one, other)]
    while pairs:
        a, b = pairs.pop()
        if isinstance(a, dict):
            if not isinstance(b, dict) or a.keys() != b.keys():
                return False
            pairs.extend((member, b[key]) for key, member in a.items())
        elif isinstance(a, list):
            if not isinstance(b, list) or len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif isinstance(a, Repeated):
            if not isinstance(b, Repeated) or len(a.members) != len(b.members):
                return False
            for (key, member), (other_key, other_member) in zip(a.members, b.members, strict=True):
                if key != other_key:
                    return False
                pairs.append((member, other_member))
        elif not _same_scalar(a, b):
            return False
    return True


def _same_scalar(a: Any, b: Any) -> bool:
    if isinstance(a, bool) or isinstance(b, bool) or a is None or b is None:
        return a is b
    if isinstance(a, str) or isinstance(b, str):
        return type(a) is type(b) and bool(a == b)
    if isinstance(b, (dict, list, Repeated)):
        return False
    return bool(a == b) or (_is_nan(a) and _is_nan(b))


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def shown(value: Any, limit: int = 2_000) -> str:
    """A value as JSON text, NaN and repeated keys as they are; cut to ``limit`` characters."""
    try:
        text = _written(value)
    except RecursionError:
        return "(nested too deep to be shown)"
    except ValueError:
        return "(holds a number of too many digits to be shown)"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _written(value: Any) -> str:
    if isinstance(value, Repeated):
        members = (f"{json.dumps(key)}: {_written(member)}" for key, member in value.members)
        return "{" + ", ".join(members) + "}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(k)}: {_written(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return _text(value)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
