"""Recorded replies of other people's pairwise judges, both orders of each pair in one record.

A JSON list of ``{"idx", "label": 1 | 2, "order_12": {"reply", "finish_reason", "winner"},
"order_21": {…}}``. Answer 1 is A. ``winner`` is what the recording's own parser made of the
reply, ``"1"``, ``"2"`` or null: it is held against the reply's text, and never taken for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.errors import ConfigError
from voirdire.pairwise.swap import TAKEN, Said
from voirdire.pairwise.tally import Compared
from voirdire.yamlfile import read_text

EXTRACTOR = "output-letter"
"""Name of the one extractor: the whole reply is ``Output (a)``, the first, or ``Output (b)``."""

_PLACES = {"Output (a)": "first", "Output (b)": "second"}
_ANSWERS = {1: "a", 2: "b", "1": "a", "2": "b"}


@dataclass(frozen=True)
class Recorded:
    """One recorded pair.

    Attributes:
        id: its ``idx``, as text.
        compared: what the replies say, by their text.
        differs: one sentence for each order whose ``winner`` is not what its reply says.
    """

    id: str
    compared: Compared
    differs: tuple[str, ...]


def read_recorded(path: Path) -> list[Recorded]:
    """Read a file of recorded replies.

    Raises:
        ConfigError: it cannot be read, or names the record that is of another shape.
    """
    try:
        value = json.loads(read_text(path, "recorded replies"))
    except (ValueError, RecursionError):
        raise ConfigError(f"{path}: not valid JSON; give a list of recorded pairs") from None
    if not isinstance(value, list) or not value:
        raise ConfigError(f"{path}: must be a list of recorded pairs, at least one")
    found = [_recorded(item, f"{path}: record {n}") for n, item in enumerate(value, 1)]
    seen: set[str] = set()
    for record in found:
        if record.id in seen:
            raise ConfigError(f"{path}: the idx {record.id} stands twice; keep one")
        seen.add(record.id)
    return found


def _recorded(item: Any, where: str) -> Recorded:
    if not isinstance(item, dict) or not isinstance(item.get("idx"), (int, str)):
        raise ConfigError(f'{where}: must be {{"idx", "label", "order_12", "order_21"}}')
    label = item.get("label")
    if label is not None and (isinstance(label, bool) or label not in (1, 2)):
        raise ConfigError(f"{where}: `label` must be 1, 2 or null, not {label!r}")
    one, first_fault = _said(item.get("order_12"), "a", f"{where}: order_12")
    two, second_fault = _said(item.get("order_21"), "b", f"{where}: order_21")
    differs = tuple(fault for fault in (first_fault, second_fault) if fault)
    compared = Compared(one, two, None if label is None else _ANSWERS[label])
    return Recorded(str(item["idx"]), compared, differs)


def _said(order: Any, first: str, where: str) -> tuple[Said, str]:
    """What one order's reply says, and how the recorded winner differs from it, if it does."""
    if not isinstance(order, Mapping) or "reply" not in order:
        raise ConfigError(f'{where}: must be {{"reply", "finish_reason", "winner"}}')
    reply, noted = order["reply"], order.get("winner")
    if reply is not None and not isinstance(reply, str):
        raise ConfigError(f"{where}: `reply` must be text or null")
    if noted is not None and (isinstance(noted, bool) or noted not in (1, 2, "1", "2")):
        raise ConfigError(f'{where}: `winner` must be "1", "2" or null, not {noted!r}')
    kind, detail, place = _place(reply or "", order.get("finish_reason"), where)
    second = "b" if first == "a" else "a"
    winner = None if place is None else first if place == "first" else second
    said = Said(first, winner, kind, detail)
    recorded = None if noted is None else _ANSWERS[noted]
    if winner == recorded:
        return said, ""
    return said, f"{said.order} the reply says {_name(winner)}, the record {_name(recorded)}"


def _place(reply: str, finish_reason: Any, where: str) -> tuple[str, str, str | None]:
    """Which place a reply names: the kind, a sentence where it names none, and the place."""
    if finish_reason is not None and not isinstance(finish_reason, str):
        raise ConfigError(f"{where}: `finish_reason` must be text or null")
    text = reply.strip()
    if not text:
        return "silent", "there is no reply", None
    if finish_reason in ("length", "max_tokens"):
        return "truncated", f"the reply was cut off ({finish_reason})", None
    if finish_reason not in (None, "", "stop", "end_turn", "stop_sequence"):
        return "unexpected_stop", f"the judge stopped with {finish_reason[:60]!r}", None
    place = _PLACES.get(text)
    if place is None:
        return "prose", "the reply is neither Output (a) nor Output (b)", None
    return TAKEN, "", place


def _name(winner: str | None) -> str:
    return winner.upper() if winner else "nothing"
