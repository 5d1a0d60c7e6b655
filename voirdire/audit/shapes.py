"""The shape of a model's text: what is around its JSON, or what is wrong with it.

Differences between parsers are grouped by it. A text of several shapes has the first that holds in
the order of ``SHAPES``: what is rare, and so more likely to be what the parsers differ about,
stands before what many texts share. First comes what the text as a whole is, then thinking that
holds braces, then how many values there are and whether they end, then the first fault inside one,
then what is wrapped around it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from itertools import islice
from typing import Any, Final

from voirdire.audit import faults
from voirdire.scan import BLANK, MAX_DEPTH, Part, scan
from voirdire.strictjson import has_lone_surrogate, parse

# Other names that models and templates have for the tags of thinking.
_THINKING = re.compile(
    r"<(/?)(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad)>|\[(/?)THINK\]",
    re.IGNORECASE,
)
_FENCE = re.compile(r"(?:```+|~~~+)[ \t]*[\w+-]{0,20}")
_TAG_BEFORE = re.compile(r"<[A-Za-z][\w-]{0,40}>\s*\Z")
_TAG_AFTER = re.compile(r"\s*</[A-Za-z]")
_SPECIAL_TOKEN = re.compile(r"<\|[^|<>]{1,40}\|>|<｜[^<>]{1,40}｜>|</s>")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]")
_BRACKET = re.compile(r"[{}\[\]]")
_DEPTH_BUDGET = 10_000  # brackets looked at to see how deep they go
_JSON_BLANK = " \t\r\n"


class _View:
    """A text taken apart once, for all the rules to look at."""

    def __init__(self, text: str) -> None:
        self.text = text
        # Only to find the parts: positions are those of this text from here on.
        self.named = _THINKING.sub(lambda tag: f"<{tag[1] or tag[2] or ''}think>", text)
        self.found = scan(self.named)
        parts, outside = self.found.parts, self.found.outside
        objects = [part for part in parts if part.kind != "array" or part.holds_object]
        # Arrays beside an object are footnotes and the like; alone, they may be the answer.
        self.values: list[Part] = objects or parts
        first = parts.index(self.values[0]) if parts else 0
        last = parts.index(self.values[-1]) if parts else -1
        self.around = "".join(outside)
        self.before = "".join(outside[: first + 1]) + "[]" * (first > 0)
        self.after = "".join(outside[last + 1 :]) + "[]" * (last < len(parts) - 1)
        self.fences = len(_FENCE.findall(self.around))

    @cached_property
    def whole(self) -> Any:
        """The value that the whole text is in strict JSON; ``None`` also where it is none."""
        return parse(self.text.strip(_JSON_BLANK))[0]

    @cached_property
    def read(self) -> faults.Read:
        """The first value with a fault, or else the last."""
        broken = [part for part in self.values if part.broken]
        part = broken[0] if broken else self.values[-1] if self.values else None
        if part is None or part.kind == "open":
            return faults.Read(None)
        return faults.read(self.named[part.start : part.end])

    @property
    def thinks_in_braces(self) -> bool:
        """Whether there is a brace in what the scan left out as thinking."""
        shown = self.around.count("{")
        shown += sum(self.named.count("{", part.start, part.end) for part in self.found.parts)
        return self.named.count("{") > shown

    @property
    def is_deep(self) -> bool:
        if any(part.fault.startswith("nested deeper") for part in self.found.parts):
            return True
        depth = 0
        for bracket in islice(_BRACKET.finditer(self.text), _DEPTH_BUDGET):
            depth = depth + 1 if bracket[0] in "{[" else max(0, depth - 1)
            if depth > MAX_DEPTH:
                return True
        return False

    def is_spoken(self, side: str) -> bool:
        """Whether prose stands on a side, the fence aside."""
        return bool(_FENCE.sub("", side).strip(BLANK))

    @property
    def is_tagged(self) -> bool:
        return bool(
            _TAG_BEFORE.search(_FENCE.sub("", self.before))
            or _TAG_AFTER.match(_FENCE.sub("", self.after))
        )


def _has_surrogate(view: _View) -> bool:
    return has_lone_surrogate(view.text) or any(
        part.fault == "lone surrogate" for part in view.found.parts
    )


def _is_invisible(view: _View) -> bool:
    if view.read.fault == "invisible characters" or _INVISIBLE.search(view.around):
        return True
    return not view.around.strip(BLANK) and bool(view.around.strip(_JSON_BLANK))


def _fault(name: str) -> Callable[[_View], bool]:
    return lambda view: view.read.fault == name


def _holds_json_text(view: _View) -> bool:
    value = view.read.value
    members = value.values() if isinstance(value, dict) else value if type(value) is list else ()
    return any(isinstance(member, str) and _is_json_text(member) for member in members)


def _is_json_text(text: str) -> bool:
    """Whether it is an object or an array that is not empty, in strict JSON."""
    return text.lstrip(_JSON_BLANK).startswith(("{", "[")) and bool(parse(text)[0])


def _is_wrapped(view: _View) -> bool:
    value = view.read.value
    if not isinstance(value, dict) or len(value) != 1:
        return False
    return isinstance(next(iter(value.values())), (dict, list))


_RULES: Final[list[tuple[str, str, Callable[[_View], bool]]]] = [
    ("empty", "no character at all", lambda v: not v.text),
    ("blank", "white space and dots only", lambda v: not v.text.strip(BLANK + ".…")),
    ("lone surrogate", "half of a character, raw or as an escape", _has_surrogate),
    ("BOM", "begins with a byte order mark", lambda v: v.text.startswith("\ufeff")),
    (
        "control characters",
        "a control character, raw",
        lambda v: bool(_CONTROL.search(v.around)) or v.read.fault == "control characters",
    ),
    (
        "double encoded",
        "the whole text is a JSON string that holds JSON",
        lambda v: isinstance(v.whole, str) and _is_json_text(v.whole),
    ),
    (
        "scalar",
        "the whole text is a JSON number, string, true, false or null",
        lambda v: isinstance(v.whole, (str, int, float)) or v.text.strip(_JSON_BLANK) == "null",
    ),
    ("unclosed think", "thinking begins and never ends", lambda v: v.found.unclosed_think),
    ("deep nesting", f"brackets more than {MAX_DEPTH} deep", lambda v: v.is_deep),
    ("too many brackets", "more structure than a reply has", lambda v: v.found.overrun),
    ("draft in reasoning", "braces inside the thinking", lambda v: v.thinks_in_braces),
    (
        "truncated",
        "a value begins and never ends",
        lambda v: any(part.kind == "open" for part in v.values) or v.read.fault == "truncated",
    ),
    (
        "extra closing brace",
        "a closing bracket too many behind a value",
        lambda v: bool(v.values) and v.after.lstrip(BLANK).startswith(("}", "]")),
    ),
    (
        "several objects",
        "more than one object; or, where there is none, array",
        lambda v: len(v.values) > 1,
    ),
    ("single quotes", "strings in single quotation marks", _fault("single quotes")),
    ("Python literals", "True, False or None", _fault("Python literals")),
    ("smart quotes", "strings in typographic quotation marks", _fault("smart quotes")),
    ("full-width marks", "commas and colons of another keyboard", _fault("full-width marks")),
    ("HTML entities", "escaped for a web page", _fault("HTML entities")),
    ("doubled braces", "braces twice, or in a box of braces", _fault("doubled braces")),
    ("unquoted keys", "a key without quotation marks", _fault("unquoted keys")),
    ("unquoted value", "a word without quotation marks", _fault("unquoted value")),
    ("comments", "a comment between the members", _fault("comments")),
    ("trailing comma", "a comma behind the last member", _fault("trailing comma")),
    ("missing comma", "no comma between two members", _fault("missing comma")),
    ("raw newline", "a line break or a tab inside a string", _fault("raw newline")),
    ("unescaped quotes", "quotation marks inside a string", _fault("unescaped quotes")),
    ("escaped quotes", "a backslash before the quotation marks", _fault("escaped quotes")),
    ("bad escape", "a backslash before what needs none", _fault("bad escape")),
    ("NaN", "NaN or Infinity for a number", _fault("NaN")),
    ("odd number", "a number as JSON does not write it", _fault("odd number")),
    ("duplicate key", "a key twice in an object", _fault("duplicate key")),
    ("ellipsis", "dots for what was left out", _fault("ellipsis")),
    ("mismatched brackets", "one kind of bracket closes another", _fault("mismatched brackets")),
    ("invisible characters", "what looks like nothing or like a blank", _is_invisible),
    ("other damage", "not JSON for another reason", lambda v: bool(v.read.fault)),
    ("huge number", "a number that a double cannot hold", lambda v: v.read.long_number),
    ("JSON in a string", "a string in the value holds JSON", _holds_json_text),
    (
        "braces without JSON",
        "prose with a brace, and no value",
        lambda v: not v.values and "{" in v.around,
    ),
    ("no JSON", "prose without a value", lambda v: not v.values),
    (
        "special tokens",
        "tokens of a chat template around the value",
        lambda v: bool(_SPECIAL_TOKEN.search(v.around)),
    ),
    ("answer tags", "the value stands in XML tags", lambda v: v.is_tagged),
    ("several fences", "more than one fenced block", lambda v: v.fences > 2),
    ("unclosed fence", "a fence opens or closes alone", lambda v: v.fences == 1),
    (
        "fence in prose",
        "a fenced block with prose around it",
        lambda v: v.fences > 0 and (v.is_spoken(v.before) or v.is_spoken(v.after)),
    ),
    ("fence", "a fenced block and nothing else", lambda v: v.fences > 0),
    ("reasoning tags", "tagged thinking without a brace in it", lambda v: bool(v.found.notes)),
    ("braces in prose", "prose around the value has a brace", lambda v: "{" in v.around),
    (
        "prose around",
        "prose before and behind the value",
        lambda v: v.is_spoken(v.before) and v.is_spoken(v.after),
    ),
    ("reasoning prefix", "prose before the value", lambda v: v.is_spoken(v.before)),
    ("trailing prose", "prose behind the value", lambda v: v.is_spoken(v.after)),
    ("array of objects", "one array that holds objects", lambda v: v.values[0].holds_object),
    ("nested", "one object whose only member holds another value", _is_wrapped),
    ("plain JSON", "the whole text is one strict JSON value", lambda v: True),
]

SHAPES: Final[dict[str, str]] = {name: description for name, description, _ in _RULES}
"""What each shape is, in the order in which they are looked for."""


def shape(text: str) -> str:
    """The shape of a text: the first of ``SHAPES`` that it has.

    Never raises; linear in ``len(text)``, whatever the text is.
    """
    view = _View(text)
    return next(name for name, _, holds in _RULES if holds(view))
