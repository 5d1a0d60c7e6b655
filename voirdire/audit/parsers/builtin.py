"""The built-in parsers: ways of taking JSON out of a reply, each as people usually write it.

They stand in for a parser that is not at hand, and serve as yardsticks for one that is. None of
them is meant to be good: what each accepts is in its docstring, and so is what it costs.
``promptfoo`` is the one built-in that is not here; it runs in Node.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from typing import Any

from voirdire.errors import ConfigError

_raw_decode = json.JSONDecoder().raw_decode


def strict(text: str) -> Any:
    """the whole reply is JSON, and any JSON value will do.

    White space around it is allowed, as are NaN and Infinity, which Python's reader takes. Linear.

    Raises:
        ValueError: it is not.
    """
    return json.loads(text)


def backward(text: str) -> Any:
    """from the last brace to the first: the first from which the rest of the reply is an object.

    Nothing but white space may follow the object, so that a fence, or a sentence after it, leaves
    nothing. Of two objects the last is taken, unless it stands inside the other. Quadratic: for
    every opening brace it copies the rest of the reply.
    """
    start = text.rfind("{")
    while start >= 0:
        try:
            return json.loads(text[start:])
        except ValueError:
            start = text.rfind("{", 0, start)
    return None


def forward(text: str) -> Any:
    """from the first brace to the last: the first at which an object begins, whatever follows.

    So reasoning and fences before it are passed over, and what comes after it is left unread. Of
    two objects the first is taken; of a damaged one, the first whole object inside it. Quadratic:
    from every opening brace it may read to the end.
    """
    start = text.find("{")
    while start >= 0:
        try:
            return _raw_decode(text, start)[0]
        except ValueError:
            start = text.find("{", start + 1)
    return None


def forward_first(text: str) -> Any:
    """like forward, but the first brace alone is tried.

    A brace in the reasoning before the object is enough to lose it. Linear.

    Raises:
        ValueError: there is no brace, or no object begins at the first.
    """
    return _raw_decode(text, text.index("{"))[0]


def first_brace_to_last(text: str) -> Any:
    """all from the first opening brace to the last closing one is an object.

    Reasoning, fences and prose around it are passed over, as long as no brace is in them. Linear.

    Raises:
        ValueError: there are no two such braces, or what they enclose is no object.
    """
    return json.loads(text[text.index("{") : text.rindex("}") + 1])


def fenced(text: str) -> Any:
    """the first code fence, marked json or not at all, that holds one JSON value of any kind.

    A last fence that is not closed ends with the reply. A string that holds three backticks ends
    the fence it is in. Linear.
    """
    for inside in text.split("```")[1::2]:
        try:
            return json.loads(inside.removeprefix("json"))
        except ValueError:
            continue
    return None


def repaired(text: str) -> Any:
    """what the PyPI package json-repair makes of the reply (it must be installed).

    It mends almost anything: single quotes, missing commas, missing ends. Its empty string, which
    is what it gives where it saw no JSON, counts as nothing.
    """
    from json_repair import loads

    found = loads(text)
    return None if found == "" else found


BUILTINS: dict[str, Callable[[str], Any]] = {
    "strict": strict,
    "backward": backward,
    "forward": forward,
    "forward-first": forward_first,
    "first-brace-to-last": first_brace_to_last,
    "fenced": fenced,
    "json-repair": repaired,
}


def builtin(name: str) -> Callable[[str], Any]:
    """The function itself.

    Raises:
        ConfigError: it needs a package that is not installed.
    """
    if name == "json-repair" and importlib.util.find_spec("json_repair") is None:
        raise ConfigError("parser 'json-repair' needs a package: pip install json-repair.")
    return BUILTINS[name]
