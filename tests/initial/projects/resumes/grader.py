"""A judge that is content with everything, as one is that sees no source."""


def call_api(prompt, options, context):  # type: ignore[no-untyped-def]
    """The name and the arguments that promptfoo calls a provider with."""
    # JSON is what a rubric's reply is read for, the last letter what a closed question's is.
    return {"output": '{"pass": true, "score": 1, "reason": "It reads well."}\nY'}
