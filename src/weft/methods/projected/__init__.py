"""Clusters in subspaces, by swarm: what particles are worth, where they start, the polish."""

from weft.methods.projected.settings import Objective, SwarmSettings

__all__ = ["Objective", "SwarmSettings"]
