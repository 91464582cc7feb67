"""Readable NumPy with formulas in docstrings; the other backends are tested against it.

Operations are documented in this backend only; the others document their differences.
"""
