"""Threads, workers and signals: the only room that starts a thread."""
