"""Distances in, labels out."""
