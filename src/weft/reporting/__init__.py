"""A summary (a dict) of a fitted model, and the figures and reports made from it."""
