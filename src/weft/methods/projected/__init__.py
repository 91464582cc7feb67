"""Clusters in subspaces, by swarm: fitness of particles, their starts, the polish."""

from weft.methods.projected.settings import Objective, SwarmSettings

__all__ = ["Objective", "SwarmSettings"]
