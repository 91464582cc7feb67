"""Clusters in subspaces, by swarm: what particles are worth, where they start, the polish."""
