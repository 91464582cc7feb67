"""Clusters in a kernel's feature space, their number unknown: spaces, objectives, the search."""
