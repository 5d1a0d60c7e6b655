"""Stands for the retrieval chain: one answer right, one wrong."""

ANSWERS = {
    "How many days of leave do I get?": "Employees get 25 days of leave a year.",
    "How long is parental leave?": "Parental leave lasts 26 weeks.",
}


def call_api(prompt, options, context):  # type: ignore[no-untyped-def]
    """The name and the arguments that promptfoo calls a provider with."""
    return {"output": ANSWERS[context["vars"]["query"]]}
