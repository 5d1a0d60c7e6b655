"""Deterministic checks of an answer: no judge, the same result every time, fit to gate merges."""
