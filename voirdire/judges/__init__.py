"""Judges: who is asked for a verdict."""
