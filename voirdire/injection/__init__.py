"""Text that tries to steer the judge: planted on purpose, to see whether a verdict moves."""
