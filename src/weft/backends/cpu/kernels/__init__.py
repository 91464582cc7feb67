"""Compiled passes over arrays (numba): sequential, without the GIL, output arrays last."""
