"""What models write inside their JSON that is no JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random

from voirdire.audit.mutate.base import Base, Intends, mutation

_BASE, _UNKNOWN, _AS_WRITTEN = Intends.BASE, Intends.UNKNOWN, Intends.AS_WRITTEN
_NAME = re.compile(r'"[A-Za-z_][A-Za-z0-9_]*"\Z')
_PYTHON = {"true": "True", "false": "False", "null": "None"}
_JAVASCRIPT = {"null": "undefined"}
_NOTATION = "another notation for the same value"
_MARK = "a mark too many or too few, which leaves one reading"


def _single(token: str) -> str:
    """A string in single quotation marks."""
    return "'" + token[1:-1].replace('\\"', '"').replace("'", "\\'") + "'"


@mutation("single quotes", _BASE, _NOTATION)
def _(base: Base, draw: Random) -> str | None:
    quoted = base.keys + base.strings
    return base.edited({i: _single(base.tokens[i]) for i in quoted}) if quoted else None


@mutation("single quotes around keys", _BASE, _NOTATION)
def _(base: Base, draw: Random) -> str | None:
    return base.edited({i: _single(base.tokens[i]) for i in base.keys}) if base.keys else None


@mutation("Python literals", _BASE, _NOTATION)
def _(base: Base, draw: Random) -> str | None:
    places = base.places(*_PYTHON)
    return base.edited({i: _PYTHON[base.tokens[i]] for i in places}) if places else None


@mutation("Python repr", _BASE, _NOTATION)
def _(base: Base, draw: Random) -> str | None:
    return repr(base.value) if base.value else None


@mutation("undefined for null", _UNKNOWN, "it may say null, or that the member is missing")
def _(base: Base, draw: Random) -> str | None:
    places = base.places(*_JAVASCRIPT)
    return base.edited({i: _JAVASCRIPT[base.tokens[i]] for i in places}) if places else None


@mutation("unquoted keys", _BASE, _NOTATION)
def _(base: Base, draw: Random) -> str | None:
    names = [i for i in base.keys if _NAME.match(base.tokens[i])]
    return base.edited({i: base.tokens[i][1:-1] for i in names}) if names else None


@mutation("smart quotes", _BASE, _NOTATION)
def _(base: Base, draw: Random) -> str | None:
    quoted = base.keys + base.strings
    # Quotation marks inside would leave open where a string ends.
    if not quoted or any(mark in base.text for mark in ("“", "”", "„", '\\"')):
        return None
    opens = draw.choice("“„”")
    return base.edited({i: opens + base.tokens[i][1:-1] + "”" for i in quoted})


def _at_commas(base: Base, draw: Random, forms: list[str]) -> str | None:
    """The text with something else for one of its commas."""
    commas = base.places(",")
    form = draw.choice(forms)
    return base.edited({draw.choice(commas): form}) if commas else None


@mutation("line comment", _BASE, "a comment is no part of the value")
def _(base: Base, draw: Random) -> str | None:
    return _at_commas(base, draw, [", // as asked\n", ", // don't round {up}\n", ", # as asked\n"])


@mutation("block comment", _BASE, "a comment is no part of the value")
def _(base: Base, draw: Random) -> str | None:
    opens = base.places("{", "[")
    note = draw.choice(["/* as asked */", '/* was "high" */', "/* } */"])
    place = draw.choice(opens)
    return base.edited({place: f"{base.tokens[place]} {note} "})


@mutation("comment at the end", _BASE, "a comment is no part of the value")
def _(base: Base, draw: Random) -> str | None:
    return _before_close(base, draw.choice([" // all of it\n", " # all of it\n", " /* all */ "]))


@mutation("missing comma", _BASE, _MARK)
def _(base: Base, draw: Random) -> str | None:
    return _at_commas(base, draw, ["\n"])


@mutation("two commas", _BASE, _MARK)
def _(base: Base, draw: Random) -> str | None:
    # In an array, one may stand for a member that was left out.
    return _at_commas(base, draw, [",,"]) if "[" not in base.tokens else None


@mutation("semicolons for commas", _BASE, _MARK)
def _(base: Base, draw: Random) -> str | None:
    commas = base.places(",")
    return base.edited(dict.fromkeys(commas, ";")) if commas else None


def _before_close(base: Base, text: str) -> str | None:
    """The text with something before its last bracket."""
    if not base.value:
        return None
    last = base.places("}", "]")[-1]
    blank = base.tokens[last - 1] if base.tokens[last - 1].isspace() else ""
    start = last - 1 if blank else last
    return "".join(base.tokens[:start]) + text + blank + "".join(base.tokens[last:])


@mutation("trailing comma", _BASE, _MARK)
def _(base: Base, draw: Random) -> str | None:
    return _before_close(base, ",")


@mutation("ellipsis", _UNKNOWN, "members may have been left out")
def _(base: Base, draw: Random) -> str | None:
    return _before_close(base, draw.choice([", ...", ", …", ",\n  // ...\n"]))


@mutation("equals signs for colons", _BASE, _NOTATION)
def _(base: Base, draw: Random) -> str | None:
    colons = base.places(":")
    sign = draw.choice([" =", " =>"])
    return base.edited(dict.fromkeys(colons, sign)) if colons else None


@mutation("full-width marks", _BASE, "the same marks as another keyboard writes them")
def _(base: Base, draw: Random) -> str | None:
    marks = {i: {":": "：", ",": "，"}[base.tokens[i]] for i in base.places(":", ",")}
    return base.edited(marks) if marks else None


def _one(base: Base, places: list[int], draw: Random, made: Callable[[str], str]) -> str | None:
    """The text with one of the tokens at some places changed."""
    if not places:
        return None
    place = draw.choice(places)
    return base.edited({place: made(base.tokens[place])})


@mutation("NaN for a number", _UNKNOWN, "JSON has no NaN; some readers take it, and some as null")
def _(base: Base, draw: Random) -> str | None:
    return _one(base, base.numbers, draw, lambda _: draw.choice(["NaN", "Infinity", "-Infinity"]))


@mutation("plus sign", _BASE, _NOTATION)
def _(base: Base, draw: Random) -> str | None:
    positive = [i for i in base.numbers if base.tokens[i][0] != "-"]
    return _one(base, positive, draw, lambda token: f"+{token}")


@mutation("leading zero", _BASE, _NOTATION)
def _(base: Base, draw: Random) -> str | None:
    positive = [i for i in base.numbers if base.tokens[i][0] in "123456789"]
    return _one(base, positive, draw, lambda token: f"0{token}")


@mutation("no digit before the point", _BASE, _NOTATION)
def _(base: Base, draw: Random) -> str | None:
    small = [i for i in base.numbers if base.tokens[i].startswith("0.")]
    return _one(base, small, draw, lambda token: token[1:])


@mutation("fraction", _UNKNOWN, "a part of a whole, or a division")
def _(base: Base, draw: Random) -> str | None:
    return _one(base, base.numbers, draw, lambda token: f"{token}/10")


@mutation("per cent", _UNKNOWN, "a hundredth of the number, or the number")
def _(base: Base, draw: Random) -> str | None:
    return _one(base, base.numbers, draw, lambda token: f"{token}%")


def _into_string(text: str) -> Callable[[Base, Random], str | None]:
    """Put something raw into the middle of one of the strings."""

    def make(base: Base, draw: Random) -> str | None:
        # Not behind a backslash, where it would be taken for the rest of an escape.
        plain = [i for i in base.strings if len(base.tokens[i]) > 2 and "\\" not in base.tokens[i]]
        at = draw.random()

        def put(token: str) -> str:
            place = 1 + int(at * (len(token) - 2))
            return token[:place] + text + token[place:]

        return _one(base, plain, draw, put)

    return make


_RAW = "the character itself is meant, where an escape was due"
mutation("raw newline in a string", _AS_WRITTEN, _RAW)(_into_string("\n"))
mutation("raw CRLF and bullets in a string", _AS_WRITTEN, _RAW)(_into_string("\r\n- "))
mutation("raw tab in a string", _AS_WRITTEN, _RAW)(_into_string("\t"))
mutation("control character in a string", _UNKNOWN, "meant, or damage")(_into_string("\x07"))
mutation("lone surrogate escape", _UNKNOWN, "half of a character")(_into_string("\\ud83d"))
mutation("bad hex escape", _UNKNOWN, "which character is meant is not known")(_into_string("\\x"))
mutation("zero-width character in a string", _AS_WRITTEN, "sound JSON")(_into_string("\u200b"))
mutation("think tag in a string", _AS_WRITTEN, "sound JSON: a tag in a string is text")(
    _into_string("</think>")
)
mutation("brace in a string", _AS_WRITTEN, "sound JSON: a brace in a string is text")(
    _into_string("}")
)
mutation("fence in a string", _AS_WRITTEN, "sound JSON: a fence in a string is text")(
    _into_string("```")
)


@mutation("superfluous backslash", _BASE, "Markdown's escapes, which JSON does not know")
def _(base: Base, draw: Random) -> str | None:
    marked = [i for i in base.strings if re.search(r"['_*()\[\]!.-]", base.tokens[i])]
    return _one(
        base, marked, draw, lambda token: re.sub(r"(?<!\\)(['_*()\[\]!.-])", r"\\\1", token)
    )


@mutation("unescaped quotes", _BASE, "the string ends before the next comma or bracket")
def _(base: Base, draw: Random) -> str | None:
    # A backslash before the escape is a character of the string.
    marked = [i for i in base.strings if re.search(r'(?<!\\)\\"', base.tokens[i])]
    return _one(base, marked, draw, lambda token: re.sub(r'(?<!\\)\\"', '"', token))


@mutation("string not closed", _UNKNOWN, "where the string ends is not said")
def _(base: Base, draw: Random) -> str | None:
    return _one(base, base.strings, draw, lambda token: token[:-1])


def _twice(base: Base, draw: Random, last: bool, other: bool) -> str | None:
    """The text with its first key a second time, before or behind all the others."""
    if not isinstance(base.value, dict) or not base.value:
        return None
    key = json.loads(base.tokens[base.keys[0]])
    value = base.value[key]
    if other:
        value = False if value is None else None
    member = f"{base.tokens[base.keys[0]]}: {json.dumps(value, ensure_ascii=False)}"
    if last:
        return _before_close(base, f", {member}")
    first = base.places("{")[0]
    return base.edited({first: "{" + member + ", "})


_OPEN = "RFC 8259 leaves open which counts"
mutation("duplicate key, the other first", _UNKNOWN, _OPEN)(
    lambda base, draw: _twice(base, draw, last=False, other=True)
)
mutation("duplicate key, the other last", _UNKNOWN, _OPEN)(
    lambda base, draw: _twice(base, draw, last=True, other=True)
)
mutation("duplicate key, the same value", _BASE, "whichever counts says the same")(
    lambda base, draw: _twice(base, draw, last=draw.random() < 0.5, other=False)
)


@mutation("mismatched bracket", _UNKNOWN, "a slip, or a part that is missing")
def _(base: Base, draw: Random) -> str | None:
    return _one(base, base.places("}", "]"), draw, lambda token: "]" if token == "}" else "}")
