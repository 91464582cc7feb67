"""Readable NumPy, the formula as docstring: what the other backends are tested against.

Operations are described here, once; the other backends say only what is particular to them.
"""
