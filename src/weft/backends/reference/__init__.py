"""Readable NumPy, the formula as docstring: what the other backends are tested against."""
