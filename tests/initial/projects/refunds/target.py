"""Stands for the bot: one answer right, one wrong."""

ANSWERS = {
    "How long do I have to return a kettle?": "A kettle can be returned within 30 days.",
    "Can I return a worn shoe?": "Worn shoes can be returned within 14 days.",
}


def call_api(prompt, options, context):  # type: ignore[no-untyped-def]
    """The name and the arguments that promptfoo calls a provider with."""
    return {"output": ANSWERS[context["vars"]["question"]]}
