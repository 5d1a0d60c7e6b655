"""Drift: where the figures moved, did the product change or the judge?"""
