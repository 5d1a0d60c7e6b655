"""Statistics of labels and verdicts: no judge, no files."""
