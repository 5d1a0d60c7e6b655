"""The examination: questions that tell whether a judge is fit to judge."""
