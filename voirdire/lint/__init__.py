"""Lint: what in a rubric's wording will make a judge unsure, lenient or blind."""
