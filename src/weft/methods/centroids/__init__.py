"""Searches for centres in input space and their number: DCPSO and GCUK."""
