"""What models put around their JSON: fences, prose, thinking, tags, blanks."""

from __future__ import annotations

from random import Random

from voirdire.audit.mutate.base import Base, Intends, mutation

_BASE, _NOTHING, _UNKNOWN = Intends.BASE, Intends.NOTHING, Intends.UNKNOWN


def _wrapped(name: str, intends: Intends, why: str, *forms: str) -> None:
    """A mutation that puts the text where ``@`` stands in one of the forms."""

    @mutation(name, intends, why)
    def make(base: Base, draw: Random) -> str:
        before, _, after = draw.choice(forms).partition("@")
        return before + base.text + after


_FENCE = "a fence only says how to show what is in it"
_wrapped("json fence", _BASE, _FENCE, "```json\n@\n```", "```json\n@\n```\n")
_wrapped("bare fence", _BASE, _FENCE, "```\n@\n```")
_wrapped("other fence label", _BASE, _FENCE, "```JSON\n@\n```", "```javascript\n@\n```")
_wrapped("tilde fence", _BASE, _FENCE, "~~~json\n@\n~~~", "~~~\n@\n~~~")
_wrapped("long fence", _BASE, _FENCE, "````json\n@\n````")
_wrapped("indented fence", _BASE, _FENCE, "  ```json\n@\n  ```", "1. So:\n   ```json\n@\n   ```")
_wrapped("fence on one line", _BASE, _FENCE, "```json @ ```", "```@```")
_wrapped("inline code", _BASE, _FENCE, "`@`", "The result is `@`.")
_HALF = "the value is whole, only the fence is not"
_wrapped("unclosed fence", _BASE, _HALF, "```json\n@", "```\n@")
_wrapped("closing fence only", _BASE, _HALF, "@\n```")
_wrapped(
    "fence in prose",
    _BASE,
    _FENCE,
    "Here is my assessment:\n\n```json\n@\n```\n\nLet me know if you need more detail.",
    "I have weighed every point.\n```json\n@\n```\nThat is all.",
)
_wrapped(
    "other fenced code first",
    _BASE,
    "the first block is labelled as another language",
    "I would compute it so:\n```python\nd = {'k': [1]}\nprint(d)\n```\nResult:\n```json\n@\n```",
    "```js\nif (ok) { done(); }\n```\n\n```json\n@\n```",
)
_wrapped("label without fence", _BASE, "the label of a lost fence", "json\n@", "JSON: @")

_PROSE = "prose is no part of the value"
_wrapped(
    "preamble",
    _BASE,
    _PROSE,
    "Here is the JSON you asked for:\n\n@",
    "Sure! @",
    "Certainly. My evaluation follows.\n@",
)
_wrapped(
    "reasoning prefix",
    _BASE,
    _PROSE,
    "Let me think this through. The answer names two of the three points, and it leaves out the "
    "last. That is enough for most of the credit, though not for all of it.\n\n@",
    "First, I look at what was asked. Second, at what was said: nothing contradicts it.\n"
    "Therefore: @",
)
_wrapped(
    "prose with braces",
    _BASE,
    "those braces hold no JSON",
    "The solutions are the set {x, y}, so:\n@",
    "It uses the template {name} without filling it in.\n\n@",
    "With \\frac{1}{2} as the weight, the result is\n@",
    "The code `for (;;) { step(); }` never ends.\n@",
)
_wrapped("opening brace in prose", _BASE, "that brace opens nothing", "The text lacks a { here.\n@")


@mutation(
    "prose with brackets", _BASE, "footnotes and empty brackets are no answer beside an object"
)
def _(base: Base, draw: Random) -> str | None:
    # Beside a mere array, they may be.
    before = draw.choice(["As source [1] says, and [2] confirms:\n", "Reasoning: []"])
    return before + base.text if "{" in base.tokens else None


_wrapped(
    "prose with quotation marks",
    _BASE,
    _PROSE,
    'The screen is 15" wide, as asked.\n@',
    "It's what they'd call \"good\".\n@",
)
_wrapped(
    "trailing explanation",
    _BASE,
    _PROSE,
    "@\n\nI hope this helps!",
    "@\n\n**Explanation:** the answer covers what was asked, and adds nothing false.",
)
_wrapped(
    "trailing brace snippet",
    _BASE,
    "those braces hold no JSON",
    "@\n\nNote: the format was {score, reason}.",
    "@\n\n(The template {name} was left as it is.)",
    "@\n\nNo } was left open.",
)
_wrapped("heading", _BASE, _PROSE, "**Answer:** @", "### Result\n\n@\n", "Final answer: @")
_wrapped("assignment", _BASE, "code around it", "const result = @;", "return @;", "submit(@)")

_THOUGHT = "thinking ended before it"
_wrapped(
    "think block",
    _BASE,
    _THOUGHT,
    "<think>\nThe user wants a verdict. It is mostly right.\n</think>\n\n@",
    "<think>\n\n</think>\n\n@",
    "<think>Short.</think>@",
)
_wrapped(
    "think block of another name",
    _BASE,
    _THOUGHT,
    "<thinking>\nIt is mostly right.\n</thinking>\n@",
    "[THINK]It is mostly right.[/THINK]@",
    "<reasoning>It is mostly right.</reasoning>\n\n@",
)
_wrapped(
    "think block with braces",
    _BASE,
    "what is thought is not said",
    "<think>\nThe format is {score, reason}. Fine.\n</think>\n@",
    "<think>\nSomething like { and so on\n</think>\n@",
)
_wrapped(
    "closing think tag only",
    _BASE,
    "the chat template opened the thinking",
    "The user wants a verdict. It is mostly right.\n</think>\n\n@",
)
_wrapped(
    "unclosed think block",
    _UNKNOWN,
    "it may be the answer or a thought",
    "<think>\nIt is mostly right.\n\n@",
)
_wrapped(
    "cut off while thinking",
    _NOTHING,
    "the thinking goes on behind the object and never ends",
    "<think>\nPerhaps:\n@\nBut wait, the second point is",
)
_wrapped("nothing but thinking", _UNKNOWN, "no answer, unless this is it", "<think>\n@\n</think>")

_TAGS = "the tags say where the answer is"
_wrapped(
    "answer tags",
    _BASE,
    _TAGS,
    "<answer>\n@\n</answer>",
    "<output>@</output>",
    "I checked it.\n<answer>@</answer>\nDone.",
)
_wrapped(
    "thinking and answer tags",
    _BASE,
    _TAGS,
    "<think>\nIt is mostly right.\n</think>\n<answer>\n@\n</answer>",
)
_wrapped("unclosed answer tag", _BASE, _TAGS, "<answer>@", "<answer>\n@\n")
_wrapped(
    "special tokens",
    _BASE,
    "tokens of the chat template that were not taken out",
    "@<|im_end|>",
    "<|begin_of_box|>@<|end_of_box|>",
    "@</s>",
)
_wrapped("boxed", _BASE, "the box marks the answer", "\\boxed{@}", "So $\\boxed{@}$.")

_BLANKS = "blanks are no part of the value"
_wrapped("byte order mark", _BASE, _BLANKS, "\ufeff@")
_wrapped("blank lines around", _BASE, _BLANKS, "\n\n\n@\n\n\n", "  \t@ \t ")
_wrapped("zero-width characters around", _BASE, _BLANKS, "\u200b@\u200b", "\u2060@", "@\u200b")
_wrapped("unusual blanks around", _BASE, _BLANKS, "\u2028@\u2028", "\u00a0@", "\x0c@\x0c")
_wrapped("NUL behind", _UNKNOWN, "a buffer that was too long, or damage", "@\x00", "@\x00\x00\x00")
