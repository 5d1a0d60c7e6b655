"""The report of promptfoo runs: red flags first, then what they say of the models."""
