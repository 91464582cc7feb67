"""Triton kernels: what plain torch would send through memory once too often.

Each module holds kernels and the functions that start them; nothing else knows Triton.
"""
