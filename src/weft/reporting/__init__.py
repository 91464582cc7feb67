"""Summary (a dict), then pictures and pages made from it."""
