"""The family that a model is of, from its name; a name that is not known is of none."""

from __future__ import annotations

import re

# Names that a part of an id begins with. The makers' names are not among them: `openai:` is
# also how any server that speaks that API is addressed.
_NAMES = {
    "openai": r"(?:chat)?gpt-?(?:\d(?!all)|oss|audio|realtime)|o[134](?![\w.])|text-davinci",
    "anthropic": r"claude(?![a-z])",
    "google": r"gemini(?![a-z])|(?:code|med|pali|t5)?gemma(?![a-z])|(?:text|chat|code)-bison",
    "meta": r"(?:meta-)?llama-?v?\d|codellama|llama-guard",
    "qwen": r"qwen|qwq(?![a-z])|qvq(?![a-z])",
    "mistral": r"(?:open-)?(?:mi[sx]tral|ministral|magistral|codestral|pixtral|devstral)(?![a-z])",
    "deepseek": r"deepseek(?![a-z])",
    "xai": r"grok(?![a-z])",
    "microsoft": r"phi-?\d",
    "cohere": r"(?:c4ai-)?command-?(?:a|r|light|nightly|text)(?![a-z])|(?:c4ai-)?aya-",
    "zhipu": r"(?:chat)?glm-?\d",
    "moonshot": r"kimi(?![a-z])|moonshot-v",
    "amazon": r"nova-(?:\d|pro|lite|micro|premier)|titan-text",
    "ibm": r"granite-?\d",
    "ai21": r"jamba|jurassic|j2-",
    "allenai": r"olmo",
    "minimax": r"minimax-",
    "huggingface": r"smollm",
}
_FAMILY = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _NAMES.items()))
# Ids that name a program or a place, whatever words stand in them.
_NO_MODEL = re.compile(r"(?:file|https?|wss?)://|(?:exec|python|golang|ruby|package|webhook):")
_LONGEST = 500


def family_of(name: str | None) -> str | None:
    """The family of a model or of a promptfoo provider's id, through gateways and prefixes.

    Args:
        name: such as ``gpt-4.1``, ``openrouter:anthropic/claude-sonnet-5``,
            ``bedrock:us.meta.llama3-3-70b-instruct-v1:0``.

    Returns:
        A name such as ``openai`` or ``meta``; ``None`` where no part is a known name, or the
        parts are of several families (a model distilled from another).
    """
    text = (name or "")[:_LONGEST].lower().strip()
    if _NO_MODEL.match(text):
        return None
    found = set()
    # A dot parts `us.anthropic.claude…`, but `llama3.1` begins with its name all the same.
    for part in re.split(r"[/:.@]", text):
        if "distill" in part:
            return None
        if match := _FAMILY.match(part):
            found.add(match.lastgroup)
    return found.pop() if len(found) == 1 else None


def same_family(judge: str | None, tested: str | None) -> bool | None:
    """Whether two models are of one family; ``None`` where that of either is not known."""
    one, other = family_of(judge), family_of(tested)
    return None if one is None or other is None else one == other
