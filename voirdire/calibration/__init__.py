"""Calibration: how far a judge agrees with people, and what that is worth."""
