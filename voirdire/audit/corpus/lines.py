"""From a block's lines to the texts in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from voirdire.audit.corpus.item import OWN, REFUSE, UNKNOWN, Block, Damage, Form, Item

_decoder = json.JSONDecoder()
_decode = _decoder.decode
# What decode calls within: for one value that begins at a place, which nearly every line is.
_scan: Callable[[str, int], tuple[Any, int]] = _decoder.scan_once  # type: ignore[attr-defined]


def items(block: Block) -> Iterator[tuple[int, Item | Damage]]:
    """What each line of a block that is not blank holds, with the line's number."""
    form, name = block.form, block.name
    # Not splitlines: the characters that end a line of Unicode text may stand in a JSON string.
    for number, line in enumerate(block.data.split(b"\n"), block.first):
        if line:
            found = _item(line, form, name, number)
            if found is not None:
                yield number, found


def _item(line: bytes, form: Form, name: str, number: int) -> Item | Damage | None:
    try:
        json_text = line.decode("utf-8")
        value, end = _scan(json_text, 0)
        text = value[form.text]
        if type(text) is str and (end == len(json_text) or json_text[end:] == "\r"):
            return _made(value, text, form, f"{name}:{number}")
    # StopIteration is how the scan says that no value begins here.
    except (ValueError, RecursionError, KeyError, TypeError, IndexError, StopIteration):
        pass
    return _unusual(line, form, f"{name}:{number}", number)


def _made(value: dict[str, Any], text: str, form: Form, place: str) -> Item:
    intended = value.get(form.intended, UNKNOWN)
    if "refuse" in value and value["refuse"] is True:
        intended = REFUSE
    kind = value.get(form.kind)
    if form.where:
        place = str(value.get(form.where) or place)
    return Item(text, place, intended, kind if type(kind) is str else "")


def _unusual(line: bytes, form: Form, place: str, number: int) -> Item | Damage | None:
    """A line that holds no text, or does so only behind a byte order mark: what it holds then."""
    if number == 1:
        line = line.removeprefix(b"\xef\xbb\xbf")
    if not line.strip():
        return None
    try:
        value = _decode(line.decode("utf-8"))
    except UnicodeDecodeError:
        return Damage(place, "not UTF-8")
    except (ValueError, RecursionError) as error:
        return Damage(
            place, f"not JSON ({getattr(error, 'msg', 'too deep, or too long a number')})"
        )
    if not isinstance(value, dict):
        return Damage(place, "not a JSON object")
    if form == OWN and "damage" in value:
        return Damage(str(value.get(form.where) or place), str(value["damage"]))
    if form.text not in value:
        return Damage(place, f"has no field {form.text!r}")
    text = value[form.text]
    if not isinstance(text, str):
        return Damage(place, f"field {form.text!r} is no text")
    return _made(value, text, form, place)
