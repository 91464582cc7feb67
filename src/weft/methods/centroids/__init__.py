"""Centres in input space whose number is searched too: DCPSO and GCUK."""
