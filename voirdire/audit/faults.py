"""What is wrong with a stretch that was meant to be JSON: the first fault a strict reader meets."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any, NamedTuple

_SMART = "“”„‟«»‘’‚‛＂＇"
_FULL_WIDTH = "：，｛｝［］"
_WORD = re.compile(r"[A-Za-z_$][\w$-]{0,80}")
_CLOSES_NEXT = re.compile(r",\s*[}\]]")
_COMMENT = re.compile(r"//|/\*|#|<!--|--")
_ODD_NUMBER = re.compile(r"[+.]\d|[.xXoOeE_%/]")
_MANY_DIGITS = 16  # more than a double holds


class Read(NamedTuple):
    """A stretch as a strict reader takes it.

    Attributes:
        value: what ``json.loads`` gives; ``None`` where it gives nothing.
        fault: name of the first fault; empty for strict JSON.
        long_number: a number that a double cannot hold.
    """

    value: Any
    fault: str = ""
    long_number: bool = False


def read(text: str) -> Read:
    """Read a stretch strictly. Never raises; linear in ``len(text)``."""
    soft: list[str] = []
    long_numbers: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            soft.append("duplicate key")
        return found

    def constant(name: str) -> float:
        soft.append("NaN")
        return 0.0

    def integer(digits: str) -> int:
        if len(digits) < _MANY_DIGITS:
            return int(digits)
        long_numbers.append(digits[:20])
        return 0

    def real(digits: str) -> float:
        number = float(digits[:400])
        if len(digits) > 400 or number in (float("inf"), float("-inf")):
            long_numbers.append(digits[:20])
        return number

    try:
        value = json.loads(
            text,
            object_pairs_hook=members,
            parse_constant=constant,
            parse_int=integer,
            parse_float=real,
        )
    except json.JSONDecodeError as error:
        return Read(None, _fault_at(text, error.pos, error.msg))
    except RecursionError:
        return Read(None, "deep nesting")
    return Read(value, soft[0] if soft else "", bool(long_numbers))


def _fault_at(text: str, pos: int, said: str) -> str:
    """Name the fault at ``pos``, by what stands there more than by what the reader ``said``."""
    here = text[pos : pos + 1]
    before = text[:pos].rstrip()[-1:]
    word = found[0] if (found := _WORD.match(text, pos)) else ""
    if said.startswith("Invalid control character"):
        return "raw newline" if here in ("\n", "\r", "\t") else "control characters"
    if said.startswith("Invalid \\"):
        return "bad escape"
    if said.startswith("Unterminated string"):
        return "unescaped quotes"
    if not here:
        return "truncated"
    if here in _SMART:
        return "smart quotes"
    if here in _FULL_WIDTH:
        return "full-width marks"
    if here == "&":
        return "HTML entities"
    if here == before == "{":
        return "doubled braces"
    if _COMMENT.match(text, pos):
        return "comments"
    if here == "\\":
        return "escaped quotes"
    if _CLOSES_NEXT.match(text, pos) or (before == "," and here in "}]"):
        return "trailing comma"
    if here == "…" or text.startswith("..", pos):
        return "ellipsis"
    if unicodedata.category(here) in ("Cc", "Cf", "Zs", "Zl", "Zp"):
        return "invisible characters" if here > "\x7f" else "control characters"
    if "',' delimiter" in said:
        return _after_value(text, pos, here, before)
    if here == "'":
        return "single quotes"
    if word.lower() in ("nan", "inf", "infinity"):
        return "NaN"
    if _ODD_NUMBER.match(text, pos):
        return "odd number"
    if "property name" in said:
        return "unquoted keys" if word else "other damage"
    if word in ("True", "False", "None"):
        return "Python literals"
    return "unquoted value" if word else "other damage"


def _after_value(text: str, pos: int, here: str, before: str) -> str:
    """A value ended, and neither a comma nor the end of what holds it follows."""
    if text[pos - 1].isdigit() and (here.isdigit() or _ODD_NUMBER.match(text, pos)):
        return "odd number"
    if here in "\"{['-" or here.isdigit() or text.startswith(("true", "false", "null"), pos):
        return "missing comma"
    if here in "}])":
        return "mismatched brackets"
    return "unescaped quotes" if before == '"' and here not in ";=:" else "other damage"
