"""Stands for the writer: the resume itself, and once a number that is not in it."""


def call_api(prompt, options, context):  # type: ignore[no-untyped-def]
    """The name and the arguments that promptfoo calls a provider with."""
    return {"output": context["vars"]["resume"].replace("3 years", "9 years")}
