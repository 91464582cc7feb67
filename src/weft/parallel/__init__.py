"""Threads, workers and signals: the only package that starts a thread."""
