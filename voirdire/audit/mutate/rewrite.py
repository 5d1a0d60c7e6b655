"""The same value written otherwise, and values wrapped in others."""

from __future__ import annotations

import html
import json
import re
from random import Random
from typing import Any

from voirdire.audit.mutate.base import LITERALS, Base, Intends, mutation

_BASE, _UNKNOWN = Intends.BASE, Intends.UNKNOWN
_SAME = "the same value in strict JSON"
_WRAPPED = "as written it is another value, and many a reader unwraps it"
_COERCED = "as written it is another value, and many a reader coerces it"


def _dump(value: Any, **how: Any) -> str:
    return json.dumps(value, ensure_ascii=False, **how)


@mutation("pretty-printed", _BASE, _SAME)
def _(base: Base, draw: Random) -> str:
    return _dump(base.value, indent=draw.choice([2, 4, "\t"]))


@mutation("minified", _BASE, _SAME)
def _(base: Base, draw: Random) -> str:
    return "".join(token for token in base.tokens if not token.isspace())


@mutation("a blank between all tokens", _BASE, _SAME)
def _(base: Base, draw: Random) -> str:
    return draw.choice([" ", "\n"]).join(token for token in base.tokens if not token.isspace())


@mutation("key order changed", _BASE, _SAME)
def _(base: Base, draw: Random) -> str | None:
    if not isinstance(base.value, dict) or len(base.value) < 2:
        return None
    return _dump(dict(reversed(base.value.items())))


@mutation("escapes for letters", _BASE, _SAME)
def _(base: Base, draw: Random) -> str | None:
    text = json.dumps(base.value)
    if text == _dump(base.value):  # nothing beyond ASCII: escape the letters themselves
        changes = {
            i: re.sub(r"(?<![\\\w])[a-z]", lambda m: f"\\u{ord(m[0]):04x}", base.tokens[i])
            for i in base.keys + base.strings
            if "\\" not in base.tokens[i]
        }
        text = base.edited(changes)
    return text


@mutation("escaped slashes", _BASE, _SAME)
def _(base: Base, draw: Random) -> str | None:
    return base.text.replace("/", "\\/") if "/" in base.text and "\\" not in base.text else None


def _integers(base: Base) -> list[int]:
    """Places of the integers that a double holds exactly."""
    return [i for i in base.numbers if re.fullmatch(r"-?\d{1,15}", base.tokens[i])]


@mutation("integer to float", _BASE, "1 and 1.0 are one JSON number")
def _(base: Base, draw: Random) -> str | None:
    whole = _integers(base)
    return base.edited({i: f"{base.tokens[i]}.0" for i in whole}) if whole else None


@mutation("integer with an exponent", _BASE, "1 and 1e0 are one JSON number")
def _(base: Base, draw: Random) -> str | None:
    mark = draw.choice("eE")
    whole = _integers(base)
    return base.edited({i: f"{base.tokens[i]}{mark}0" for i in whole}) if whole else None


@mutation("CRLF", _BASE, "line ends are no part of the value")
def _(base: Base, draw: Random) -> str:
    return _dump(base.value, indent=2).replace("\n", "\r\n")


@mutation("NBSP indentation", _BASE, "blanks to the eye, copied from a web page")
def _(base: Base, draw: Random) -> str | None:
    text = re.sub(r"(?<=\n) +", lambda m: "\u00a0" * len(m[0]), _dump(base.value, indent=2))
    return text if base.value else None


@mutation("zero-width characters between tokens", _BASE, "nothing to the eye")
def _(base: Base, draw: Random) -> str:
    return draw.choice("\u200b\u2060\ufeff").join(base.tokens)


@mutation("block quotation", _BASE, "Markdown's mark before each line")
def _(base: Base, draw: Random) -> str:
    return "\n".join(f"> {line}" for line in _dump(base.value, indent=2).split("\n"))


@mutation("literals as strings", _UNKNOWN, _COERCED)
def _(base: Base, draw: Random) -> str | None:
    places = base.places(*LITERALS)
    return base.edited({i: f'"{base.tokens[i]}"' for i in places}) if places else None


@mutation("numbers as strings", _UNKNOWN, _COERCED)
def _(base: Base, draw: Random) -> str | None:
    return base.edited({i: f'"{base.tokens[i]}"' for i in base.numbers}) if base.numbers else None


@mutation("upper-case keys", _UNKNOWN, "other keys as written; many a reader folds case")
def _(base: Base, draw: Random) -> str | None:
    plain = [i for i in base.keys if "\\" not in base.tokens[i]]
    return base.edited({i: base.tokens[i].upper() for i in plain}) if plain else None


@mutation("wrapped in an array", _UNKNOWN, _WRAPPED)
def _(base: Base, draw: Random) -> str:
    return f"[{base.text}]"


@mutation("wrapped in a member", _UNKNOWN, _WRAPPED)
def _(base: Base, draw: Random) -> str:
    return f'{{"{draw.choice(["result", "output", "answer", "response"])}": {base.text}}}'


@mutation("wrapped in a tool call", _UNKNOWN, _WRAPPED)
def _(base: Base, draw: Random) -> str:
    return f'{{"name": "submit", "arguments": {base.text}}}'


@mutation("double encoded", _UNKNOWN, _WRAPPED)
def _(base: Base, draw: Random) -> str:
    return _dump(base.text)


@mutation("double encoded in a member", _UNKNOWN, _WRAPPED)
def _(base: Base, draw: Random) -> str:
    return _dump({draw.choice(["result", "arguments"]): base.text})


@mutation("escaped quotes", _BASE, "escaped once too often, as a whole")
def _(base: Base, draw: Random) -> str | None:
    return _dump(base.text)[1:-1] if '"' in base.text else None


@mutation("doubled braces", _BASE, "escaped for a template that was never filled in")
def _(base: Base, draw: Random) -> str | None:
    braces = base.places("{", "}")
    return base.edited({i: base.tokens[i] * 2 for i in braces}) if braces else None


@mutation("HTML entities", _BASE, "escaped for a web page, as a whole")
def _(base: Base, draw: Random) -> str | None:
    return html.escape(base.text, quote=True) if '"' in base.text else None
