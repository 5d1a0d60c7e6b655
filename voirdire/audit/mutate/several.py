"""More than one object, drafts, quotations, and objects that never end."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from voirdire.audit.mutate.base import Base, Intends, mutation

_BASE, _NOTHING, _UNKNOWN = Intends.BASE, Intends.NOTHING, Intends.UNKNOWN


def _other(value: Any) -> Any:
    """A value of the same form that says something else."""
    if isinstance(value, dict):
        return {key: _other(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_other(member) for member in value]
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return 0.5 if value != 0.5 else 0.25
    return f"At first sight: {value[:40]}" if isinstance(value, str) else value


def _draft(base: Base) -> str | None:
    """The JSON text of another value; ``None`` where the base has nothing that could be other."""
    other = _other(base.value)
    return None if other == base.value else json.dumps(other, ensure_ascii=False)


def _with_draft(name: str, intends: Intends, why: str, *forms: str) -> None:
    """A mutation that puts a draft where ``%`` stands, and the text where ``@`` does."""

    @mutation(name, intends, why)
    def make(base: Base, draw: Random) -> str | None:
        draft = _draft(base)
        form = draw.choice(forms)
        if draft is None:
            return None
        # The form is split before anything is put in: the texts may hold the marks themselves.
        return "".join({"%": draft, "@": base.text}.get(piece, piece) for piece in _pieces(form))


def _pieces(form: str) -> list[str]:
    return form.replace("%", "\0%\0").replace("@", "\0@\0").split("\0")


_with_draft(
    "draft in thinking",
    _BASE,
    "the draft was thought, not said",
    "<think>\nFirst idea: %\nNo, that is too harsh.\n</think>\n\n@",
    "<think>\n```json\n%\n```\nHm, not quite.\n</think>\n```json\n@\n```",
)
_with_draft(
    "draft in thinking, closing tag only",
    _BASE,
    "the chat template opened the thinking in which the draft stands",
    "Perhaps %? No, that is too harsh.\n</think>\n\n@",
)
_with_draft(
    "draft in thinking that never ends",
    _NOTHING,
    "the draft was rejected, and no answer came",
    "<think>\nFirst idea: %\nNo, that is too harsh. Rather",
)
_with_draft(
    "draft, then the final object",
    _BASE,
    "the text says which of the two is final",
    "Draft: %\n\nThat overlooks the last point. Final answer: @",
    "%\n\nWait, that is wrong. Corrected:\n\n@",
    "```json\n%\n```\nOn reflection, my final answer is:\n```json\n@\n```",
)
_with_draft(
    "final object, then an example",
    _BASE,
    "the text says that the second is no answer",
    "@\n\nA weaker answer would have been graded so: %",
    "Final answer: @\n\n(For comparison, what I did not choose: %)",
)
_with_draft(
    "two different objects", _UNKNOWN, "nothing says which of the two is meant", "%\n@", "@\n%"
)
_with_draft("array of two", _UNKNOWN, "one answer was asked for", "[%, @]", "[@, %]")
_with_draft(
    "only a quoted object",
    _NOTHING,
    "it is what somebody else said, and the text rejects it",
    "The reply claims % of itself, which I do not accept.",
    'The text to be graded ends with "%" and nothing in it supports that.',
)


@mutation("unterminated quotation first", _BASE, "the fragment is quoted, the object is said")
def _(base: Base, draw: Random) -> str | None:
    draft = _draft(base)
    if draft is None:
        return None
    end = draw.choice([" and so on, but I find otherwise.\n", "... That is not mine. Mine is:\n"])
    return f"The reply claims {draft[:-1]}{end}{base.text}"


@mutation("template first", _BASE, "the template holds no values")
def _(base: Base, draw: Random) -> str | None:
    if not isinstance(base.value, dict) or not base.value:
        return None
    slots = ", ".join(f"{json.dumps(key)}: <...>" for key in base.value)
    form = draw.choice(["Format: {%}\n\n", "I will answer as {%}.\n"])
    return form.replace("%", slots) + base.text


@mutation("empty object first", _BASE, "the text says that the second is the answer")
def _(base: Base, draw: Random) -> str | None:
    return f"I begin with {{}} and fill it in: {base.text}" if base.value else None


@mutation("the same object twice", _BASE, "both say the same")
def _(base: Base, draw: Random) -> str | None:
    return draw.choice(["\n", "\n\nFinal answer:\n", ""]).join([base.text] * 2)


@mutation("the same object until cut off", _UNKNOWN, "a model in a loop may not be trusted")
def _(base: Base, draw: Random) -> str | None:
    return f"{base.text}\n" * draw.randint(2, 4) + _cut(base, draw)


_CUT = "what was to follow is not known"


@mutation("truncated", _NOTHING, _CUT)
def _(base: Base, draw: Random) -> str | None:
    return _cut(base, draw)


@mutation("truncated in a fence", _NOTHING, _CUT)
def _(base: Base, draw: Random) -> str | None:
    return "```json\n" + _cut(base, draw)


@mutation("truncated behind a preamble", _NOTHING, _CUT)
def _(base: Base, draw: Random) -> str | None:
    return "Here is the JSON:\n\n" + _cut(base, draw)


def _cut(base: Base, draw: Random) -> str:
    """The beginning of the text: at least its first bracket, and not all but its last."""
    most = base.text.strip(" \t\r\n")[:-1].rstrip(" \t\r\n")
    return most[: draw.randrange(1, max(2, len(most)))]


@mutation("truncated behind an inner object", _NOTHING, "the inner object is not the answer")
def _(base: Base, draw: Random) -> str | None:
    ends = base.places("}")[:-1]
    ends = [end for end in ends if base.tokens[: end + 1].count("{") > 1]
    if not ends:
        return None
    return "".join(base.tokens[: draw.choice(ends) + 1]) + draw.choice([",", ', "'])


@mutation("one bracket short", _UNKNOWN, "every member is there, but more may have been to come")
def _(base: Base, draw: Random) -> str | None:
    return base.text.rstrip(" \t\r\n")[:-1].rstrip(" \t\r\n")


@mutation("one bracket too many", _BASE, "the value had ended before it")
def _(base: Base, draw: Random) -> str | None:
    whole = base.text.rstrip(" \t\r\n")
    return whole + draw.choice(["", "\n"]) + whole[-1]


@mutation("an object for each member", _UNKNOWN, "one object was asked for")
def _(base: Base, draw: Random) -> str | None:
    if not isinstance(base.value, dict) or len(base.value) < 2:
        return None
    members = [json.dumps({k: v}, ensure_ascii=False) for k, v in base.value.items()]
    return draw.choice(["\n", ", "]).join(members)
