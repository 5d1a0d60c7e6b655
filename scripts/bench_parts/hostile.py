"""Replies made to be slow to read, each by its length in characters or nearly so."""

from __future__ import annotations

from collections.abc import Callable

MB = 1_000_000
HOSTILE: dict[str, Callable[[int], str]] = {
    "{ repeated": lambda n: "{" * n,
    "[ repeated": lambda n: "[" * n,
    '{" repeated': lambda n: '{"' * (n // 2),
    '{"a": repeated': lambda n: '{"a":' * (n // 5),
    '" repeated': lambda n: '"' * n,
    "quote unclosed": lambda n: '{"critique": "' + "x" * n,
    "backslashes": lambda n: '{"critique": "' + "\\" * n,
    "escaped quotes": lambda n: '{"critique": "' + '\\"' * (n // 2),
    "100,000 deep": lambda n: ("[" * 100_000 + "]" * 100_000) * max(1, n // 200_000),
    "{} repeated": lambda n: "{}" * (n // 2),
    "{a: repeated": lambda n: "{a: " * (n // 4),
    "{ then blanks": lambda n: "{" + " " * n,
    "one long number": lambda n: '{"confidence": ' + "9" * n + "}",
    "many keys": lambda n: "{" + '"a":1,' * (n // 6) + '"b":1}',
    "<think> repeated": lambda n: "<think>" * (n // 7),
    "</think> repeated": lambda n: "</think>" * (n // 8),
    "{</think> repeated": lambda n: "{</think>" * (n // 9),
    "``` repeated": lambda n: "```" * (n // 3),
    "``` and blanks": lambda n: "```" + "\n" * n + "{}",
    "] repeated": lambda n: "{}" + "]" * n,
    "dots": lambda n: "…" * (n // 3),
}
