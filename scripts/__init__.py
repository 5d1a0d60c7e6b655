"""Doors that a person opens."""
